package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Markers of JPEG (ITU-T T.81, table B.1).
const (
	mSOF0, mSOF1, mSOF2    = 0xC0, 0xC1, 0xC2 // baseline, extended, progressive: what browsers show
	mDHT, mDAC             = 0xC4, 0xCC
	mRST0, mRST7           = 0xD0, 0xD7
	mSOI, mEOI, mSOS, mDQT = 0xD8, 0xD9, 0xDA, 0xDB
	mDRI                   = 0xDD
	mAPP0, mAPP1           = 0xE0, 0xE1
	mAPP2, mAPP14          = 0xE2, 0xEE
	mTEM                   = 0x01
)

const exifStart = "Exif\x00\x00"

// jpeg walks the segments of a JPEG file, a marker and its length each, and the coded pixels after every scan's head.
func (p *parsed) jpeg() (end int, err error) {
	scans := 0
	for at := 2; ; at = end {
		if len(p.b)-at < 2 {
			return 0, errCut
		}
		if p.b[at] != 0xFF {
			return 0, damaged(fmt.Sprintf("no part starts at byte %d where one should", at))
		}
		marker := p.b[at+1]
		switch marker {
		case 0xFF: // a filling byte
			end = at + 1
			p.leaveOut(at, end)
			continue
		case mEOI:
			if scans == 0 {
				return 0, damaged("it holds no pixels")
			}
			p.Frames = 1
			return at + 2, nil
		}
		if len(p.b)-at < 4 {
			return 0, errCut
		}
		length := int(binary.BigEndian.Uint16(p.b[at+2:]))
		if length < 2 {
			return 0, damaged("a part has a wrong length")
		}
		if end = at + 2 + length; end > len(p.b) {
			return 0, errCut
		}
		if err := p.jpegSegment(marker, at, end); err != nil {
			return 0, err
		}
		if marker == mSOS {
			if scans++; scans > maxScans {
				return 0, fmt.Errorf("the image has too many scans to show: the limit is %d", maxScans)
			}
			end = codedEnd(p.b, end)
		}
	}
}

// jpegSegment takes what is to be known from the segment between two offsets, and leaves it out when it isn't needed.
func (p *parsed) jpegSegment(marker byte, at, end int) error {
	data := p.b[at+4 : end]
	switch marker {
	case mDHT, mDQT, mDRI:
	case mSOS:
		if p.Width == 0 {
			return damaged("its pixels come before its size")
		}
	case mSOF0, mSOF1, mSOF2:
		if p.Width != 0 || len(data) < 6 {
			return damaged("its header is doubled or too short")
		}
		return p.size(int(binary.BigEndian.Uint16(data[3:])), int(binary.BigEndian.Uint16(data[1:])))
	case mAPP0:
		p.leaveOut(at, end)
		if bytes.HasPrefix(data, []byte("JFIF\x00")) && len(data) >= 14 {
			p.put([]byte{0xFF, mAPP0, 0, 16})
			p.put(data[:12])
			p.put([]byte{0, 0}) // no thumbnail
		}
	case mAPP1:
		p.leaveOut(at, end)
		if tiff, ok := bytes.CutPrefix(data, []byte(exifStart)); ok && p.orientation == 0 {
			if p.orientation = orientation(tiff); turns(p.orientation) {
				p.put(exifSegment(p.orientation))
			}
		}
	case mAPP2:
		if !bytes.HasPrefix(data, []byte("ICC_PROFILE\x00")) {
			p.leaveOut(at, end)
		}
	case mAPP14: // says how colours are to be read
		if !bytes.HasPrefix(data, []byte("Adobe")) || len(data) != 12 {
			p.leaveOut(at, end)
		}
	default:
		if marker >= 0xC0 && marker <= 0xCF || marker <= mTEM || marker >= mRST0 && marker <= mSOI {
			return damaged(fmt.Sprintf("it is of a kind of JPEG that browsers don't show (marker %02X)", marker))
		}
		p.leaveOut(at, end)
	}
	return nil
}

func exifSegment(orientation int) []byte {
	data := append([]byte(exifStart), orientationOnly(orientation)...)
	return append([]byte{0xFF, mAPP1, 0, byte(len(data) + 2)}, data...)
}

// codedEnd is where the coded pixels that start at an offset end: at the next marker that isn't a part of them.
func codedEnd(b []byte, at int) int {
	for {
		next := bytes.IndexByte(b[at:], 0xFF)
		if next < 0 || at+next+1 >= len(b) {
			return len(b)
		}
		at += next
		if m := b[at+1]; m != 0 && (m < mRST0 || m > mRST7) {
			return at
		}
		at += 2
	}
}
