package ingest

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bor/internal/registry"
	"bor/internal/source"
	"bor/internal/source/git"
)

// A branch is followed through everything that can become of it, and its bytes
// arrive as they are (ING1, ING3, REL3).
func TestAGitSourceFollowsItsBranch(t *testing.T) {
	b := newBench(t)
	o := git.Options{CacheDir: filepath.Join(t.TempDir(), "sources"), Access: git.Access{AllowLocal: true}}
	b.Open = func(ctx context.Context, s registry.Source, scope source.Scope) (source.Tree, error) {
		o.Scope = scope
		return git.Open(ctx, git.Remote{URL: s.Location, Branch: s.Branch}, o)
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", b.dir, "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false", "-c", "commit.gpgSign=false"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func() string {
		t.Helper()
		git("add", "--all")
		git("commit", "--quiet", "--message=notes")
		return git("rev-parse", "HEAD")
	}
	git("init", "--quiet", "--initial-branch=main")
	const odd = "\uFEFFa\r\nb\rc\vd\u0085e\u2028f\tno end"
	b.write("odd.md", odd)
	b.write("stays.md", "# Stays\n")
	b.write("moves.md", "# Moves\n\nthe same text\n")
	b.write("goes.md", "# Goes\n")
	b.write("nul.md", "a\x00b")
	first := commit()
	s, err := b.Registry.Add(t.Context(), registry.Draft{Kind: registry.Git, Location: b.dir, Name: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	sync := func(want string) {
		t.Helper()
		report, err := b.Run(t.Context(), nil, Options{Prune: true})
		if err != nil || !strings.Contains(report.Line(), want) {
			t.Fatalf("%s, %v", report.Line(), err)
		}
	}
	sync("added=4 updated=0 unchanged=0 pruned=0 skipped=1")
	if got := b.rows("SELECT content FROM documents WHERE path = 'odd.md'"); got[0] != odd {
		t.Errorf("%q", got)
	}
	if got := b.rows("SELECT DISTINCT revision FROM documents"); !slices.Equal(got, []string{first}) {
		t.Errorf("at %q", got)
	}
	moved := b.rows("SELECT id FROM documents WHERE path = 'moves.md'")

	git("mv", "moves.md", "moved.md")
	b.remove("goes.md")
	b.write("stays.md", "# Stays\n\nand grows\n")
	b.write("new.md", "# New\n")
	commit()
	sync("pruned=1")
	if got := b.rows("SELECT path FROM documents ORDER BY path"); !slices.Equal(got, []string{"moved.md", "new.md", "odd.md", "stays.md"}) {
		t.Errorf("documents %q", got)
	}
	if got := b.rows("SELECT id FROM documents WHERE path = 'moved.md'"); !slices.Equal(got, moved) {
		t.Errorf("the moved file is document %q, was %q", got, moved)
	}

	git("reset", "--quiet", "--hard", first)
	b.write("other.md", "# Other\n")
	git("add", "--all")
	git("commit", "--quiet", "--amend", "--message=other history")
	sync("pruned=1")
	if got := b.rows("SELECT path FROM documents ORDER BY path"); !slices.Equal(got, []string{"goes.md", "moves.md", "odd.md", "other.md", "stays.md"}) {
		t.Errorf("documents %q", got)
	}
	sync("added=0 updated=0 unchanged=5 pruned=0")

	// A remote that is away fails the source, and takes nothing.
	o.Access.AllowLocal = false
	report, err := b.Run(t.Context(), nil, Options{Prune: true})
	if err == nil || report.State != Failed || report.Pruned != 0 {
		t.Errorf("%s, %v", report.Line(), err)
	}
	if kept, err := b.Registry.Get(t.Context(), s.ID); err != nil || kept.Documents != 5 || !strings.Contains(kept.Last.Error, "BOR_GIT_ALLOW_LOCAL") {
		t.Errorf("%+v, %v", kept, err)
	}
	b.sound()
}
