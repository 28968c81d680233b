package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"
)

// header is a PNG's header with a size.
func header(width, height uint32) []byte {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	return pngChunk("IHDR", append(b, 8, 6, 0, 0, 0))
}

func pngOf(chunks ...[]byte) []byte {
	return append([]byte(pngSignature), bytes.Join(chunks, nil)...)
}

func sof(marker byte, width, height int) []byte {
	return jpegPart(marker, string([]byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), 1, 1, 0x11, 0}))
}

func jpegOf(parts ...[]byte) []byte {
	return append([]byte{0xFF, mSOI}, bytes.Join(parts, nil)...)
}

func gifOf(width, height int, blocks ...string) []byte {
	return []byte(fmt.Sprintf("GIF89a%c%c%c%c\x00\x00\x00", width&255, width>>8, height&255, height>>8) + strings.Join(blocks, ""))
}

func TestCheckRefuses(t *testing.T) {
	idat, iend := pngChunk("IDAT", []byte("x")), pngChunk("IEND", nil)
	scan, eoi := jpegPart(mSOS, "\x01\x01\x00\x00\x3F\x00"), []byte{0xFF, mEOI}
	frame := "\x2C\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01\x00\x00"
	wrongSum := plainPNG(3, 3)
	wrongSum[len(wrongSum)-16]++ // in IDAT's check sum
	fcTL := func(w, h, x, y uint32) []byte {
		b := binary.BigEndian.AppendUint32(nil, 0)
		for _, v := range []uint32{w, h, x, y} {
			b = binary.BigEndian.AppendUint32(b, v)
		}
		return pngChunk("fcTL", append(b, make([]byte, 6)...))
	}
	const big = "too big to show"
	tests := []struct {
		name string
		b    []byte
		say  string
	}{
		{"nothing", nil, "not an image"},
		{"SVG", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "not an image"},
		{"HTML", []byte("<!doctype html><script>alert(1)</script>"), "not an image"},
		{"HTML before PNG", append([]byte("<script>"), plainPNG(2, 2)...), "not an image"},
		{"BOM before PNG", append([]byte("\uFEFF"), plainPNG(2, 2)...), "not an image"},
		{"PNG as text", []byte("\x89PNG\n\x1a\n"), "not an image"},
		{"HTML after GIF's signature", []byte("GIF89a/*<script>*/=1;alert(1)//"), "the image"},
		{"BMP", []byte("BM\x00\x00"), "not an image"},
		{"AVI", riffFile()[:8], "not an image"},
		{"WAV", append([]byte("RIFF\x04\x00\x00\x00WAVE"), 0), "not an image"},

		{"PNG of 2^31 pixels", pngOf(header(1<<31-1, 1<<31-1), idat, iend), big},
		{"PNG of 2^32-1 × 1", pngOf(header(1<<32-1, 1), idat, iend), big},
		{"PNG just over", pngOf(header(8001, 5000), idat, iend), "8001 × 5000 pixels, the limit is 40 megapixels"},
		{"PNG of no width", pngOf(header(0, 5), idat, iend), "no size"},
		{"PNG without header", pngOf(idat, iend), "header is missing"},
		{"PNG with two headers", pngOf(header(1, 1), header(30000, 30000), idat, iend), "doubled"},
		{"PNG with a short header", pngOf(pngChunk("IHDR", []byte{0, 0, 0, 1, 0, 0, 0, 1}), idat, iend), "wrong length"},
		{"PNG without pixels", pngOf(header(1, 1), iend), "no pixels"},
		{"PNG without end", pngOf(header(1, 1), idat), "file ends before"},
		{"PNG chunk of 4 GB", append(pngOf(header(1, 1)), "\xff\xff\xff\xffIDATxxxx"...), "file ends before"},
		{"PNG with a wrong sum", wrongSum, "IDAT doesn't fit"},
		{"APNG bomb by frames", pngOf(header(1, 1), bytes.Repeat(fcTL(1, 1, 0, 0), MaxFrames+1), idat, iend), "too many frames"},
		{"APNG bomb by pixels", pngOf(header(8000, 5000), bytes.Repeat(fcTL(1, 1, 0, 0), 26), idat, iend), "too big to show: more than 25 frames"},
		{"APNG frame outside", pngOf(header(4, 4), fcTL(4, 4, 1, 0), idat, iend), "outside"},
		{"APNG frame far outside", pngOf(header(4, 4), fcTL(1<<32-1, 1, 1<<32-1, 0), idat, iend), "outside"},
		{"APNG short frame head", pngOf(header(4, 4), pngChunk("fcTL", []byte("x")), idat, iend), "wrong length"},

		{"JPEG of 65535²", jpegOf(sof(mSOF0, 65535, 65535), scan, eoi), big},
		{"JPEG without height", jpegOf(sof(mSOF0, 9, 0), scan, eoi), "no size"},
		{"JPEG with two headers", jpegOf(sof(mSOF0, 1, 1), sof(mSOF2, 60000, 60000), scan, eoi), "doubled"},
		{"JPEG with a short header", jpegOf(jpegPart(mSOF0, "\x08"), scan, eoi), "too short"},
		{"JPEG pixels before size", jpegOf(scan, sof(mSOF0, 1, 1), eoi), "before its size"},
		{"JPEG without pixels", jpegOf(sof(mSOF0, 1, 1), eoi), "no pixels"},
		{"JPEG lossless", jpegOf(sof(0xC3, 1, 1), scan, eoi), "browsers don't show (marker C3)"},
		{"JPEG arithmetic", jpegOf(sof(0xC9, 1, 1), scan, eoi), "browsers don't show"},
		{"JPEG in JPEG", jpegOf([]byte{0xFF, mSOI, 0, 2}, sof(mSOF0, 1, 1), scan, eoi), "browsers don't show"},
		{"JPEG of many scans", jpegOf(sof(mSOF2, 9, 9), bytes.Repeat(scan, maxScans+1), eoi), "too many scans"},
		{"JPEG without end", jpegOf(sof(mSOF0, 1, 1), scan, []byte("xx\xFF")), "file ends before"},
		{"JPEG of filling bytes", bytes.Repeat([]byte{0xFF, 0xD8, 0xFF}, 1)[:3], "file ends before"},
		{"JPEG with a long part", jpegOf([]byte{0xFF, 0xFE, 0xFF, 0xFF, 'x'}), "file ends before"},
		{"JPEG with a part of no length", jpegOf([]byte{0xFF, 0xFE, 0, 1, 'x'}), "wrong length"},
		{"JPEG with a cut part", jpegOf([]byte{0xFF, 0xFE, 0}), "file ends before"},
		{"JPEG with junk between", jpegOf(sof(mSOF0, 1, 1), []byte("junk"), scan, eoi), "no part starts at byte 15"},

		{"GIF of 65535²", gifOf(65535, 65535, frame, ";"), big},
		{"GIF of no size", gifOf(0, 1, frame, ";"), "no size"},
		{"GIF without frames", gifOf(1, 1, ";"), "no pixels"},
		{"GIF without end", gifOf(1, 1, frame), "file ends before"},
		{"GIF frame outside", gifOf(1, 1, "\x2C\x01\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01\x00\x00;"), "outside"},
		{"GIF frame of no size", gifOf(1, 1, "\x2C\x00\x00\x00\x00\x00\x00\x01\x00\x00\x02\x01\x00\x00;"), "outside"},
		{"GIF bomb by frames", gifOf(1, 1, strings.Repeat(frame, MaxFrames+1), ";"), "too many frames"},
		{"GIF bomb by pixels", gifOf(8000, 5000, strings.Repeat(frame, 26), ";"), big},
		{"GIF junk", gifOf(1, 1, frame, "junk;"), "no part starts at byte 27"},
		{"GIF cut frame", gifOf(1, 1, frame[:6]), "file ends before"},
		{"GIF cut pixels", gifOf(1, 1, frame[:12]), "file ends before"},
		{"GIF cut extension", gifOf(1, 1, "\x21"), "file ends before"},
		{"GIF head", []byte("GIF89a"), "file ends before"},

		{"WebP canvas of 2^24", riffFile(vp8x(0, 1<<24, 1<<24), lossless(1, 1)), big},
		{"WebP small canvas, big pixels", riffFile(vp8x(0, 1, 1), lossless(16000, 16000)), "different sizes"},
		{"WebP big", riffFile(lossless(16384, 16384)), big},
		{"WebP of no size", riffFile(riffChunk("VP8 ", []byte("\x00\x00\x00\x9D\x01\x2A\x00\x00\x00\x00")...)), "no size"},
		{"WebP without key frame", riffFile(riffChunk("VP8 ", []byte("\x01\x00\x00\x9D\x01\x2A\x01\x00\x01\x00")...)), "don't start"},
		{"WebP without pixels", riffFile(vp8x(0, 1, 1)), "no pixels"},
		{"WebP twice", riffFile(lossless(1, 1), lossless(1, 1)), "more than one image"},
		{"WebP still in moving", riffFile(vp8x(webpAnimated, 1, 1), lossless(1, 1)), "more than one image"},
		{"WebP late header", riffFile(lossless(1, 1), vp8x(0, 1, 1)), "late"},
		{"WebP two headers", riffFile(vp8x(0, 1, 1), vp8x(0, 9, 9), lossless(1, 1)), "doubled"},
		{"WebP short header", riffFile(riffChunk("VP8X", 0), lossless(1, 1)), "wrong length"},
		{"WebP frame outside", riffFile(vp8x(webpAnimated, 4, 4), anmf(2, 0, 4, 4, lossless(4, 4))), "outside"},
		{"WebP frame without pixels", riffFile(vp8x(webpAnimated, 4, 4), anmf(0, 0, 4, 4)), "no pixels"},
		{"WebP frame with big pixels", riffFile(vp8x(webpAnimated, 4, 4), anmf(0, 0, 4, 4, lossless(16000, 16000))), "different sizes"},
		{"WebP frame with two", riffFile(vp8x(webpAnimated, 4, 4), anmf(0, 0, 4, 4, lossless(4, 4), lossless(4, 4))), "different sizes"},
		{"WebP frame of junk", riffFile(vp8x(webpAnimated, 4, 4), anmf(0, 0, 4, 4, riffChunk("VP8L", 1))), "don't start"},
		{"WebP short frame", riffFile(vp8x(webpAnimated, 4, 4), riffChunk("ANMF", 1, 2)), "file ends before"},
		{"WebP cut frame", riffFile(vp8x(webpAnimated, 4, 4), anmf(0, 0, 4, 4, []byte("VP8L"))), "file ends before"},
		{"WebP bomb", riffFile(vp8x(webpAnimated, 8000, 5000), bytes.Repeat(anmf(0, 0, 2, 2, lossless(2, 2)), 26)), big},
		{"WebP cut", riffFile(lossless(9, 9))[:20], "file ends before"},
		{"WebP chunk of 4 GB", riffFile([]byte("VP8L\xff\xff\xff\xff")), "file ends before"},
		{"WebP that says 4 GB", []byte("RIFF\xff\xff\xff\xffWEBP"), "file ends before"},
		{"WebP that says nothing", append([]byte("RIFF\x00\x00\x00\x00WEBP"), lossless(1, 1)...), "file ends before"},
	}
	for _, tt := range tests {
		info, err := Check(tt.b)
		if err == nil || !strings.Contains(err.Error(), tt.say) || info != (Info{}) {
			t.Errorf("%s: %+v, %v; it should say %q", tt.name, info, err, tt.say)
		}
		if b, stripErr := Strip(tt.b); b != nil || stripErr == nil || stripErr.Error() != err.Error() {
			t.Errorf("%s: Strip gives %d bytes, %v", tt.name, len(b), stripErr)
		}
	}
}

