package picture

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngNeeded are the chunks that a decoder reads (PNG, third edition), animation and colour included; iCCP holds the
// colour profile. What is missing here is text (tEXt, zTXt, iTXt), time (tIME), EXIF (eXIf) and private chunks.
var pngNeeded = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "tRNS": true,
	"cHRM": true, "gAMA": true, "iCCP": true, "sBIT": true, "sRGB": true, "cICP": true, "mDCV": true, "cLLI": true,
	"bKGD": true, "hIST": true, "pHYs": true, "acTL": true, "fcTL": true, "fdAT": true,
}

// png walks the chunks of a PNG file: length, type, data, check sum.
func (p *parsed) png() (end int, err error) {
	pixels := false
	for at := len(pngSignature); ; at = end {
		if len(p.b)-at < 12 {
			return 0, errCut
		}
		length := int64(binary.BigEndian.Uint32(p.b[at:]))
		if length > int64(len(p.b)-at-12) {
			return 0, errCut
		}
		end = at + 12 + int(length)
		kind, data, sum := string(p.b[at+4:at+8]), p.b[at+8:end-4], binary.BigEndian.Uint32(p.b[end-4:])
		if (kind == "IHDR") != (at == len(pngSignature)) {
			return 0, damaged("its header is missing or doubled")
		}
		if pngNeeded[kind] && crc32.ChecksumIEEE(p.b[at+4:end-4]) != sum {
			return 0, damaged(fmt.Sprintf("the check sum of its part %s doesn't fit", kind))
		}
		if err := p.pngChunk(kind, data); err != nil {
			return 0, err
		}
		if !pngNeeded[kind] {
			p.leaveOut(at, end)
			if kind == "eXIf" && turns(p.orientation) {
				p.put(pngChunk("eXIf", orientationOnly(p.orientation)))
			}
		}
		pixels = pixels || kind == "IDAT"
		if kind == "IEND" {
			break
		}
	}
	if !pixels {
		return 0, damaged("it holds no pixels")
	}
	p.Frames = max(p.Frames, 1)
	return end, nil
}

// pngChunk takes from one chunk what is to be known.
func (p *parsed) pngChunk(kind string, data []byte) error {
	switch kind {
	case "IHDR":
		if len(data) != 13 {
			return damaged("its header has a wrong length")
		}
		return p.size(int(binary.BigEndian.Uint32(data)), int(binary.BigEndian.Uint32(data[4:])))
	case "fcTL":
		if len(data) != 26 {
			return damaged("the head of a frame has a wrong length")
		}
		n := func(at int) int { return int(binary.BigEndian.Uint32(data[at:])) }
		if err := p.inside(n(12), n(16), n(4), n(8)); err != nil {
			return err
		}
		return p.frame()
	case "eXIf":
		p.orientation = orientation(data)
	}
	return nil
}

// pngChunk writes a chunk.
func pngChunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}
