//go:build linux

package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// account is who the server runs as, and who its files belong to.
type account struct {
	uid, gid int
	drop     bool // we are root, so the server's programs change to this account
}

// pickAccount chooses the account: ourselves, or for root, to whom PostgreSQL
// refuses to listen, the wanted one, the owner of a cluster in one of homes, the
// owner of the first home, postgres, nobody. initdb insists on a passwd entry.
func pickAccount(ctx context.Context, want string, homes ...string) (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	if want != "" {
		a, err := lookup(ctx, want)
		if err != nil {
			return account{}, fmt.Errorf("BOR_PG_USER=%q cannot run PostgreSQL: %w", want, err)
		}
		return a, nil
	}
	var names []string
	for _, home := range homes {
		if uid := ownerOf(filepath.Join(home, "data")); uid > 0 {
			names = append(names, strconv.Itoa(uid))
		}
	}
	var failed error
	for _, name := range append(names, strconv.Itoa(folderOwner(homes[0])), "postgres", "nobody") {
		a, err := lookup(ctx, name)
		if err == nil {
			return a, nil
		}
		failed = fmt.Errorf("%s: %w", name, err)
	}
	return account{}, fmt.Errorf("PostgreSQL refuses to run as root and there is no ordinary account for it (%w); set BOR_PG_USER to one", failed)
}

// lookup finds an ordinary account by name or number, which we can change to:
// in a container root may not.
func lookup(ctx context.Context, name string) (account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		if u, err = user.LookupId(name); err != nil {
			return account{}, errors.New("this machine has no such account")
		}
	}
	uid, _ := strconv.Atoi(u.Uid) // numbers on every Unix
	gid, _ := strconv.Atoi(u.Gid)
	if uid == 0 {
		return account{}, errors.New("PostgreSQL refuses to run as root")
	}
	a := account{uid: uid, gid: gid, drop: true}
	if err := a.command(ctx, "true").Run(); err != nil {
		return account{}, fmt.Errorf("cannot run programs as user id %d: %w", uid, err)
	}
	return a, nil
}

// ownerOf is the user id that owns path, or -1.
func ownerOf(path string) int {
	fi, err := os.Lstat(path)
	if err != nil {
		return -1
	}
	return int(fi.Sys().(*syscall.Stat_t).Uid)
}

// folderOwner is the first ordinary user that path or a folder above it belongs
// to, or 0: what root once made in someone's checkout is still that someone's.
func folderOwner(path string) int {
	for ; ; path = filepath.Dir(path) {
		if uid := ownerOf(path); uid > 0 || path == filepath.Dir(path) {
			return max(uid, 0)
		}
	}
}

// command prepares one of the server's programs under the account: with a clean
// environment, and in a session of its own, so that a terminal's Ctrl-C is for
// the application only.
func (a account) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := sessionCommand(ctx, name, args...)
	c.Dir = "/"
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/", "LC_ALL=C"}
	if a.drop {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return c
}

// sessionCommand prepares a command in a session of its own; when ctx ends, all
// of it is asked to end.
func sessionCommand(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	return c
}

// makeDirs makes path and the folders above it, readable by all whatever the
// umask, because the server's account must pass through them.
func (a account) makeDirs(path string) error {
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		return nil
	}
	if err := a.makeDirs(filepath.Dir(path)); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		if errors.Is(err, os.ErrExist) { // another process was faster, or it is a file
			if fi, e := os.Stat(path); e == nil && fi.IsDir() {
				return nil
			}
		}
		return err
	}
	if err := os.Chmod(path, 0o755); err != nil {
		return err
	}
	return a.give(path)
}

// give hands path to the account when root is at work in the account's own
// folder, so that the account can go on there without root.
func (a account) give(path string) error {
	if !a.owns(path) {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

func (a account) owns(path string) bool {
	return a.drop && folderOwner(filepath.Dir(path)) == a.uid
}

// openFile opens or makes a file of the folder with exactly this mode. It does
// not follow links: the folder may belong to someone with fewer rights than us.
func (a account) openFile(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|os.O_CREATE|syscall.O_NOFOLLOW, mode)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && fi.Mode().Perm() != mode {
		err = f.Chmod(mode)
	}
	if err == nil && a.owns(path) {
		err = f.Chown(a.uid, a.gid)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