// TestEveryCut: an image cut off anywhere is refused, not shown in part.
func TestEveryCut(t *testing.T) {
	for name, b := range map[string][]byte{"png": plainPNG(4, 4), "jpeg": plainJPEG(4, 4), "gif": plainGIF(4, 4, 2), "webp": testdata(t, "alpha.webp")} {
		for n := range b {
			if info, err := Check(b[:n]); err == nil {
				t.Errorf("%s: %d of %d bytes are taken for %+v", name, n, len(b), info)
			}
		}
	}
}

// TestWorkIsLinear: files of the largest size made of the smallest parts are done with at once.
func TestWorkIsLinear(t *testing.T) {
	const size = 10 << 20
	fill := func(part []byte) []byte { return bytes.Repeat(part, size/len(part)) }
	tests := map[string][]byte{
		"png chunks":        pngOf(header(1, 1), fill(pngChunk("tEXt", nil)), pngChunk("IDAT", nil), pngChunk("IEND", nil)),
		"png orientations":  pngOf(header(1, 1), fill(pngChunk("eXIf", orientationOnly(6))), pngChunk("IDAT", nil), pngChunk("IEND", nil)),
		"jpeg comments":     jpegOf(fill(jpegPart(0xFE, "")), sof(mSOF0, 1, 1), jpegPart(mSOS, ""), []byte{0xFF, mEOI}),
		"jpeg filling":      jpegOf(fill([]byte{0xFF}), sof(mSOF0, 1, 1), jpegPart(mSOS, ""), []byte{0xFF, mEOI}),
		"jpeg restarts":     jpegOf(sof(mSOF0, 1, 1), jpegPart(mSOS, ""), fill([]byte{0xFF, mRST0}), []byte{0xFF, mEOI}),
		"jpeg orientations": jpegOf(fill(exifSegment(6)), sof(mSOF0, 1, 1), jpegPart(mSOS, ""), []byte{0xFF, mEOI}),
		"gif comments":      gifOf(1, 1, string(fill(gifExtension(0xFE))), "\x2C\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01\x00\x00;"),
		"webp chunks":       riffFile(fill(riffChunk("NOTE")), lossless(1, 1)),
		"webp in a frame":   riffFile(vp8x(webpAnimated, 4, 4), anmf(0, 0, 4, 4, fill(riffChunk("NOTE")), lossless(4, 4))),
	}
	for name, b := range tests {
		start := time.Now()
		stripped, err := Strip(b)
		if took := time.Since(start); err != nil || len(stripped) > size+200 || took > 5*time.Second {
			t.Errorf("%s: %d bytes after %v, %v", name, len(stripped), took, err)
		}
	}
}
