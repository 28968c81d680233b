package source

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var textScope = Scope{
	Extensions:   []string{"md", "txt", "env", "socket", "pem"},
	Names:        []string{"Dockerfile"},
	MaxFileBytes: 1000,
}

// tree writes files below a new directory; a name that ends in a slash is a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755)) // for unprivileged
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string, scope Scope) *Dir {
	t.Helper()
	d, err := Local(dir, scope)
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// result is what one walk gave.
type result struct {
	files []File
	skips []Skip
}

func (r result) paths() (paths []string) {
	for _, f := range r.files {
		paths = append(paths, f.Path)
	}
	return paths
}

func (r result) skipped() (list []string) {
	for _, s := range r.skips {
		list = append(list, string(s.Kind)+" "+s.Path)
	}
	return list
}

func walk(t *testing.T, d *Dir) result {
	t.Helper()
	var r result
	must(t, d.Walk(context.Background(), func(f File) error {
		r.files = append(r.files, f)
		return nil
	}, func(s Skip) { r.skips = append(r.skips, s) }))
	return r
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestWalk(t *testing.T) {
	dir := tree(t, map[string]string{
		"b.md": "# B\r\n\x0b no final newline", "a/z.txt": "z", "a/Z.TXT": "Z", "a.md": "", "Dockerfile": "FROM x\n", "ü#:`\n.md": "odd name",
		"other.exe": "MZ", "Makefile": "x", ".hidden.md": "x", ".git/config.md": "x", "node_modules/x/a.md": "x",
		"__pycache__/a.md": "x", "sub/dist/a.md": "x", "build/a.md": "x", "vendor/a.md": "x", "target/a.md": "x",
		"lost+found/a.md": "x", "empty/": "", "builder/a.md": "kept",
	})
	d := open(t, dir, textScope)
	r := walk(t, d)
	want(t, "files", r.paths(), "Dockerfile", "a/Z.TXT", "a/z.txt", "a.md", "b.md", "builder/a.md", "ü#:`\n.md")
	want(t, "skips", r.skipped())

	f := r.files[4]
	const content = "# B\r\n\x0b no final newline"
	info, err := os.Stat(filepath.Join(dir, "b.md"))
	must(t, err)
	if f.Text != content || f.SHA256 != sha256.Sum256([]byte(content)) || f.Size != int64(len(content)) ||
		!f.ModTime.Equal(info.ModTime()) || f.Encoding != UTF8 || f.Image != nil {
		t.Errorf("b.md came as %+v", f)
	}
	if n, err := d.Count(context.Background()); n != 7 || err != nil {
		t.Errorf("Count = %d, %v; want 7", n, err)
	}
	if again := walk(t, d); !slices.Equal(again.paths(), r.paths()) {
		t.Errorf("a second walk gave another order: %q", again.paths())
	}
}

func TestWalkReportsBytes(t *testing.T) {
	utf16 := string(encodeUTF16("# Wide\n", binary.LittleEndian))
	dir := tree(t, map[string]string{
		"big.md": strings.Repeat("x", 1001), "fits.md": strings.Repeat("x", 1000), "nul.md": "a\x00", "latin.md": "\xe4",
		"wide.md": utf16, "bom.md": "\uFEFFx", "half.md": "\xff\xfea", "big.exe": strings.Repeat("x", 1001),
	})
	r := walk(t, open(t, dir, textScope))
	want(t, "files", r.paths(), "bom.md", "fits.md", "wide.md")
	want(t, "skips", r.skipped(), "too_big big.md", "not_text half.md", "not_text latin.md", "nul nul.md")
	if f := r.files[0]; f.Text != "\uFEFFx" || f.Encoding != UTF8BOM {
		t.Errorf("bom.md came as %q, %s", f.Text, f.Encoding)
	}
	if f := r.files[2]; f.Text != "# Wide\n" || f.Encoding != UTF16LE || f.SHA256 != sha256.Sum256([]byte(utf16)) || f.Size != int64(len(utf16)) {
		t.Errorf("wide.md came as %+v", f)
	}
	if reason := r.skips[0].Reason; !strings.Contains(reason, "1001") || !strings.Contains(reason, "1000") {
		t.Errorf("the reason %q does not give both sizes", reason)
	}
	unbounded := textScope
	unbounded.MaxFileBytes = 0
	if paths := walk(t, open(t, dir, unbounded)).paths(); !slices.Contains(paths, "big.md") {
		t.Errorf("without a bound, big.md is missing: %q", paths)
	}
}

func TestWalkBigFiles(t *testing.T) {
	line := strings.Repeat("x", 10<<20)
	dir := tree(t, map[string]string{"line.txt": line, "over.txt": line + "x"})
	scope := textScope
	scope.MaxFileBytes = 10 << 20
	r := walk(t, open(t, dir, scope))
	want(t, "files", r.paths(), "line.txt")
	want(t, "skips", r.skipped(), "too_big over.txt")
	if r.files[0].Text != line {
		t.Error("the 10 MB line did not come exactly")
	}
}

func TestWalkSecrets(t *testing.T) {
	key := pemText(t, "PRIVATE KEY", nil)
	files := map[string]string{
		".env": "A=1", "sub/.ENV": "A=1", ".npmrc": "x", "id_rsa": "x", "x.tfstate": "{}", "x.tfstate.backup": "{}",
		"prod.env": "A=1", "server.pem": key, "notes.md": "key:\n" + key, "wide.md": string(encodeUTF16(key, binary.BigEndian)),
		".env.local": "A=1", ".ssh/id_rsa": key, "vendor/.env": "A=1", "old/.env": "A=1",
	}
	scope := textScope
	scope.Ignore = []string{"old/"}
	dir := tree(t, files)
	r := walk(t, open(t, dir, scope))
	want(t, "files", r.paths(), "prod.env")
	want(t, "skips", r.skipped(), "secret .env", "secret .npmrc", "secret id_rsa", "secret notes.md", "secret server.pem",
		"secret sub/.ENV", "secret wide.md", "secret x.tfstate", "secret x.tfstate.backup")

	scope.AllowSecrets = []string{".env", "notes.md", "id_rsa", ".ssh/id_rsa", "vendor/.env", "old/.env"}
	r = walk(t, open(t, dir, scope))
	want(t, "allowed files", r.paths(), ".env", "id_rsa", "notes.md", "prod.env")
	if r.files[2].Text != files["notes.md"] {
		t.Error("an allowed secret does not come exactly")
	}
}

func TestWalkIgnores(t *testing.T) {
	dir := tree(t, map[string]string{"old.md": "x", "older/a.md": "x", "new/old.md": "x", "drafts/a.md": "x", "drafts.md": "x", "a/b/c.md": "x"})
	scope := textScope
	scope.Ignore = []string{"old", "drafts/", "/a/b"}
	r := walk(t, open(t, dir, scope))
	want(t, "files", r.paths(), "drafts.md", "new/old.md")
	want(t, "skips", r.skipped())
}

func TestWalkLinks(t *testing.T) {
	outside := tree(t, map[string]string{"secret.md": "outside", "d/x.md": "outside"})
	dir := tree(t, map[string]string{"real.md": "x", "d/in.md": "x", ".env": "A=1"})
	for name, target := range map[string]string{
		"abs.md": filepath.Join(outside, "secret.md"), "up.md": "../" + filepath.Base(outside) + "/secret.md", "out": outside,
		"nothing.md": "gone.md", "loop.md": "loop.md", "loop": "loop", "inner.md": "real.md", "innerdir": "d", "self": ".",
		"inner.exe": "real.md", "sneaky.md": ".env", ".hidden": outside, "d/up": "..", "d/parent.md": "../real.md", "nothing.exe": "gone",
	} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	r := walk(t, open(t, dir, textScope))
	want(t, "files", r.paths(), "d/in.md", "real.md")
	want(t, "skips", r.skipped(), "secret .env", "symlink abs.md", "symlink d/parent.md", "symlink d/up", "symlink inner.md",
		"symlink innerdir", "symlink loop.md", "symlink nothing.md", "symlink out", "symlink self", "symlink sneaky.md", "symlink up.md")
	reasons := map[string]string{}
	for _, s := range r.skips {
		reasons[s.Path] = s.Reason
	}
	for path, words := range map[string]string{
		"abs.md": "leaves the source", "up.md": "leaves the source", "out": "leaves the source", "nothing.md": "to nothing",
		"loop.md": "circle", "inner.md": "own path", "innerdir": "folder", "self": "folder",
	} {
		if !strings.Contains(reasons[path], words) {
			t.Errorf("%s: the reason %q does not say %q", path, reasons[path], words)
		}
	}
	through := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, through))
	want(t, "files below a linked directory", walk(t, open(t, through, textScope)).paths(), "d/in.md", "real.md")
}

