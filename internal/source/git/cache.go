package git

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"bor/internal/fault"
)

// cache is the folder of one remote's copy, held by this process. The lock is one
// on an open file, which ends with the process that has it, however that ends.
type cache struct {
	dir   string // holds the lock and the repository, and nothing that git would take for one
	repo  string
	fresh bool // the repository was made by this run
	lock  *os.File
}

// maxSlots is how many copies of one remote there can be: one for each run that
// goes on at the same time.
const maxSlots = 8

var errTaken = errors.New("another run holds it")

// claim takes the remote's folder. When another process is reading it, a further
// one is taken, so that nobody waits for anybody.
func claim(root string, r Remote) (*cache, error) {
	if root == "" {
		return nil, fault.New(fault.Invalid, "There is no folder for copies of git repositories. Set BOR_SOURCES_DIR.")
	}
	root, err := filepath.Abs(root) // git runs in the folder of the copy
	for slot := 0; err == nil && slot < maxSlots; slot++ {
		var c *cache
		if c, err = lock(filepath.Join(root, fmt.Sprintf("%s.%d", key(r), slot))); err == nil {
			return c, nil
		}
		if errors.Is(err, errTaken) {
			err = nil
		}
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "The folder for copies of git repositories can't be used. Make it writable for bor, or set BOR_SOURCES_DIR to one that is.", err)
	}
	return nil, fault.New(fault.Conflict, "Too many other runs are reading this repository. Wait until they have ended.")
}

func lock(dir string) (*cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "lock")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errTaken
		}
		return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
	}
	held, err := f.Stat()
	named, e := os.Stat(name)
	if err != nil || e != nil || !os.SameFile(held, named) { // removed between opening and locking
		f.Close()
		return nil, errTaken
	}
	return &cache{dir: dir, repo: filepath.Join(dir, "repo"), lock: f}, nil
}

// release ends the claim. Closing alone wouldn't yet, while a program that is being
// started has the file too.
func (c *cache) release() error {
	return errors.Join(syscall.Flock(int(c.lock.Fd()), syscall.LOCK_UN), c.lock.Close())
}

// discard throws the repository away.
func (c *cache) discard() error { return os.RemoveAll(c.repo) }

// tidy removes what a run that was killed may have left in the repository: locks,
// and packs that were being received. It reports whether there is a repository.
func (c *cache) tidy() (exists bool, err error) {
	err = filepath.WalkDir(c.repo, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if strings.HasSuffix(path, ".lock") || strings.HasPrefix(e.Name(), "tmp_") {
			return os.Remove(path)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// size is how many bytes the repository takes.
func (c *cache) size() (total int64) {
	_ = filepath.WalkDir(c.repo, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // it comes and goes while git works
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}

// packs is how many fetches the repository has grown by.
func (c *cache) packs() int {
	names, _ := filepath.Glob(filepath.Join(escapeGlob(c.repo), "objects", "pack", "*.pack"))
	return len(names)
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// key names a remote's folder: something for people, then a hash of what it is.
func key(r Remote) string {
	name := strings.Map(func(c rune) rune {
		if c < 0x80 && (c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_') {
			return c
		}
		return '_'
	}, Name(r.URL))
	return fmt.Sprintf("%.40s-%.8x", name, sha256.Sum256([]byte(r.URL+"\x00"+r.Branch)))
}

var keyForm = regexp.MustCompile(`^([A-Za-z0-9_-]{0,40}-[0-9a-f]{16})\.(\d)$`)

// Sweep removes the copies of remotes that aren't in keep, and further copies of
// those that are, as far as no run is reading them. A missing folder is empty.
func Sweep(root string, keep []Remote) error {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listing the copies of git repositories: %w", err)
	}
	var errs []error
	for _, e := range entries {
		m := keyForm.FindStringSubmatch(e.Name())
		if m == nil || m[2] == "0" && slices.ContainsFunc(keep, func(r Remote) bool { return key(r) == m[1] }) {
			continue
		}
		c, err := lock(filepath.Join(root, e.Name()))
		if errors.Is(err, errTaken) {
			continue
		}
		if err == nil {
			err = errors.Join(c.discard(), os.RemoveAll(c.dir), c.release())
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("removing the copy of a git repository: %w", err))
		}
	}
	return errors.Join(errs...)
}
