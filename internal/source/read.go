package source

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// read gives one file with its text, or the reason why it is left out.
func (d *Dir) read(e entry) (File, *Skip) {
	b, info, skip := d.bytes(e)
	if skip != nil {
		return File{}, skip
	}
	f := File{Path: e.path, Size: int64(len(b)), ModTime: info.ModTime(), SHA256: sha256.Sum256(b)}
	if e.image {
		f.Image = b
		return f, nil
	}
	var err error
	if f.Text, f.Encoding, err = Decode(b); err != nil {
		var undecodable *DecodeError
		errors.As(err, &undecodable)
		return File{}, &Skip{e.path, undecodable.Kind, undecodable.Reason}
	}
	if reason, ok := Secret(e.path, f.Text); ok && !e.allowed {
		return File{}, &Skip{e.path, KindSecret, reason}
	}
	return f, nil
}

// bytes reads a file that was a regular file when its folder was listed. The file is opened without blocking and
// compared with the listing, because a pipe or a link may have taken its place since.
func (d *Dir) bytes(e entry) ([]byte, fs.FileInfo, *Skip) {
	listed, err := e.Info()
	if err != nil {
		return nil, nil, unreadable(e.path, err)
	}
	if d.rules.maxBytes > 0 && listed.Size() > d.rules.maxBytes {
		return nil, nil, tooBig(e.path, listed.Size(), d.rules.maxBytes)
	}
	f, err := e.parent.OpenFile(e.Name(), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, unreadable(e.path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, unreadable(e.path, err)
	}
	if !info.Mode().IsRegular() || !os.SameFile(listed, info) {
		return nil, nil, unreadable(e.path, errReplaced)
	}
	var content io.Reader = f
	if d.rules.maxBytes > 0 {
		content = io.LimitReader(f, d.rules.maxBytes+1)
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(content); err != nil {
		return nil, nil, unreadable(e.path, err)
	}
	if d.rules.maxBytes > 0 && int64(b.Len()) > d.rules.maxBytes {
		return nil, nil, tooBig(e.path, int64(b.Len()), d.rules.maxBytes)
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

func tooBig(path string, size, limit int64) *Skip {
	return &Skip{path, KindTooBig, fmt.Sprintf("the file has %d bytes or more, the limit is %d (BOR_MAX_FILE_MB)", size, limit)}
}
