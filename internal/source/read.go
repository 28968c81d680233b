package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"

	"golang.org/x/sys/unix"
)

// read gives one file with its text, or the reason why it is left out.
func (d *Dir) read(e entry) (File, *Skip) {
	b, info, skip := d.bytes(e)
	if skip != nil {
		return File{}, skip
	}
	return d.filter.File(e.Candidate, b, info.ModTime())
}

// bytes reads a file that was a regular file when its folder was listed. It is opened without blocking, and looked
// at again, because a pipe or a link may have taken its place since.
func (d *Dir) bytes(e entry) ([]byte, fs.FileInfo, *Skip) {
	f, err := openIn(e.parent.File, path.Base(e.Path), unix.O_NONBLOCK)
	if err != nil {
		return nil, nil, unreadable(e.Path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, unreadable(e.Path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, unreadable(e.Path, errReplaced)
	}
	if d.filter.MaxFileBytes > 0 && info.Size() > d.filter.MaxFileBytes {
		return nil, nil, d.filter.TooBig(e.Path, info.Size())
	}
	var content io.Reader = f
	if d.filter.MaxFileBytes > 0 {
		content = io.LimitReader(f, d.filter.MaxFileBytes+1)
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(content); err != nil {
		return nil, nil, unreadable(e.Path, err)
	}
	if d.filter.MaxFileBytes > 0 && int64(b.Len()) > d.filter.MaxFileBytes {
		return nil, nil, d.filter.TooBig(e.Path, int64(b.Len()))
	}
	return b.Bytes(), info, nil
}

func unreadable(path string, err error) *Skip {
	reason := "the file cannot be read: " + cause(err).Error()
	if errors.Is(err, fs.ErrNotExist) {
		reason = "the file disappeared while the source was read; the next sync looks again"
	}
	return &Skip{path, KindUnreadable, reason}
}