func TestWalkSpecialFiles(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "x"})
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o644))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	r := walk(t, open(t, dir, textScope))
	want(t, "files", r.paths(), "a.md")
	want(t, "skips", r.skipped(), "special pipe.md")
}

func TestWalkNames(t *testing.T) {
	long := strings.Repeat("ü", 120)
	deep := strings.Repeat(long+"/", 8) // 968 characters
	files := map[string]string{
		deep + strings.Repeat("a", 29) + ".md": "exactly 1000", deep + strings.Repeat("a", 30) + ".md": "over",
		deep + strings.Repeat("d", 40) + "/x.md": "over", "bad\xff.md": "x", "bad\xff.exe": "x", "caf\xe9/x.md": "x", ".bad\xff.md": "x",
	}
	r := walk(t, open(t, tree(t, files), textScope))
	want(t, "files", r.paths(), deep+strings.Repeat("a", 29)+".md")
	want(t, "skips", r.skipped(), `bad_name bad\xff.md`, `bad_name caf\xe9`,
		"long_path "+deep+strings.Repeat("a", 30)+".md", "long_path "+deep+strings.Repeat("d", 40))
}

func TestWalkImages(t *testing.T) {
	dir := tree(t, map[string]string{"a.png": "\x89PNG\x00\xff", "B.JPG": "jpg", "a.md": "x", "big.gif": strings.Repeat("x", 1001), "a.svg": "x"})
	want(t, "files without images", walk(t, open(t, dir, textScope)).paths(), "a.md")
	scope := textScope
	scope.Images = true
	r := walk(t, open(t, dir, scope))
	want(t, "files", r.paths(), "B.JPG", "a.md", "a.png")
	want(t, "skips", r.skipped(), "too_big big.gif")
	if f := r.files[2]; string(f.Image) != "\x89PNG\x00\xff" || f.Text != "" || f.Encoding != "" {
		t.Errorf("a.png came as %+v", f)
	}
}

