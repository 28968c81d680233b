package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// gif walks the blocks of a GIF file (GIF89a specification, appendix A). Of the extensions only those stay that
// say how frames follow each other and that the animation repeats.
func (p *parsed) gif() (end int, err error) {
	const header = 6 + 7
	if len(p.b) < header {
		return 0, errCut
	}
	if err := p.size(int(binary.LittleEndian.Uint16(p.b[6:])), int(binary.LittleEndian.Uint16(p.b[8:]))); err != nil {
		return 0, err
	}
	for at := header + colourTable(p.b[10]); ; at = end {
		if at >= len(p.b) {
			return 0, errCut
		}
		switch p.b[at] {
		case 0x3B:
			if p.Frames == 0 {
				return 0, damaged("it holds no pixels")
			}
			return at + 1, nil
		case 0x2C:
			end, err = p.gifFrame(at)
		case 0x21:
			if end, err = subBlocks(p.b, at+2); err == nil && !gifNeeded(p.b[at+1:end]) {
				p.leaveOut(at, end)
			}
		default:
			err = damaged(fmt.Sprintf("no part starts at byte %d where one should", at))
		}
		if err != nil {
			return 0, err
		}
	}
}

// gifNeeded judges an extension, given from its label on: a graphic control, or an application's that repeats.
func gifNeeded(extension []byte) bool {
	const control, application = 0xF9, 0xFF
	switch extension[0] {
	case control:
		return len(extension) == 7
	case application:
		return len(extension) == 1+12+5 &&
			(bytes.HasPrefix(extension[1:], []byte("\x0BNETSCAPE2.0\x03\x01")) || bytes.HasPrefix(extension[1:], []byte("\x0BANIMEXTS1.0\x03\x01")))
	}
	return false
}

// gifFrame judges the frame at an offset and gives where it ends.
func (p *parsed) gifFrame(at int) (end int, err error) {
	if len(p.b)-at < 10 {
		return 0, errCut
	}
	n := func(i int) int { return int(binary.LittleEndian.Uint16(p.b[at+i:])) }
	if err := p.inside(n(1), n(3), n(5), n(7)); err != nil {
		return 0, err
	}
	if err := p.frame(); err != nil {
		return 0, err
	}
	return subBlocks(p.b, at+10+colourTable(p.b[at+9])+1)
}

// colourTable is the length of the colour table that a block's flags announce.
func colourTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// subBlocks is where a row of sub-blocks ends, a length and as many bytes each, closed by a zero.
func subBlocks(b []byte, at int) (end int, err error) {
	for at < len(b) {
		length := int(b[at])
		if at += 1 + length; length == 0 {
			return at, nil
		}
	}
	return 0, errCut
}
