package archive

import (
	"context"
	"io"
)

// meter counts what comes out of an archive, against the bars.
type meter struct {
	Limits
	size int64 // of the archive
	out  int64
}

// add counts n bytes more.
func (m *meter) add(n int) error {
	m.out += int64(n)
	switch {
	case m.out > m.Bytes:
		return refuse("more than %d MB come out of it, the limit (BOR_UPLOAD_MAX_MB)", m.Bytes>>20)
	case m.out > m.RatioAbove && m.out > m.Ratio*m.size:
		return refuse("more than %d times its own size comes out of it, as only a bomb's or repeated data's does: leave such files out", m.Ratio)
	}
	return nil
}

// metered counts all that is read through it, and says when its context is over.
type metered struct {
	ctx context.Context
	r   io.Reader
	m   *meter
	eof bool // the last reading got nothing, because the reader below had come to its end
}

func (c *metered) Read(p []byte) (n int, err error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err = c.r.Read(p)
	c.eof = err == io.EOF && n == 0
	if over := c.m.add(n); over != nil {
		return 0, over
	}
	return n, err
}

// fileLimit refuses a member that is over the bar for one.
type fileLimit struct {
	r     io.Reader
	limit int64
	n     int64
}

func (f *fileLimit) Read(p []byte) (n int, err error) {
	n, err = f.r.Read(p)
	if f.n += int64(n); f.n > f.limit {
		return 0, refuse("the file has more than %d MB, the limit for one file: leave it out", f.limit>>20)
	}
	return n, err
}
