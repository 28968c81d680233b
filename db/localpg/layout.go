//go:build linux

package localpg

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// socketMax is the longest socket path: sun_path has 108 bytes with its NUL
// (unix(7)).
const socketMax = 107

// layout is where the parts of the server are; doc.go describes them.
type layout struct{ home, data, run, dist string }

func (l layout) file(name string) string { return filepath.Join(l.home, name) }

// locate decides the places for o under account a. dir is o.Dir and alt its
// replacement, both resolved.
func locate(ctx context.Context, o Options, a account, dir, alt string) (layout, error) {
	home, why, err := choose(ctx, a, dir, alt)
	if err != nil {
		return layout{}, err
	}
	if home != dir {
		o.logf("the private database is in %q, because %v", home, why)
	}
	l := layout{
		home: home,
		data: filepath.Join(home, "data"),
		run:  socketDir(home, a.uid),
		dist: filepath.Join(home, "dist"),
	}
	if uid := ownerOf(l.data); uid >= 0 && uid != a.uid {
		return layout{}, fmt.Errorf("%q belongs to user id %d, but the server would run as user id %d; set BOR_PG_USER to its owner, or BOR_DATA_DIR to another folder", l.data, uid, a.uid)
	}
	if o.DistDir != "" {
		if l.dist, err = resolve(o.DistDir); err != nil {
			return layout{}, err
		}
		if a.runs(ctx, filepath.Join(privateBin(l.dist), "postgres")) {
			return l, nil
		}
		if why := a.usable(ctx, l.dist); why != nil {
			l.dist = filepath.Join(fallback(l.dist), "dist")
		}
	}
	return l, nil
}

// choose takes dir, or alt when dir cannot be used, and says why. A cluster that
// is there already decides: it is never left behind for an empty one.
func choose(ctx context.Context, a account, dir, alt string) (home string, why, err error) {
	why = a.usable(ctx, dir)
	if ownerOf(filepath.Join(dir, "data")) == a.uid {
		if why != nil {
			err = fmt.Errorf("the private database in %q cannot be used: %w; correct that, or set BOR_DATA_DIR to another folder", dir, why)
		}
		return dir, nil, err
	}
	if ownerOf(filepath.Join(alt, "data")) == a.uid && why == nil {
		why = errors.New("it was made there earlier")
	}
	if why == nil {
		return dir, nil, nil
	}
	if err := a.usable(ctx, alt); err != nil {
		return "", nil, fmt.Errorf("there is no place for the private database: %w, and %w; set BOR_DATA_DIR to a folder that can be used", why, err)
	}
	return alt, why, nil
}

// usable tells why the server could not live in path, or nil.
func (a account) usable(ctx context.Context, path string) error {
	if !filepath.IsAbs(path) {
		return errors.New("neither XDG_STATE_HOME nor HOME names a folder")
	}
	if odd(path) {
		return fmt.Errorf("the name %q has characters that PostgreSQL's programs cannot cope with", path)
	}
	near := existing(path)
	if fi, err := os.Stat(near); err != nil || !fi.IsDir() {
		return fmt.Errorf("%q is not a folder", near)
	}
	if err := unix.Faccessat(unix.AT_FDCWD, near, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("%q cannot be written (%v)", near, err)
	}
	if a.drop && !a.runs(ctx, near) {
		return fmt.Errorf("%q cannot be reached by the account that runs PostgreSQL (user id %d)", near, a.uid)
	}
	return nil
}

// runs tells whether the account may pass through folder path, or run the
// program there.
func (a account) runs(ctx context.Context, path string) bool {
	return a.command(ctx, "test", "-x", path).Run() == nil
}

// odd tells whether path would break a configuration file, a search path, a
// connection string or initdb.
func odd(path string) bool {
	return !utf8.ValidString(path) || strings.ContainsAny(path, "\"'\\$`,:;%") || strings.ContainsFunc(path, unicode.IsControl)
}

// existing is path, or the nearest folder above it that is there.
func existing(path string) string {
	for path != filepath.Dir(path) {
		if _, err := os.Lstat(path); err == nil {
			break
		}
		path = filepath.Dir(path)
	}
	return path
}

// resolve makes path absolute and free of links, so that all processes agree on
// it and /proc shows the same name; the path's end need not exist yet.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	near := existing(abs)
	real, err := filepath.EvalSymlinks(near)
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, err)
	}
	return filepath.Join(real, strings.TrimPrefix(abs, near)), nil
}

// fallback is where to go when dir cannot be used; the same for every process
// of this user.
func fallback(dir string) string {
	base := "/var/lib"
	if os.Geteuid() != 0 {
		base = os.Getenv("XDG_STATE_HOME")
		if !filepath.IsAbs(base) { // to be ignored, says the XDG base directory specification
			home, _ := os.UserHomeDir() // without HOME the result is relative: see usable
			base = filepath.Join(home, ".local", "state")
		}
	}
	alt := filepath.Join(base, "bor-pg", hash(dir))
	if real, err := resolve(alt); err == nil && filepath.IsAbs(alt) {
		return real
	}
	return alt
}

// socketDir is the socket's folder: below home, or when that path is too long
// for a socket, in /tmp, whatever TMPDIR is, as all processes must agree.
func socketDir(home string, uid int) string {
	dir := filepath.Join(home, "run")
	if len(dir)+len("/.s.PGSQL.")+len(port) > socketMax {
		dir = "/tmp/bor-pg-" + strconv.Itoa(uid) + "-" + hash(home)
	}
	return dir
}

func hash(path string) string {
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("%x", sum[:8])
}
