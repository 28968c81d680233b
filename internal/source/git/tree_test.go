package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bor/internal/fault"
	"bor/internal/source"
)

func TestFilesOfABranch(t *testing.T) {
	r := newRepository(t)
	r.write("README.md", "# Notes\r\nno end")
	r.write("ops/disk.txt", "full")
	r.write("ops/Makefile", "all:\n")
	r.write("ops/photo.png", "no")
	r.write(".hidden/x.md", "no")
	r.write("build/x.md", "no")
	r.write("big.md", string(make([]byte, 10001)))
	r.write(".env", "SECRET=1")
	r.write("empty.md", "")
	commit := r.commit()
	got := follow(t, Remote{URL: r.dir}, options(t))
	if got.paths() != "README.md empty.md ops/Makefile ops/disk.txt" || got.count != 5 { // big.md counts by its name
		t.Errorf("files %q, %d counted", got.paths(), got.count)
	}
	if got.commit != commit || got.branch != "main" {
		t.Errorf("at %s %s", got.branch, got.commit)
	}
	f := got.files["README.md"]
	if f.Text != "# Notes\r\nno end" || f.Revision != commit || !f.ModTime.Equal(time.Unix(commitTime, 0)) || f.Size != 15 {
		t.Errorf("README.md is %+v", f)
	}
	if got.skips["big.md"].Kind != source.KindTooBig || got.skips[".env"].Kind != source.KindSecret || len(got.skips) != 2 {
		t.Errorf("skipped %v", got.skips)
	}
	if _, err := os.Stat(filepath.Join(r.dir, ".git", "shallow")); err == nil {
		t.Error("the remote became shallow")
	}
}

func TestSymbolicLinks(t *testing.T) {
	r := newRepository(t)
	r.write("docs/a.md", "one")
	for name, target := range map[string]string{
		"to-file.md": "docs/a.md", "to-file.png": "docs/a.md", "to-folder": "docs", "to-root": ".", "docs/up.md": "../docs/a.md", "docs/here": "..",
		"to-nothing.md": "docs/none.md", "to-nothing": "none", "out.md": "../../etc/passwd", "out": "/etc", "docs/out": "../../x",
		"odd.md": "a\nb", "long.md": strings.Repeat("a", 5000), ".hidden": "/etc", "build/x.md": "/etc",
	} {
		oid := r.object("blob", target)
		r.git("update-index", "--add", "--cacheinfo", "120000,"+oid+","+name)
	}
	r.git("add", "docs/a.md")
	r.commitTree(r.git("write-tree"))
	got := follow(t, Remote{URL: r.dir}, options(t))
	if got.paths() != "docs/a.md" {
		t.Errorf("read %q", got.paths())
	}
	want := map[string]string{
		"to-file.md": "to a file of this source", "to-folder": "to a folder of this source", "to-root": "to a folder", "docs/here": "to a folder", "docs/up.md": "to a file",
		"to-nothing.md": "to nothing", "out.md": "leaves the source", "out": "leaves the source", "docs/out": "leaves the source",
		"odd.md": "to nothing", "long.md": "to nothing",
	}
	for path, words := range want {
		if s := got.skips[path]; s.Kind != source.KindSymlink || !strings.Contains(s.Reason, words) {
			t.Errorf("%s: %+v", path, s)
		}
	}
	if len(got.skips) != len(want) {
		t.Errorf("skipped %v", got.skips)
	}
}

// Bytes come through as they are (REL3), and as a local source gives them.
func TestBytes(t *testing.T) {
	r := newRepository(t)
	for name, content := range map[string]string{
		"crlf.md": "a\r\nb\rc\nd", "bom.md": "\uFEFFa", "utf16.md": "\xff\xfea\x00\n\x00", "nul.md": "a\x00b", "bad.md": "a\xffb", "controls.md": "a\vb\fc\u0085d\u2028e\n",
		"line.md": strings.Repeat("x", 9999), "lines.md": strings.Repeat("\n", 9000), "space.md": " a \n\n", "ident.md": "$Id$\n", "nfd.md": "a\u0301 á", "one.md": "\n",
		".gitattributes": "* text=auto eol=crlf ident export-subst export-ignore\n",
	} {
		r.write(name, content)
	}
	r.git("add", "--all")
	local, err := source.Local(r.dir, textScope)
	must(t, err)
	defer local.Close()
	for _, name := range []string{"crlf.md"} { // as the attributes change what add stores
		content, err := os.ReadFile(filepath.Join(r.dir, name))
		must(t, err)
		r.git("update-index", "--cacheinfo", "100644,"+r.object("blob", string(content))+","+name)
	}
	r.commitTree(r.git("write-tree"))
	got := follow(t, Remote{URL: r.dir}, options(t))
	files, skips := 0, 0
	must(t, local.Walk(context.Background(), func(f source.File) error {
		files++
		g := got.files[f.Path]
		if g.Text != f.Text || g.SHA256 != f.SHA256 || g.Encoding != f.Encoding || g.Size != f.Size {
			t.Errorf("%s is %q from git and %q from the disk", f.Path, g.Text, f.Text)
		}
		return nil
	}, func(s source.Skip) {
		skips++
		if got.skips[s.Path] != s {
			t.Errorf("%+v from git and %+v from the disk", got.skips[s.Path], s)
		}
	}))
	if files != 10 || skips != 2 || len(got.files) != files || len(got.skips) != skips {
		t.Errorf("%d files and %d skips, %d and %d from git", files, skips, len(got.files), len(got.skips))
	}
}

