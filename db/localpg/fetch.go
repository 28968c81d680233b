//go:build linux

package localpg

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// packages are what the private copy is made of: the server, the extensions,
// and every shared library that they load, the C library and its loader
// included, so that it runs the same on any glibc Linux. checkClosure proves
// that the list is complete.
var packages = strings.Fields(`postgresql-17 postgresql-client-17 postgresql-17-pgvector
	libpq5 libc6 libc-bin libgcc-s1 libstdc++6 zlib1g libzstd1 liblz4-1 liblzma5 libxxhash0
	libicu76 libxml2 libxslt1.1 libssl3t64 libldap2 libsasl2-2 libgssapi-krb5-2 libkrb5-3
	libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1 libpam0g libaudit1 libcap-ng0 libcap2
	libselinux1 libpcre2-8-0 libsystemd0 libuuid1 libreadline8t64 libtinfo6`)

// keyring holds the keys that sign Debian's archive.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// fetch downloads the packages and unpacks them into s.dist, complete or not at
// all. The caller holds the lock beside dist.
func (s *Server) fetch(ctx context.Context) error {
	for _, tool := range []string{"apt-get", "dpkg-deb"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("no PostgreSQL with pgvector %s or newer was found here, and no %s to fetch one with", minVector, tool)
		}
	}
	mirrors := systemMirrors("/")
	if s.opts.Mirror != "" {
		mirrors = []mirror{newMirror(s.opts.Mirror)}
	}
	if len(mirrors) == 0 {
		return fmt.Errorf("no PostgreSQL with pgvector %s or newer was found here, and this machine's apt sources name no Debian mirror to fetch one from", minVector)
	}
	s.opts.logf("fetching PostgreSQL %s and pgvector from Debian %s into %q (about 40 MB, once)", pgMajor, suite, s.dist)
	tmp, err := fresh(s.dist)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	work := filepath.Join(tmp, "apt")
	if !plain(work) {
		if work, err = os.MkdirTemp("", "bor-apt-"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	}
	a := apt{dir: work, keyring: keyring}
	if err := a.download(ctx, mirrors); err != nil {
		return err
	}
	s.opts.logf("unpacking PostgreSQL %s", pgMajor)
	root := filepath.Join(tmp, "root")
	if err := unpack(ctx, filepath.Join(work, "debs"), root); err != nil {
		return err
	}
	if err := wrapPrograms(ctx, root); err != nil {
		return err
	}
	if err := s.settle(root); err != nil {
		return err
	}
	if err := os.RemoveAll(s.dist); err != nil { // remains without a server in them
		return err
	}
	return os.Rename(root, s.dist)
}

// systemMirrors are those that the apt sources of the Debian system at root
// name; another system's lack Debian's packages. See os-release(5).
func systemMirrors(root string) []mirror {
	system := os.DirFS(root)
	release, _ := fs.ReadFile(system, "etc/os-release")
	if submatch(regexp.MustCompile(`(?m)^ID="?([^"\n]*)`), release) != "debian" {
		return nil
	}
	files := []string{"etc/apt/sources.list"}
	for _, ext := range []string{"list", "sources"} {
		found, _ := fs.Glob(system, "etc/apt/sources.list.d/*."+ext) // the pattern is well formed
		files = append(files, found...)
	}
	var all []source
	for _, file := range files {
		text, _ := fs.ReadFile(system, file) // a missing one names nothing
		all = append(all, parseSources(file, string(text))...)
	}
	return debianMirrors(all, submatch(regexp.MustCompile(`(?m)^VERSION_CODENAME="?([^"\n]*)`), release))
}

// unpack extracts all packages in debs side by side into root and leaves out
// what the server does not need.
func unpack(ctx context.Context, debs, root string) error {
	files, err := fs.Glob(os.DirFS(debs), "*.deb")
	if err != nil {
		return err
	}
	if len(files) < len(packages) {
		return fmt.Errorf("apt-get brought %d of %d packages", len(files), len(packages))
	}
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for _, file := range files {
		g.Go(func() error { return run(ctx, root, "dpkg-deb", "-x", filepath.Join(debs, file), root) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	lib := filepath.Join("usr/lib/postgresql", pgMajor, "lib")
	drop, err := fs.Glob(os.DirFS(root), lib+"/llvmjit*") // would need 35 MB of LLVM
	if err != nil {
		return err
	}
	for _, path := range append(drop, lib+"/bitcode", "usr/share/man", "usr/share/doc", "usr/share/locale") {
		if err := os.RemoveAll(filepath.Join(root, path)); err != nil {
			return err
		}
	}
	return nil
}

// settle makes the copy at root durable and gives it to its owner.
func (s *Server) settle(root string) error {
	if err := os.Chmod(root, 0o755); err != nil {
		return err
	}
	dir, err := os.Open(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := unix.Syncfs(int(dir.Fd())); err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return s.acct.give(path)
	})
}

// fresh makes an empty folder beside dir to build it in, and removes what
// killed runs left. A child of theirs may still be writing there, so the name
// is new each time.
func fresh(dir string) (string, error) {
	parent, prefix := filepath.Dir(dir), filepath.Base(dir)+".tmp"
	old, err := os.ReadDir(parent)
	if err != nil {
		return "", err
	}
	for _, e := range old {
		if strings.HasPrefix(e.Name(), prefix) {
			os.RemoveAll(filepath.Join(parent, e.Name())) // best effort
		}
	}
	return os.MkdirTemp(parent, prefix)
}

// run runs a command of the system in dir; its error ends with what it said.
func run(ctx context.Context, dir, name string, args ...string) error {
	c := sessionCommand(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	if out, err := c.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, tail(out))
	}
	return nil
}

// tail is the last lines of a program's output.
func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
