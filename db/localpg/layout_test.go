//go:build linux

package localpg

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// me is an account that needs no change of user.
var me = account{uid: os.Geteuid(), gid: os.Getegid()}

func TestOdd(t *testing.T) {
	for path, want := range map[string]bool{
		"/srv/bor": false, "/späte Nächte": false, "/[x] (1) & #?*+@!~=": false,
		`/it's`: true, `/"q"`: true, "/a:b": true, "/a,b": true, "/a%b": true, "/a;b": true, "/$HOME": true, "/`x`": true, `/a\b`: true,
		"/a\nb": true, "/a\tb": true, "/\xff": true,
	} {
		if got := odd(path); got != want {
			t.Errorf("odd(%q) = %v", path, got)
		}
	}
}

func TestPlain(t *testing.T) {
	for path, want := range map[string]bool{"/srv/bor-1.0_x+y": true, "/a b": false, "/ä": false, "/a[1]": false, `/a"`: false, "": false} {
		if got := plain(path); got != want {
			t.Errorf("plain(%q) = %v", path, got)
		}
	}
}

// A cluster in place decides; otherwise the wanted folder, if it can be used.
// The unusable one has an odd name, as root may write everywhere.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name             string
		odd              bool
		inDir, inAlt     bool
		want, why, fails string
	}{
		{name: "new", want: "dir"},
		{name: "cannot", odd: true, want: "alt", why: "characters"},
		{name: "in use", inDir: true, want: "dir"},
		{name: "in use and made elsewhere too", inDir: true, inAlt: true, want: "dir"},
		{name: "made elsewhere when it could not", inAlt: true, want: "alt", why: "earlier"},
		{name: "cannot any more", odd: true, inDir: true, fails: "cannot be used"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent := t.TempDir()
			dir, alt := filepath.Join(parent, "dir"), filepath.Join(parent, "alt")
			if c.odd {
				dir += ":"
			}
			for home, has := range map[string]bool{dir: c.inDir, alt: c.inAlt} {
				if has {
					if err := os.MkdirAll(filepath.Join(home, "data"), 0o700); err != nil {
						t.Fatal(err)
					}
				}
			}
			got, why, err := choose(t.Context(), me, dir, alt)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) || !strings.Contains(err.Error(), "BOR_DATA_DIR") {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSuffix(filepath.Base(got), ":") != c.want {
				t.Errorf("chose %s, want %s", got, c.want)
			}
			if (why == nil) != (c.why == "") || why != nil && !strings.Contains(why.Error(), c.why) {
				t.Errorf("because %v, want %q", why, c.why)
			}
		})
	}
	if _, _, err := choose(t.Context(), me, "/a:b", "/c:d"); err == nil || !strings.Contains(err.Error(), "no place") {
		t.Errorf("neither can be used: %v", err)
	}
	if _, _, err := choose(t.Context(), me, "/a:b", "relative"); err == nil || !strings.Contains(err.Error(), "HOME") {
		t.Errorf("no home: %v", err)
	}
}

// What stands in the way is named.
func TestUsable(t *testing.T) {
	parent := t.TempDir()
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(parent, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	other, refusal := me, "cannot be written"
	if os.Geteuid() == 0 { // who may write everywhere
		nobody, err := lookup(t.Context(), "nobody")
		if err != nil {
			t.Fatal(err)
		}
		other, refusal = nobody, "cannot be reached"
	}
	for path, want := range map[string]string{
		filepath.Join(closed, "x", "y"): refusal,
		file:                            "not a folder",
		filepath.Join(file, "x"):        "not a folder",
		"relative":                      "HOME",
	} {
		if err := other.usable(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if err := me.usable(t.Context(), filepath.Join(parent, "x", "y")); err != nil {
		t.Error(err)
	}
	if err := me.makeDirs(filepath.Join(file, "x")); err == nil {
		t.Error("made a folder in a file")
	}
	if err := me.makeDirs(file); err == nil {
		t.Error("a file passed for a folder")
	}
}

func TestLocate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pg")
	l, err := locate(t.Context(), Options{Dir: dir}, me, dir, "/nonexistent")
	if err != nil {
		t.Fatal(err)
	}
	if want := (layout{dir, dir + "/data", socketDir(dir, me.uid), dir + "/dist"}); l != want {
		t.Errorf("got %+v, want %+v", l, want)
	}

	// The server's account cannot use this folder for its programs.
	l, err = locate(t.Context(), Options{Dir: dir, DistDir: dir + "/odd:dist"}, me, dir, "/nonexistent")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(fallback(dir+"/odd:dist"), "dist"); l.dist != want {
		t.Errorf("programs in %s, want %s", l.dist, want)
	}

	// A cluster of another user is not touched.
	if err := os.MkdirAll(dir+"/data", 0o700); err != nil {
		t.Fatal(err)
	}
	other := account{uid: me.uid + 1}
	if _, err := locate(t.Context(), Options{Dir: dir}, other, dir, "/nonexistent"); err == nil || !strings.Contains(err.Error(), "BOR_PG_USER") {
		t.Errorf("someone else's cluster: %v", err)
	}

	// The log says when the folder is another.
	var said []string
	log := func(line string) { said = append(said, line) }
	if _, err = locate(t.Context(), Options{Log: log}, me, dir+"/a:b", dir+"/alt"); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], dir+"/alt") {
		t.Errorf("said %q", said)
	}
}

