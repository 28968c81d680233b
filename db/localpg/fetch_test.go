//go:build linux

package localpg

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scriptTools puts an apt-get and a dpkg-deb of our own before the system's, so
// that the ways an archive can fail are tried without one. They append their
// arguments to <dir>/calls. apt-get fails an update whose sources hold the word
// in $REFUSE, saying $REFUSAL. Each package unpacks to a loader, a server and
// initdb; postgres_link says where its library is.
func scriptTools(t *testing.T) (dir string) {
	t.Helper()
	dir = folder(t)
	script(t, filepath.Join(dir, "apt-get"), `
echo "apt-get $*" >>"`+dir+`/calls"
case " $* " in
*" update "*)
	conf=${2%/apt.conf}
	if [ -n "$REFUSE" ] && grep -q "$REFUSE" "$conf/sources.list"; then echo "$REFUSAL"; exit 100; fi ;;
*" download debian-archive-keyring "*) touch debian-archive-keyring_1_all.deb ;;
*" download "*)
	shift 3
	for p; do [ "$p" = "$MISSING" ] || touch "${p}_1_amd64.deb"; done ;;
esac`)
	script(t, filepath.Join(dir, "dpkg-deb"), `
[ "$BROKEN" = "" ] || { echo "corrupt archive" >&2; exit 2; }
cd "$3"
case $2 in
*/debian-archive-keyring_*) mkdir -p usr/share/keyrings && touch usr/share/keyrings/debian-archive-keyring.gpg ;;
*/postgresql-17_*)
	mkdir -p usr/lib/postgresql/17/bin usr/lib/postgresql/17/lib/bitcode usr/share/man
	touch usr/lib/postgresql/17/lib/llvmjit.so
	for p in postgres initdb; do echo "program $p" >usr/lib/postgresql/17/bin/$p; done ;;
*/libc6_*)
	mkdir -p usr/lib/x86_64-linux-gnu
	ld=usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
	cat >$ld <<'END'
#!/bin/sh
if [ "$4" = --list ]; then echo "	libc.so.6 => ${STRAY:-$3/libc.so.6} (0x1)"; exit; fi
for a; do printf '[%s]' "$a"; done
END
	chmod 755 $ld ;;
esac`)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

func script(t *testing.T, path, body string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// fetcher is a server whose binaries are still to be fetched, below parent.
func fetcher(parent string) *Server {
	return &Server{acct: me, opts: Options{Mirror: "http://mirror.example/debian/"}, layout: layout{dist: filepath.Join(parent, "dist")}}
}

func calls(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestFetch(t *testing.T) {
	for _, name := range []string{"plain", "späte Nächte [x]"} {
		t.Run(name, func(t *testing.T) {
			tools := scriptTools(t)
			parent := filepath.Join(folder(t), name)
			if err := os.MkdirAll(parent+"/dist.tmp-killed/half", 0o755); err != nil {
				t.Fatal(err)
			}
			s := fetcher(parent)
			for range 2 { // the second finds everything in place
				if err := s.ensureDist(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := calls(t, tools); len(got) != 2 || !strings.HasSuffix(got[0], " update") || !strings.HasSuffix(got[1], " download "+strings.Join(packages, " ")) {
				t.Errorf("calls: %q", got)
			}
			left, err := os.ReadDir(parent)
			if err != nil {
				t.Fatal(err)
			}
			if len(left) != 2 || left[0].Name() != "dist" || left[1].Name() != "dist.lock" {
				t.Errorf("left: %v", left)
			}
			for _, gone := range []string{"usr/lib/postgresql/17/lib/llvmjit.so", "usr/lib/postgresql/17/lib/bitcode", "usr/share/man"} {
				if _, err := os.Stat(filepath.Join(s.dist, gone)); err == nil {
					t.Errorf("%s was kept", gone)
				}
			}

			// The wrapped program runs with the private loader and libraries, wherever
			// the folder has been moved to.
			moved := filepath.Join(parent, "moved $HOME `x` \" '")
			if err := os.Rename(s.dist, moved); err != nil {
				t.Fatal(err)
			}
			prog := filepath.Join(privateBin(moved), "postgres")
			out, err := exec.Command(prog, "-D", "a b").CombinedOutput()
			want := "[--inhibit-cache][--library-path][" + moved + "/usr/lib/x86_64-linux-gnu][--argv0][" + prog + "][" + moved + "/usr/lib/postgresql/17/elf/postgres][-D][a b]"
			if string(out) != want || err != nil {
				t.Errorf("ran %s, %v, want %s", out, err, want)
			}
		})
	}
}

func TestFetchFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"no network", map[string]string{"REFUSE": "trixie", "REFUSAL": "Could not connect"}, "Could not connect"},
		{"a package is missing", map[string]string{"MISSING": "libpq5"}, "apt-get brought"},
		{"a broken package", map[string]string{"BROKEN": "yes"}, "corrupt archive"},
		{"a library of the system", map[string]string{"STRAY": "/lib/libc.so.6"}, "libc.so.6 => /lib/libc.so.6"},
		{"a library of nowhere", map[string]string{"STRAY": "not found"}, "libc.so.6 => not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			scriptTools(t)
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			s := fetcher(folder(t))
			if err := s.ensureDist(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error does not say %q: %v", c.want, err)
			}
			if left, _ := os.ReadDir(filepath.Dir(s.dist)); len(left) != 1 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// A mirror without the security updates still has the release.
func TestFetchWithoutSecurityUpdates(t *testing.T) {
	tools := scriptTools(t)
	t.Setenv("REFUSE", "trixie-security")
	t.Setenv("REFUSAL", "The repository does not have a Release file.")
	if err := fetcher(folder(t)).ensureDist(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := calls(t, tools); len(got) != 3 {
		t.Errorf("calls: %q", got)
	}
}

func TestSecondMirror(t *testing.T) {
	tools := scriptTools(t)
	t.Setenv("REFUSE", "first.example")
	t.Setenv("REFUSAL", "not signed")
	a := apt{dir: folder(t), keyring: "/dev/null"}
	if err := a.download(t.Context(), []mirror{newMirror("http://first.example/debian"), newMirror("http://second.example/debian")}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(a.path("sources.list"))
	want := "deb [signed-by=/dev/null] http://second.example/debian trixie main\n" +
		"deb [signed-by=/dev/null] http://second.example/debian trixie-updates main\n" +
		"deb [signed-by=/dev/null] http://second.example/debian-security trixie-security main\n"
	if string(text) != want || err != nil {
		t.Errorf("sources: %s, %v", text, err)
	}
	if got := calls(t, tools); len(got) != 3 {
		t.Errorf("calls: %q", got)
	}
}

// Ubuntu has not installed Debian's keys, but its archive has them.
func TestMissingKeyring(t *testing.T) {
	scriptTools(t)
	a := apt{dir: folder(t), keyring: "/nonexistent/keys.gpg"}
	if err := a.download(t.Context(), []mirror{newMirror("http://mirror.example/debian")}); err != nil {
		t.Fatal(err)
	}
	if a.keyring != a.dir+"/keys"+keyring {
		t.Errorf("keys are %s", a.keyring)
	}
	text, err := os.ReadFile(a.path("sources.list"))
	if err != nil || !strings.Contains(string(text), "signed-by="+a.keyring) {
		t.Errorf("sources: %s, %v", text, err)
	}
}

func TestSystemMirrors(t *testing.T) {
	for _, c := range []struct {
		release string
		want    []mirror
	}{
		{"NAME=\"Debian GNU/Linux\"\nID=debian\nVERSION_CODENAME=bookworm\n", []mirror{
			{"http://one.example/debian", "http://two.example/debian-security"}, {"http://two.example/debian", "http://two.example/debian-security"}}},
		{"ID=\"debian\"\nVERSION_CODENAME=\"trixie\"\n", nil},
		{"ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=bookworm\n", nil},
		{"", nil},
	} {
		root := t.TempDir()
		for name, text := range map[string]string{
			"etc/os-release":                             c.release,
			"etc/apt/sources.list":                       "deb http://one.example/debian bookworm main\n",
			"etc/apt/sources.list.d/debian.sources":      "Types: deb\nURIs: http://two.example/debian\nSuites: bookworm\nComponents: main\n",
			"etc/apt/sources.list.d/security.list":       "deb http://two.example/debian-security bookworm-security main\n",
			"etc/apt/sources.list.d/old.sources.save":    "Types: deb\nURIs: http://old.example/debian\nSuites: bookworm\nComponents: main\n",
			"etc/apt/sources.list.d/other.list.dpkg-old": "deb http://old.example/debian bookworm main\n",
		} {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := systemMirrors(root); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.release, got, c.want)
		}
	}
}

func TestFetchNeedsApt(t *testing.T) {
	t.Setenv("PATH", folder(t))
	if err := fetcher(folder(t)).ensureDist(t.Context()); err == nil || !strings.Contains(err.Error(), "no apt-get") {
		t.Errorf("without apt-get: %v", err)
	}
}

func TestFetchCancelled(t *testing.T) {
	tools := scriptTools(t)
	fifo := filepath.Join(tools, "started")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(tools, "apt-get"), "echo here >'"+fifo+"'; exec cat '"+fifo+"'")
	ctx, cancel := context.WithCancel(t.Context())
	s := fetcher(folder(t))
	result := make(chan error, 1)
	go func() { result <- s.ensureDist(ctx) }()
	if _, err := os.ReadFile(fifo); err != nil { // apt-get is at work
		t.Fatal(err)
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(s.dist)); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// systemServer makes a folder that looks like an installed server.
func systemServer(t *testing.T, major, vector string, trgm bool) string {
	t.Helper()
	dir := folder(t)
	ext := filepath.Join(dir, "share", "extension")
	if err := os.MkdirAll(ext, 0o755); err != nil {
		t.Fatal(err)
	}
	script(t, dir+"/postgres", "echo 'postgres (PostgreSQL) "+major+".4 (Some 1)'")
	script(t, dir+"/initdb", "")
	script(t, dir+"/pg_config", "echo '"+dir+"/share'")
	files := map[string]string{}
	if vector != "" {
		files["vector.control"] = "default_version = '" + vector + "'\n"
	}
	if trgm {
		files["pg_trgm.control"] = "default_version = '1.6'\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(ext, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSystemServer(t *testing.T) {
	good17, good16 := systemServer(t, "17", "0.8.1", true), systemServer(t, "16", "0.8.0", true)
	unfit := []string{
		"/nonexistent",
		systemServer(t, "17", "", true),
		systemServer(t, "17", "0.7.4", true),
		systemServer(t, "17", "0.8.0", false),
		systemServer(t, "14", "0.8.0", true),
	}
	for _, c := range []struct {
		dirs []string
		want string // the cluster's major version
		dir  string
	}{
		{append(unfit, good17, good16), "", good17},
		{append(unfit, good17, good16), "16", good16},
		{append(unfit, good17), "18", ""},
		{unfit, "", ""},
		{nil, "", ""},
	} {
		if got := me.systemServer(t.Context(), c.dirs, c.want); got != c.dir {
			t.Errorf("of %v for %q: %q, want %q", c.dirs, c.want, got, c.dir)
		}
	}
	broken := systemServer(t, "17", "0.8.0", true)
	script(t, broken+"/pg_config", "exit 1")
	if got := me.vectorVersion(t.Context(), broken); got != "" {
		t.Errorf("a broken pg_config: %q", got)
	}
}

// pg_config on the PATH tells where an unusual server is.
func TestSystemDirs(t *testing.T) {
	dir := folder(t)
	script(t, dir+"/pg_config", "echo /opt/pg/bin")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	dirs := me.systemDirs(t.Context())
	if len(dirs) == 0 || dirs[len(dirs)-1] != "/opt/pg/bin" {
		t.Errorf("%v", dirs)
	}
}

// A cluster of a version that nothing here can open stops the start.
func TestForeignCluster(t *testing.T) {
	dir := folder(t)
	if err := os.WriteFile(dir+"/PG_VERSION", []byte(strconv.Itoa(99)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Server{acct: me, layout: layout{data: dir}}
	if err := s.findBinaries(t.Context()); err == nil || !strings.Contains(err.Error(), "PostgreSQL 99") {
		t.Errorf("%v", err)
	}
}