func TestWhatBecomesOfABranch(t *testing.T) {
	r := newRepository(t)
	o := options(t)
	remote := Remote{URL: r.dir}
	wantFault(t, refused(t, remote, o), fault.NotFound, "no commit on its default branch")
	r.write("a.md", "one")
	first := r.commit()
	wantFault(t, refused(t, Remote{URL: r.dir, Branch: "stable"}, o), fault.NotFound, `no branch "stable"`, `default branch is "main"`)
	follow(t, remote, o)

	r.write("b.md", "two")
	r.git("mv", "a.md", "c.md")
	r.commit()
	if got := follow(t, remote, o); got.paths() != "b.md c.md" {
		t.Errorf("after a commit: %q", got.paths())
	}
	r.git("reset", "--quiet", "--hard", first) // history is rewritten
	r.write("d.md", "three")
	r.git("add", "--all")
	r.git("commit", "--quiet", "--amend", "--message=other")
	if got := follow(t, remote, o); got.paths() != "a.md d.md" || got.commit != r.git("rev-parse", "HEAD") {
		t.Errorf("after a forced push: %q", got.paths())
	}
	r.git("branch", "--move", "main", "trunk")
	if got := follow(t, remote, o); got.branch != "trunk" || got.paths() != "a.md d.md" {
		t.Errorf("after the branch's renaming: %s %q", got.branch, got.paths())
	}
	wantFault(t, refused(t, Remote{URL: r.dir, Branch: "main"}, o), fault.NotFound, `no branch "main"`)
	r.git("checkout", "--quiet", "--detach")
	if got := follow(t, remote, o); got.branch != "" || got.paths() != "a.md d.md" {
		t.Errorf("without a branch: %s %q", got.branch, got.paths())
	}
	r.git("tag", "v1")
	r.git("update-ref", "refs/remotes/origin/HEAD", first)
	if got := follow(t, Remote{URL: r.dir, Branch: "trunk"}, o); got.branch != "trunk" {
		t.Errorf("by name: %s", got.branch)
	}
	r.git("update-ref", "-d", "refs/heads/trunk")
	r.git("symbolic-ref", "HEAD", "refs/heads/none")
	wantFault(t, refused(t, Remote{URL: r.dir, Branch: "trunk"}, o), fault.NotFound, `no branch "trunk".`)
	must(t, os.RemoveAll(r.dir))
	wantFault(t, refused(t, remote, o), fault.NotFound, "no such repository")
}

func TestOtherKindsOfRepositories(t *testing.T) {
	bare := &repository{t, filepath.Join(t.TempDir(), "sha256.git")}
	bare.must(exec.Command("git", "init", "--quiet", "--object-format=sha256", "--initial-branch=main", "--template=", bare.dir))
	bare.write("a.md", "one")
	if commit := bare.commit(); len(commit) != 64 {
		t.Fatal(commit)
	}
	o := options(t)
	follow(t, Remote{URL: bare.dir}, o)
	bare.write("a.md", "two")
	bare.commit()
	if got := follow(t, Remote{URL: "file://" + bare.dir}, o); got.files["a.md"].Text != "two" || len(got.commit) != 64 {
		t.Errorf("sha256: %q", got.paths())
	}
	full := newRepository(t)
	full.write("a.md", "one")
	full.commit()
	full.write("b.md", "two")
	full.commit()
	shallow := &repository{t, filepath.Join(t.TempDir(), "shallow")}
	shallow.must(exec.Command("git", "clone", "--quiet", "--depth=1", "file://"+full.dir, shallow.dir))
	follow(t, Remote{URL: shallow.dir}, o)
	shallow.write("c.md", "three")
	shallow.commit()
	if got := follow(t, Remote{URL: shallow.dir}, o); got.paths() != "a.md b.md c.md" {
		t.Errorf("shallow: %q", got.paths())
	}
}

func TestAWalkThatIsStopped(t *testing.T) {
	r := newRepository(t)
	for n := range 2000 {
		r.write(fmt.Sprint(n, ".md"), strings.Repeat("text ", 100))
	}
	r.commit()
	o := options(t)
	tree := open(t, Remote{URL: r.dir}, o)
	enough := errors.New("enough")
	if err := tree.Walk(context.Background(), func(source.File) error { return enough }, func(source.Skip) {}); err != enough {
		t.Errorf("visit's error came back as %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	files := 0
	err := tree.Walk(ctx, func(source.File) error {
		if files++; files == 3 {
			cancel()
		}
		return nil
	}, func(source.Skip) {})
	if !errors.Is(err, context.Canceled) || files == 2000 {
		t.Errorf("stopped after %d files with %v", files, err)
	}
	if _, err := tree.Count(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("counted with %v", err)
	}
	if got := read(t, tree); got.count != 2000 || len(got.order) != 2000 {
		t.Errorf("then read %d of %d", len(got.order), got.count)
	}
	must(t, tree.Close())
	if len(copies(t, o)) != 1 {
		t.Error("the copy was thrown away")
	}
	if _, err := os.Stat(filepath.Join(repo(t, o), "HEAD")); err != nil {
		t.Error(err)
	}
}

func TestListsThatAreNotUnderstood(t *testing.T) {
	oid := strings.Repeat("a", 40)
	for record, words := range map[string]string{
		"100644 blob " + oid + "       5\ta.md\x00100644 blob " + oid + " BAD\tb.md\x00": "no size",
		"100644 blob " + oid + " -1\ta.md\x00":                                           "no size",
		"100644 blob " + oid + " 1\t\x00":                                                "not understood",
		"100644 blob xyz 1\ta\x00":                                                       "not understood",
		"a.md\x00":                                                                       "not understood",
		"100644 blob " + oid + " 1\ta.m":                                                 "EOF",
		"100644 blob " + oid + " 1\t" + strings.Repeat("a", 70<<10) + "\x00":             "more than 65536 bytes",
	} {
		err := readEntries(strings.NewReader(record), func(entry) error { return nil })
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%.80q: %v", record, err)
		}
	}
}