func TestLocalRefuses(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "x"})
	for _, name := range []string{"relative/dir", "", filepath.Join(dir, "missing"), filepath.Join(dir, "a.md")} {
		d, err := Local(name, textScope)
		if err == nil {
			d.Close()
			t.Errorf("Local(%q) opened", name)
		} else if !strings.Contains(err.Error(), name) {
			t.Errorf("Local(%q): the error %q does not name it", name, err)
		}
	}
}

// unprivileged runs f as a user for whom mode bits count, also when the tests run as root: the user id for file
// access belongs to the thread.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	must(t, syscall.Setfsuid(65534))
	defer syscall.Setfsuid(0)
	f()
}

func TestWalkUnreadableFile(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "x", "b.md": "x", "closed.md": "x", "z.md": "x"})
	must(t, os.Chmod(filepath.Join(dir, "closed.md"), 0))
	d := open(t, dir, textScope)
	d.ahead = 0 // other threads have their privileges
	unprivileged(t, func() {
		r := walk(t, d)
		want(t, "files", r.paths(), "a.md", "b.md", "z.md")
		want(t, "skips", r.skipped(), "unreadable closed.md")
		if s := r.skips[0]; !strings.Contains(s.Reason, "permission denied") || !s.Kind.Transient() || KindSecret.Transient() {
			t.Errorf("the skip is %+v", s)
		}
	})
}

func TestWalkUnreadableFolder(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "x", "closed/b.md": "x", "z.md": "x"})
	closed := filepath.Join(dir, "closed")
	must(t, os.Chmod(closed, 0))
	t.Cleanup(func() { os.Chmod(closed, 0o755) })
	must(t, os.Symlink("closed/b.md", filepath.Join(dir, "blocked.md")))
	d := open(t, dir, textScope)
	ignoring := textScope
	ignoring.Ignore = []string{"closed/"}
	around := open(t, dir, ignoring)
	unprivileged(t, func() {
		_, countErr := d.Count(context.Background())
		walkErr := d.Walk(context.Background(), func(File) error { return nil }, func(Skip) {})
		for _, err := range []error{countErr, walkErr} {
			if err == nil || !strings.Contains(err.Error(), `"./closed"`) || !strings.Contains(err.Error(), "permission denied") {
				t.Errorf("the error is %v", err)
			}
		}
		r := walk(t, around)
		want(t, "files around an ignored folder", r.paths(), "a.md", "z.md")
		want(t, "skips", r.skipped(), "symlink blocked.md")
	})
}
