package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"
)

const secret = "52.5200 N 13.4050 E, by Ada" // what no stripped image may hold

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func gradient(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(i*7 + i/width)
	}
	return m
}

func plainPNG(width, height int) []byte {
	var b bytes.Buffer
	must(0, png.Encode(&b, gradient(width, height)))
	return b.Bytes()
}

func plainJPEG(width, height int) []byte {
	var b bytes.Buffer
	must(0, jpeg.Encode(&b, gradient(width, height), nil))
	return b.Bytes()
}

func plainGIF(width, height, frames int) []byte {
	var b bytes.Buffer
	g := gif.GIF{}
	for i := range frames {
		m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White, color.Transparent})
		m.Pix[i%len(m.Pix)] = 1
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 10)
	}
	must(0, gif.EncodeAll(&b, &g))
	return b.Bytes()
}

// riffChunk writes a RIFF chunk with its padding.
func riffChunk(kind string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data)))
	return append(append(b, data...), make([]byte, len(data)&1)...)
}

func riffFile(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// lossless is a VP8L chunk of one colour: five codes of one symbol each, and then no bit for any pixel.
func lossless(width, height int) []byte {
	b := []byte{0x2F}
	w := bitWriter{}
	w.put(uint64(width-1), 14)
	w.put(uint64(height-1), 14)
	w.put(0, 1+3+3)
	for _, symbol := range []uint64{200, 40, 80, 255} {
		w.put(1|1<<2|symbol<<3, 11)
	}
	w.put(1, 4) // distance: simple, one symbol, of one bit, 0
	return riffChunk("VP8L", append(b, w.bytes()...)...)
}

// bitWriter packs bits as VP8L does, the lowest first.
type bitWriter struct{ bits []byte }

func (w *bitWriter) put(v uint64, n int) {
	for i := range n {
		w.bits = append(w.bits, byte(v>>i&1))
	}
}

func (w *bitWriter) bytes() []byte {
	b := make([]byte, (len(w.bits)+7)/8)
	for i, bit := range w.bits {
		b[i/8] |= bit << (i % 8)
	}
	return b
}

func le24(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }

// vp8x is an extended header.
func vp8x(flags byte, width, height int) []byte {
	return riffChunk("VP8X", append(append([]byte{flags, 0, 0, 0}, le24(width-1)...), le24(height-1)...)...)
}

// anmf is one frame of an animation around its chunks.
func anmf(x, y, width, height int, chunks ...[]byte) []byte {
	b := bytes.Join([][]byte{le24(x / 2), le24(y / 2), le24(width - 1), le24(height - 1), le24(100), {0}, bytes.Join(chunks, nil)}, nil)
	return riffChunk("ANMF", b...)
}

// tiff is an EXIF structure with an orientation and a secret, in either byte order.
func tiff(order binary.AppendByteOrder, orientation int) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, 0x010F), 2), uint32(len(secret))) // Make, text
	b = order.AppendUint32(b, 38)
	b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tagOrientation), 3), 1)
	b = order.AppendUint16(order.AppendUint16(b, uint16(orientation)), 0)
	return append(order.AppendUint32(b, 0), secret...)
}

// after inserts bytes at an offset.
func after(b []byte, at int, insert ...[]byte) []byte {
	return bytes.Join([][]byte{b[:at], bytes.Join(insert, nil), b[at:]}, nil)
}

func jpegPart(marker byte, data string) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(data)+2))
	return append(b, data...)
}

func gifExtension(label byte, blocks ...string) []byte {
	b := []byte{0x21, label}
	for _, s := range blocks {
		b = append(append(b, byte(len(s))), s...)
	}
	return append(b, 0)
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	return must(os.ReadFile("testdata/" + name))
}

const afterIHDR = 8 + 25

// gifStart is where the blocks of plainGIF start: its frames have colour tables of their own.
const gifStart = 13

// loaded gives, for each type and twist, an image that is full of metadata.
func loaded(t testing.TB) map[string][]byte {
	xmp := "http://ns.adobe.com/xap/1.0/\x00<x>" + secret + "</x>"
	exif := exifStart + string(tiff(binary.LittleEndian, 6))
	extended := testdata(t, "lossy.webp")
	extended[20] |= webpEXIF | webpXMP
	still := append(extended, riffChunk("EXIF", tiff(binary.BigEndian, 8)...)...)
	still = append(still, riffChunk("XMP ", []byte(xmp)...)...)
	binary.LittleEndian.PutUint32(still[4:], uint32(len(still)-8))
	return map[string][]byte{
		"a.png": append(after(plainPNG(5, 3), afterIHDR,
			pngChunk("tEXt", []byte("Author\x00"+secret)), pngChunk("zTXt", []byte(secret)), pngChunk("iTXt", []byte(secret)),
			pngChunk("eXIf", tiff(binary.BigEndian, 3)), pngChunk("tIME", make([]byte, 7)), pngChunk("caBX", []byte(secret)),
			pngChunk("pHYs", make([]byte, 9))), "PK\x03\x04"+secret...),
		"a.jpg": append(after(plainJPEG(9, 7), 2,
			jpegPart(mAPP0, "JFIF\x00\x01\x02\x00\x00\x48\x00\x48\x01\x09"+secret), jpegPart(mAPP0, "JFXX\x00"+secret), jpegPart(mAPP1, exif),
			jpegPart(mAPP1, xmp), jpegPart(mAPP1, exifStart+secret), jpegPart(mAPP2, "ICC_PROFILE\x00\x01\x01profile"), jpegPart(mAPP2, "MPF\x00"+secret),
			jpegPart(0xED, "Photoshop 3.0\x00"+secret), jpegPart(0xFE, secret), []byte{0xFF}, jpegPart(mAPP14, "Adobe"+secret)),
			"\xFF\xD8\xFF<script>"+secret...),
		"a.gif": append(after(plainGIF(6, 4, 3), gifStart, gifExtension(0xFE, secret, secret), gifExtension(0x01, strings.Repeat("\x00", 12), secret),
			gifExtension(0xFF, "XMP DataXMP", secret), gifExtension(0xFF, "NETSCAPE2.0", "\x01\x00\x00", secret)), "GIF89a"+secret...),
		"still.webp":  still,
		"simple.webp": append(riffFile(lossless(8, 6), riffChunk("EXIF", []byte(secret)...), riffChunk("odd ", 1)), secret...),
		"moving.webp": riffFile(vp8x(webpAnimated|webpXMP, 8, 6), riffChunk("ANIM", 0, 0, 0, 0, 0, 0), riffChunk("NOTE", []byte(secret)...),
			anmf(0, 0, 8, 6, lossless(8, 6), riffChunk("NOTE", []byte(secret)...)), anmf(2, 2, 4, 4, riffChunk("NOTE", 1, 2, 3), lossless(4, 4)),
			riffChunk("XMP ", []byte(xmp)...)),
	}
}
