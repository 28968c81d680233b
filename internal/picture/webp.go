package picture

import (
	"bytes"
	"encoding/binary"
)

// webp walks the chunks of a WebP file (WebP container specification): an image alone, or an extended header and
// what it announces. Lengths and flags are written anew, because they count and name what is left out. An orientation
// in EXIF is left out too: Chromium shows WebP as it is stored, and so it looks the same everywhere.
func (p *parsed) webp() (end int, err error) {
	const start = 12 // "RIFF", length, "WEBP"
	if len(p.b) < start || string(p.b[8:start]) != "WEBP" {
		return 0, errNoImage
	}
	length := int64(binary.LittleEndian.Uint32(p.b[4:]))
	if length < start-8 || length > int64(len(p.b)-8) {
		return 0, errCut
	}
	end = 8 + int(length)
	head := bytes.Clone(p.b[:start])
	p.leaveOut(0, start)
	p.put(head)
	w := webpFile{parsed: p}
	if err := p.riff(start, end, w.chunk); err != nil {
		return 0, err
	}
	if p.Frames == 0 {
		return 0, damaged("it holds no pixels")
	}
	p.leaveOut(end, end)
	if w.flags != nil {
		w.flags[0] &^= webpXMP | webpEXIF
	}
	binary.LittleEndian.PutUint32(head[4:], uint32(p.keptSince(0)-8))
	return end, nil
}

// riff hands on the chunks between two offsets: where one starts, and where it ends, its padding included.
func (p *parsed) riff(at, end int, visit func(kind string, data []byte, at, end int) error) error {
	for at < end {
		if end-at < 8 {
			return errCut
		}
		length := int64(binary.LittleEndian.Uint32(p.b[at+4:]))
		if length > int64(end-at-8) {
			return errCut
		}
		last := at + 8 + int(length)
		next := min(end, last+last&1)
		if err := visit(string(p.b[at:at+4]), p.b[at+8:last], at, next); err != nil {
			return err
		}
		at = next
	}
	return nil
}

// keptSince is how many bytes the pieces from a number on have.
func (p *parsed) keptSince(piece int) (n int) {
	for _, b := range p.kept[piece:] {
		n += len(b)
	}
	return n
}

// Flags of the extended header.
const (
	webpAnimated = 0x02
	webpXMP      = 0x04
	webpEXIF     = 0x08
)

// webpFile is a WebP file whose chunks are being looked at.
type webpFile struct {
	*parsed
	flags []byte // of the extended header, to be written; nil without one
}

func (w *webpFile) animated() bool { return w.flags != nil && w.flags[0]&webpAnimated != 0 }

func (w *webpFile) chunk(kind string, data []byte, at, end int) error {
	switch {
	case kind == "VP8X":
		return w.extended(data, at)
	case kind == "VP8 " || kind == "VP8L":
		if w.animated() || w.Frames > 0 {
			return damaged("it holds more than one image and is no animation")
		}
		return w.bitstream(kind, data)
	case kind == "ANMF" && w.animated():
		return w.animationFrame(data, at, end)
	case w.flags != nil && (kind == "ICCP" || kind == "ANIM" || kind == "ALPH"):
	default:
		w.leaveOut(at, end)
	}
	return nil
}

// extended reads the extended header, which must come first, and takes its flags to be written later.
func (w *webpFile) extended(data []byte, at int) error {
	if len(data) != 10 || w.flags != nil || w.Width != 0 {
		return damaged("its header is doubled, late or of a wrong length")
	}
	w.flags = bytes.Clone(data[:1])
	w.leaveOut(at+8, at+9)
	w.put(w.flags)
	return w.size(uint24(data[4:])+1, uint24(data[7:])+1)
}

// bitstream judges one coded image. Its own size counts: a decoder makes room for that one.
func (w *webpFile) bitstream(kind string, data []byte) error {
	width, height, err := bitstreamSize(kind, data)
	if err != nil {
		return err
	}
	if w.flags == nil {
		if err := w.size(width, height); err != nil {
			return err
		}
	}
	if width != w.Width || height != w.Height {
		return damaged("the header and the pixels have different sizes")
	}
	return w.frame()
}

// bitstreamSize reads the size from the start of a coded image: of a lossy one (RFC 6386, 9.1) or a lossless one.
func bitstreamSize(kind string, data []byte) (width, height int, err error) {
	switch {
	case kind == "VP8 " && len(data) >= 10 && data[0]&1 == 0 && string(data[3:6]) == "\x9D\x01\x2A":
		return int(binary.LittleEndian.Uint16(data[6:])) & 0x3FFF, int(binary.LittleEndian.Uint16(data[8:])) & 0x3FFF, nil
	case kind == "VP8L" && len(data) >= 5 && data[0] == 0x2F:
		bits := binary.LittleEndian.Uint32(data[1:])
		return int(bits&0x3FFF) + 1, int(bits>>14&0x3FFF) + 1, nil
	}
	return 0, 0, damaged("its pixels don't start as they should")
}

// animationFrame judges one frame of an animation, and leaves out what it holds besides pixels.
func (w *webpFile) animationFrame(data []byte, at, end int) error {
	const start = 16
	if len(data) < start {
		return errCut
	}
	width, height := uint24(data[6:])+1, uint24(data[9:])+1
	if err := w.inside(2*uint24(data), 2*uint24(data[3:]), width, height); err != nil {
		return err
	}
	if err := w.frame(); err != nil {
		return err
	}
	length := make([]byte, 4)
	w.leaveOut(at+4, at+8)
	w.put(length)
	first, pixels := len(w.kept), false
	last := at + 8 + len(data)
	err := w.riff(at+8+start, last, func(kind string, data []byte, at, end int) error {
		switch kind {
		case "VP8 ", "VP8L":
			wide, high, err := bitstreamSize(kind, data)
			if err == nil && (pixels || wide != width || high != height) {
				err = damaged("a frame's header and its pixels have different sizes")
			}
			pixels = true
			return err
		case "ALPH":
		default:
			w.leaveOut(at, end)
		}
		return nil
	})
	if err == nil && !pixels {
		err = damaged("a frame holds no pixels")
	}
	w.leaveOut(last, end)
	kept := w.keptSince(first)
	binary.LittleEndian.PutUint32(length, uint32(kept))
	w.put(make([]byte, kept&1))
	return err
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
