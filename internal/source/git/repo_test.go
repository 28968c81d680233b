package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bor/internal/fault"
	"bor/internal/source"
)

// repository is a git repository that a test writes.
type repository struct {
	t   *testing.T
	dir string
}

// newRepository makes one with the branch main and no commit.
func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{t, filepath.Join(t.TempDir(), "notes.git")}
	r.must(exec.Command("git", "init", "--quiet", "--initial-branch=main", "--template=", r.dir))
	return r
}

// commitTime is the committer's date of every commit, unless a test says so.
const commitTime = 1700000000

func (r *repository) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "core.protectHFS=false", "-c", "core.protectNTFS=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org",
		"GIT_AUTHOR_DATE=1600000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
	return cmd
}

func (r *repository) must(cmd *exec.Cmd) string {
	r.t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("%q: %v: %s", cmd.Args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	return r.must(r.command(args...))
}

// write puts a file into the working tree; empty content with a nil removes it.
func (r *repository) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// commit commits the working tree and returns the commit's hash.
func (r *repository) commit() string {
	r.t.Helper()
	r.git("add", "--all")
	r.git("commit", "--quiet", "--allow-empty", "--message=notes")
	return r.git("rev-parse", "HEAD")
}

// object stores an object as it is, unchecked, and returns its name.
func (r *repository) object(kind, content string) string {
	r.t.Helper()
	cmd := r.command("hash-object", "-w", "--stdin", "--literally", "-t", kind)
	cmd.Stdin = strings.NewReader(content)
	return r.must(cmd)
}

// treeItem is a row of a tree object.
type treeItem struct{ mode, name, oid string }

// tree stores a tree object, whatever its rows say.
func (r *repository) tree(items ...treeItem) string {
	r.t.Helper()
	var b bytes.Buffer
	for _, i := range items {
		b.WriteString(i.mode + " " + i.name + "\x00")
		for n := 0; n < len(i.oid); n += 2 {
			b.WriteByte(unhex(i.oid[n])<<4 | unhex(i.oid[n+1]))
		}
	}
	return r.object("tree", b.String())
}

func unhex(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

// commitTree makes a tree the branch's commit.
func (r *repository) commitTree(tree string) string {
	r.t.Helper()
	commit := r.git("commit-tree", "-m", "notes", tree)
	r.git("update-ref", "refs/heads/main", commit)
	return commit
}

var textScope = source.Scope{Extensions: []string{"md", "txt", "env"}, Names: []string{"Makefile"}, MaxFileBytes: 10000}

// options reads repositories on the disk.
func options(t *testing.T) Options {
	t.Helper()
	return Options{CacheDir: filepath.Join(t.TempDir(), "sources"), Scope: textScope, Access: Access{AllowLocal: true},
		Limits: Limits{MaxBytes: 50 << 20, Timeout: time.Minute, Idle: 30 * time.Second}}
}

// result is what one walk gave.
type result struct {
	commit, branch string
	files          map[string]source.File
	order          []string
	skips          map[string]source.Skip
	count          int
}

func (r result) paths() string { return strings.Join(r.order, " ") }

func open(t *testing.T, r Remote, o Options) *Tree {
	t.Helper()
	tree, err := Open(context.Background(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func read(t *testing.T, tree *Tree) result {
	t.Helper()
	got := result{commit: tree.Revision(), branch: tree.Branch(), files: map[string]source.File{}, skips: map[string]source.Skip{}}
	err := tree.Walk(context.Background(), func(f source.File) error {
		got.files[f.Path] = f
		got.order = append(got.order, f.Path)
		return nil
	}, func(s source.Skip) { got.skips[s.Path] = s })
	if err == nil {
		got.count, err = tree.Count(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// follow opens, reads and closes, as a run does.
func follow(t *testing.T, r Remote, o Options) result {
	t.Helper()
	tree := open(t, r, o)
	defer tree.Close()
	return read(t, tree)
}

// refused opens what must not open, and gives the error.
func refused(t *testing.T, r Remote, o Options) error {
	t.Helper()
	tree, err := Open(context.Background(), r, o)
	if err == nil {
		tree.Close()
		t.Fatalf("%q opened", r)
	}
	return err
}

func wantFault(t *testing.T, err error, code fault.Code, words ...string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("the code is %q, not %q: %v", fault.CodeOf(err), code, err)
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("not a fault: %v", err)
	}
	for _, w := range words {
		if !strings.Contains(f.Public, w) {
			t.Errorf("%q is not in %q (%v)", w, f.Public, err)
		}
	}
}

// copies are the names in the cache folder.
func copies(t *testing.T, o Options) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(o.CacheDir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names
}
