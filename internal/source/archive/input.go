package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// pieceBytes is how much is asked for at once. The bytes lie in rows of a table: few readings, each of them short.
const pieceBytes = 256 << 10

// input is the archive's own bytes. It keeps the piece that was read last, and the first error of the reader below,
// which a decompressor would take for damage.
type input struct {
	ctx  context.Context
	r    io.ReaderAt
	size int64

	piece []byte
	start int64 // of the piece; pieces start at multiples of pieceBytes
	err   error
}

func (in *input) ReadAt(p []byte, at int64) (n int, err error) {
	if at < 0 { // as a zip's list may ask for
		return 0, errors.New("a part lies before the start")
	}
	for n < len(p) {
		if at >= in.size {
			return n, io.EOF
		}
		if err := in.load(at); err != nil {
			return n, err
		}
		copied := copy(p[n:], in.piece[at-in.start:])
		n, at = n+copied, at+int64(copied)
	}
	return n, nil
}

// load makes sure that the piece holds the byte at an offset.
func (in *input) load(at int64) error {
	if in.err != nil {
		return in.err
	}
	if in.err = in.ctx.Err(); in.err != nil {
		return in.err
	}
	start := at - at%pieceBytes
	if len(in.piece) > 0 && start == in.start {
		return nil
	}
	if in.piece == nil {
		in.piece = make([]byte, 0, min(pieceBytes, in.size))
	}
	in.piece, in.start = in.piece[:min(pieceBytes, in.size-start)], start
	if n, err := in.r.ReadAt(in.piece, start); n < len(in.piece) {
		in.piece = in.piece[:0]
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		in.err = fmt.Errorf("the archive's bytes can't be read at offset %d: %w", start+int64(n), err)
		return in.err
	}
	return nil
}

// stream gives the whole archive from its start.
func (in *input) stream() io.Reader { return io.NewSectionReader(in, 0, in.size) }

// cause is what lies behind an error of whoever read from it: a fault of the reader below, or the context's end, is no
// fault of the archive.
func (in *input) cause(err error) error {
	switch {
	case in.err != nil:
		return in.err
	case isRefused(err) && in.ctx.Err() != nil:
		return in.ctx.Err()
	}
	return err
}

// limited fails once n more bytes were read from it, with err.
type limited struct {
	io.ReaderAt
	n   int64
	err error
}

func (l *limited) ReadAt(p []byte, at int64) (int, error) {
	if l.n -= int64(len(p)); l.n < 0 {
		return 0, l.err
	}
	return l.ReaderAt.ReadAt(p, at)
}
