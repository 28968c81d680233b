package source

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"
	"time"

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
	fd, err := openIn(parent, name, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	opened := &folder{File: os.NewFile(uintptr(fd), name)}
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
func openIn(parent *os.File, name string, flags int) (descriptor, error) {
	for {
		fd, err := unix.Openat(int(parent.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
		switch err {
		case unix.EINTR:
		case unix.ELOOP, unix.ENOTDIR:
			return -1, errReplaced
		default:
			return descriptor(fd), err
		}
	}
}

// descriptor is an open file that is read without os.File, which offers it to the
// poller in vain: two of the seven system calls that a small file takes then.
type descriptor int

// Read reads as io.Reader says.
func (d descriptor) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(d), p)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// regular gives a regular file's size and the time of its last change. Anything
// else has taken a file's place.
func (d descriptor) regular() (size int64, modified time.Time, err error) {
	var info unix.Stat_t
	if err := unix.Fstat(int(d), &info); err != nil {
		return 0, time.Time{}, err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFREG {
		return 0, time.Time{}, errReplaced
	}
	return info.Size, time.Unix(info.Mtim.Unix()), nil
}
