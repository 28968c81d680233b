package archive

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// member is one thing in an archive, its head judged and its content not read yet.
type member struct {
	path     string // as in the archive, without a leading "./" and a folder's final slash
	mode     fs.FileMode
	modified time.Time // zero when the archive doesn't say
	open     func() (io.ReadCloser, error)
}

// members is an opened archive of some format.
type members interface {
	// each gives every member in the order of their bytes, the same each time. Errors that are about a member
	// name it.
	each(ctx context.Context, visit func(member) error) error
}

// drain reads the content to its end, because only what was read is known to be good.
func (m member) drain() error {
	r, err := m.open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err
}

// content reads the content, or limit bytes and one more; a limit of 0 is none.
func (m member) content(limit int64) ([]byte, error) {
	r, err := m.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if limit > 0 {
		return io.ReadAll(io.LimitReader(r, limit+1))
	}
	return io.ReadAll(r)
}

// judgeMode refuses what no honest archive of documents holds.
func judgeMode(mode fs.FileMode) error {
	switch {
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return refuse("it is a device: make the archive of files and folders only")
	case mode&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeIrregular) != 0:
		return refuse("it is a pipe, a socket or something else that is no file: make the archive of files and folders only")
	case mode&fs.ModeSetuid != 0, mode&fs.ModeSetgid != 0 && !mode.IsDir():
		return refuse("it is a program that runs as another user (set-uid): leave it out")
	}
	return nil
}

// dated gives a time that calendars can hold; the zero time stands for any other. Tar's count starts in 1970 and
// zip's in 1980, which is what a member has when nobody said.
func dated(t time.Time) time.Time {
	if t.Year() <= 1980 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}
