package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"reflect"
	"strings"
	"testing"

	_ "golang.org/x/image/webp"
)

func TestCheck(t *testing.T) {
	turned := after(plainJPEG(9, 7), 2, exifSegment(6))
	tests := []struct {
		name string
		b    []byte
		want Info
	}{
		{"png", plainPNG(5, 3), Info{PNG, 5, 3, 1, false}},
		{"jpeg", plainJPEG(9, 7), Info{JPEG, 9, 7, 1, false}},
		{"jpeg on its side", turned, Info{JPEG, 7, 9, 1, false}},
		{"jpeg that says it stands", after(plainJPEG(9, 7), 2, exifSegment(1)), Info{JPEG, 9, 7, 1, true}},
		{"gif", plainGIF(6, 4, 1), Info{GIF, 6, 4, 1, false}},
		{"moving gif", plainGIF(6, 4, 3), Info{GIF, 6, 4, 3, false}},
		{"lossy webp", testdata(t, "lossy.webp"), Info{WebP, 20, 12, 1, false}},
		{"webp with alpha", testdata(t, "alpha.webp"), Info{WebP, 20, 12, 1, false}},
		{"lossless webp", testdata(t, "lossless.webp"), Info{WebP, 20, 12, 1, false}},
		{"lossless webp alone", riffFile(lossless(8, 6)), Info{WebP, 8, 6, 1, false}},
		{"the most pixels", riffFile(lossless(8000, 5000)), Info{WebP, 8000, 5000, 1, false}},
		{"loaded png", loaded(t)["a.png"], Info{PNG, 5, 3, 1, true}},
		{"loaded jpeg", loaded(t)["a.jpg"], Info{JPEG, 7, 9, 1, true}},
		{"loaded gif", loaded(t)["a.gif"], Info{GIF, 6, 4, 3, true}},
		{"loaded webp", loaded(t)["still.webp"], Info{WebP, 20, 12, 1, true}},
		{"loaded simple webp", loaded(t)["simple.webp"], Info{WebP, 8, 6, 1, true}},
		{"loaded moving webp", loaded(t)["moving.webp"], Info{WebP, 8, 6, 2, true}},
	}
	for _, tt := range tests {
		if got, err := Check(tt.b); got != tt.want || err != nil {
			t.Errorf("%s: Check = %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestCheckNamed(t *testing.T) {
	for name, fits := range map[string]bool{
		"a.png": true, "sub/A.PNG": true, "a.jpg": false, "a.png.gif": false, "png": false, "a.svg": false, "a.png.html": false, ".png": true, "": false,
	} {
		if info, err := CheckNamed(name, plainPNG(2, 2)); (err == nil) != fits || (info.Type == PNG) != fits {
			t.Errorf("CheckNamed(%q) = %+v, %v", name, info, err)
		}
	}
	for name, want := range map[string]Type{"a.jpg": JPEG, "b.JPEG": JPEG, "c.gif": GIF, "d.webp": WebP, "e.avif": "", "gif": ""} {
		if got, ok := TypeOf(name); got != want || ok != (want != "") {
			t.Errorf("TypeOf(%q) = %q, %v", name, got, ok)
		}
	}
	if _, err := CheckNamed("a.png", []byte("x")); err != errNoImage {
		t.Errorf("no image: %v", err)
	}
}

// TestStrip: nothing of the metadata is left, what is left is the same image, and to strip again changes nothing.
func TestStrip(t *testing.T) {
	for name, b := range loaded(t) {
		if !bytes.Contains(b, []byte(secret)) {
			t.Fatalf("%s holds no secret to take out", name)
		}
		before := bytes.Clone(b)
		stripped, err := Strip(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(b, before) {
			t.Errorf("%s: Strip wrote into what it was given", name)
		}
		for _, word := range []string{"Ada", "52.5", "xap", "XMP"} {
			if bytes.Contains(stripped, []byte(word)) {
				t.Errorf("%s: %q is left", name, word)
			}
		}
		was, _ := Check(b)
		was.Metadata = false
		if is, err := CheckNamed(name, stripped); is != was || err != nil {
			t.Errorf("%s: it was %+v and is %+v, %v", name, was, is, err)
		}
		if again, err := Strip(stripped); err != nil || !bytes.Equal(again, stripped) {
			t.Errorf("%s: to strip again makes %d of %d bytes, %v", name, len(again), len(stripped), err)
		}
		samePixels(t, name, b, stripped)
	}
}

func TestStripKeepsWhatBelongsToTheImage(t *testing.T) {
	keeps := map[string][]string{
		"a.png":       {"pHYs", string(pngChunk("eXIf", orientationOnly(3)))},
		"a.jpg":       {"ICC_PROFILE\x00\x01\x01profile", string(exifSegment(6)), "JFIF\x00\x01\x02\x00\x00\x48\x00\x48\x00\x00"},
		"a.gif":       {"NETSCAPE2.0\x03\x01"},
		"still.webp":  {"ICCP"},
		"moving.webp": {"ANIM"},
	}
	for name, parts := range keeps {
		stripped := must(Strip(loaded(t)[name]))
		for _, part := range parts {
			if !bytes.Contains(stripped, []byte(part)) {
				t.Errorf("%s: %q is gone", name, part)
			}
		}
	}
	for name, flags := range map[string]byte{"still.webp": 0x20, "moving.webp": webpAnimated} {
		if got := must(Strip(loaded(t)[name]))[20]; got != flags {
			t.Errorf("%s: the flags are %#x, want %#x", name, got, flags)
		}
	}
	for _, b := range [][]byte{plainPNG(3, 3), plainJPEG(3, 3), plainGIF(3, 3, 2), testdata(t, "alpha.webp")} {
		if got := must(Strip(b)); !bytes.Equal(got, b) {
			t.Errorf("an image without metadata changed: %.12q", b)
		}
	}
	smuggled := after(plainGIF(3, 3, 2), gifStart, gifExtension(0xF9, "\x00\x00\x00\x00", secret))
	if got := must(Strip(smuggled)); !bytes.Equal(got, plainGIF(3, 3, 2)) {
		t.Error("a control block with more in it than control is left")
	}
	adobe := after(plainJPEG(3, 3), 2, jpegPart(mAPP14, "Adobe\x00\x64\x00\x00\x00\x00\x00"))
	if got := must(Strip(adobe)); !bytes.Equal(got, adobe) {
		t.Error("how the colours are to be read is gone")
	}
}

// samePixels decodes both with the standard decoders; those don't know moving WebP.
func samePixels(t *testing.T, name string, before, after []byte) {
	t.Helper()
	if strings.HasPrefix(name, "moving") {
		return
	}
	a, _, err := image.Decode(bytes.NewReader(before))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	b, _, err := image.Decode(bytes.NewReader(after))
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%s: other pixels: %v", name, err)
	}
	if strings.HasSuffix(name, ".gif") {
		x, y := must(gif.DecodeAll(bytes.NewReader(before))), must(gif.DecodeAll(bytes.NewReader(after)))
		if !reflect.DeepEqual(x.Image, y.Image) || !reflect.DeepEqual(x.Delay, y.Delay) || x.LoopCount != y.LoopCount {
			t.Errorf("%s: another animation", name)
		}
	}
}

func TestOrientation(t *testing.T) {
	for v := range 12 {
		want := v
		if v > 8 {
			want = 0
		}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			if got := orientation(tiff(order, v)); got != want {
				t.Errorf("%v: orientation %d is read as %d", order, v, got)
			}
		}
	}
	whole := tiff(binary.LittleEndian, 6)
	for n := range 34 {
		if got := orientation(whole[:n]); got != 0 {
			t.Errorf("of %d bytes: %d", n, got)
		}
	}
	for name, b := range map[string]string{
		"no TIFF": "XX*\x00\x08\x00\x00\x00\x00\x00", "far away": "II*\x00\xff\xff\xff\xff\x00\x00", "many entries": "II*\x00\x08\x00\x00\x00\xff\xff",
		"no entries": "MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00",
	} {
		if got := orientation([]byte(b)); got != 0 {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := orientation(orientationOnly(7)); got != 7 {
		t.Errorf("our own is read as %d", got)
	}
}
