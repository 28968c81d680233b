package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"

	"golang.org/x/sys/unix"
)

// read gives one file with its text, or the reason why it is left out. It was a regular file when its folder was
// listed; it is opened without blocking, and looked at again, because a pipe or a link may have taken its place since.
func (d *Dir) read(e entry) (File, *Skip) {
	file, err := openIn(e.parent.File, path.Base(e.Path), unix.O_NONBLOCK)
	if err != nil {
		return File{}, unreadable(e.Path, err)
	}
	defer unix.Close(int(file))
	size, modified, err := file.regular()
	if err != nil {
		return File{}, unreadable(e.Path, err)
	}
	var content io.Reader = file
	if limit := d.filter.MaxFileBytes; limit > 0 {
		if size > limit {
			return File{}, d.filter.TooBig(e.Path, size)
		}
		content = io.LimitReader(file, limit+1) // it may have grown
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	if _, err := b.ReadFrom(content); err != nil {
		return File{}, unreadable(e.Path, err)
	}
	return d.filter.File(e.Candidate, b.Bytes(), modified)
}

func unreadable(path string, err error) *Skip {
	reason := "the file cannot be read: " + cause(err).Error()
	if errors.Is(err, fs.ErrNotExist) {
		reason = "the file disappeared while the source was read; the next sync looks again"
	}
	return &Skip{path, KindUnreadable, reason}
}