func TestSocketDir(t *testing.T) {
	fits := "/" + strings.Repeat("x", socketMax-len("//run/.s.PGSQL.5432"))
	if got := socketDir(fits, 1000); got != fits+"/run" {
		t.Errorf("a path that just fits: %s", got)
	}
	got := socketDir(fits+"x", 4294967295)
	if !strings.HasPrefix(got, "/tmp/bor-pg-4294967295-") || len(got)+len("/.s.PGSQL.5432") > socketMax {
		t.Errorf("a path that is one too long: %s", got)
	}
	if other := socketDir(fits+"y", 4294967295); other == got {
		t.Error("two folders share a socket")
	}
}

func TestFallback(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	base := "/var/lib/bor-pg"
	if os.Geteuid() != 0 {
		base = state + "/bor-pg"
	}
	a, b := fallback("/a"), fallback("/b")
	if filepath.Dir(a) != base || a == b || a != fallback("/a") {
		t.Errorf("%s, %s", a, b)
	}
}

func TestResolve(t *testing.T) {
	parent, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(parent+"/real", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", parent+"/link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", parent+"/dangling"); err != nil {
		t.Fatal(err)
	}
	if got, err := resolve(parent + "/link/not/yet"); got != parent+"/real/not/yet" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := resolve(parent + "/dangling/x"); err == nil {
		t.Error("a dangling link: no error")
	}
	t.Chdir(parent)
	if got, err := resolve("link"); got != parent+"/real" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func TestPickAccount(t *testing.T) {
	if os.Geteuid() != 0 {
		if a, err := pickAccount(t.Context(), "root", t.TempDir()); a != me || err != nil {
			t.Errorf("an ordinary user runs its own server: %+v, %v", a, err)
		}
		return
	}
	nobody, err := lookup(t.Context(), "nobody")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"nobody", strconv.Itoa(nobody.uid)} {
		if a, err := pickAccount(t.Context(), want, t.TempDir()); a != nobody || err != nil {
			t.Errorf("wanted %s: %+v, %v", want, a, err)
		}
	}
	for _, want := range []string{"root", "0", "no such account"} {
		if _, err := pickAccount(t.Context(), want, t.TempDir()); err == nil || !strings.Contains(err.Error(), "BOR_PG_USER") {
			t.Errorf("wanted %s: %v", want, err)
		}
	}
	a, err := pickAccount(t.Context(), "", t.TempDir())
	if err != nil || a.uid == 0 || !a.drop {
		t.Errorf("by itself: %+v, %v", a, err)
	}

	// The owner of the folder, also when root made something in it; then the
	// owner of the cluster.
	owned := folder(t)
	if err := os.Chown(owned, nobody.uid, nobody.gid); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(owned, "data", "postgres")
	if err := os.Mkdir(filepath.Dir(made), 0o755); err != nil {
		t.Fatal(err)
	}
	if a, err := pickAccount(t.Context(), "", made); a != nobody || err != nil {
		t.Errorf("in someone's folder: %+v, %v", a, err)
	}
	if err := nobody.makeDirs(made); err != nil {
		t.Fatal(err)
	}
	f, err := nobody.openFile(filepath.Join(made, "file"), os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, path := range []string{made, f.Name()} {
		if ownerOf(path) != nobody.uid {
			t.Errorf("%s belongs to %d: its owner cannot go on without root", path, ownerOf(path))
		}
	}
	alt := folder(t)
	if err := os.Mkdir(alt+"/data", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(alt+"/data", nobody.uid, nobody.gid); err != nil {
		t.Fatal(err)
	}
	if a, err := pickAccount(t.Context(), "", folder(t), alt); a != nobody || err != nil {
		t.Errorf("the owner of a cluster: %+v, %v", a, err)
	}
}

func TestOpenFileFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/precious", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("precious", dir+"/postgres.log"); err != nil {
		t.Fatal(err)
	}
	if _, err := me.openFile(dir+"/postgres.log", os.O_WRONLY|os.O_TRUNC, 0o600); err == nil {
		t.Error("opened a link")
	}
}

// Someone else's folder, or one that others may enter, is no place for a socket.
func TestMakeRunDir(t *testing.T) {
	dir := t.TempDir()
	for name, prepare := range map[string]func(path string) error{
		"open": func(path string) error { return errors.Join(os.Mkdir(path, 0o755), os.Chmod(path, 0o755)) },
		"link": func(path string) error { return os.Symlink(dir, path) },
		"file": func(path string) error { return os.WriteFile(path, nil, 0o700) },
	} {
		s := &Server{acct: me, layout: layout{run: filepath.Join(dir, name)}}
		if err := prepare(s.run); err != nil {
			t.Fatal(err)
		}
		if err := s.makeRunDir(); err == nil || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := &Server{acct: me, layout: layout{run: filepath.Join(dir, "new")}}
	for range 2 {
		if err := s.makeRunDir(); err != nil {
			t.Error(err)
		}
	}
}

func TestServerConf(t *testing.T) {
	durable, fast := serverConf("/a b", false), serverConf("/a b", true)
	for _, line := range []string{"listen_addresses = ''\n", "unix_socket_directories = '\"/a b\"'\n", "unix_socket_permissions = 0700\n", "max_parallel_maintenance_workers = 0\n"} {
		if !strings.Contains(durable, line) || !strings.Contains(fast, line) {
			t.Errorf("missing: %s", line)
		}
	}
	if strings.Contains(durable, "fsync") || !strings.Contains(fast, "fsync = off\n") {
		t.Error("fsync is off exactly for tests")
	}
}
