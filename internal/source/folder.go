package source

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// folder is an open folder of a source. It is closed when the walk has left it and
// nobody reads a file of it any more.
type folder struct {
	*os.File
	users atomic.Int32
}

// openFolder opens a folder of a folder. Its one user is who opened it.
func openFolder(parent *os.File, name string) (*folder, error) {
	f, err := openIn(parent, name, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	opened := &folder{File: f}
	opened.retain()
	return opened, nil
}

func (f *folder) retain() { f.users.Add(1) }

func (f *folder) release() {
	if f.users.Add(-1) == 0 {
		f.Close()
	}
}

// list gives the folder's entries in the byte order of their names, with their
// types. Nothing is asked of the entries themselves.
func (f *folder) list() ([]fs.DirEntry, error) {
	items, err := f.ReadDir(-1)
	slices.SortFunc(items, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return items, err
}

// openIn opens an entry of a folder for reading. The name is one element of a path,
// so that nothing outside the folder can be reached, and a link isn't followed.
func openIn(parent *os.File, name string, flags int) (*os.File, error) {
	for {
		fd, err := unix.Openat(int(parent.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), name), nil
		case unix.EINTR:
		case unix.ELOOP, unix.ENOTDIR:
			return nil, errReplaced
		default:
			return nil, err
		}
	}
}
