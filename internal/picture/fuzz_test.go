package picture

import (
	"bytes"
	"image"
	"reflect"
	"testing"
)

// FuzzPicture: what is taken for an image is one after it was stripped, the same one, and stays as it is when
// stripped again. Where the standard decoders read it, they read the same pixels.
func FuzzPicture(f *testing.F) {
	for _, b := range loaded(f) {
		f.Add(b)
	}
	for _, name := range []string{"lossy.webp", "alpha.webp", "lossless.webp"} {
		f.Add(testdata(f, name))
	}
	f.Add(plainPNG(3, 2))
	f.Add(plainJPEG(3, 2))
	f.Add(plainGIF(3, 2, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		info, err := Check(b)
		stripped, stripErr := Strip(b)
		if (err == nil) != (stripErr == nil) {
			t.Fatalf("Check says %v, Strip says %v", err, stripErr)
		}
		if err != nil {
			return
		}
		if info.Width*info.Height > MaxPixels || info.Width <= 0 || info.Height <= 0 || info.Frames < 1 || info.Frames > MaxFrames {
			t.Fatalf("out of bounds: %+v", info)
		}
		if info.Metadata == bytes.Equal(b, stripped) {
			t.Fatalf("metadata %v, but %d bytes became %d", info.Metadata, len(b), len(stripped))
		}
		info.Metadata = false
		if again, err := Check(stripped); err != nil || again != info {
			t.Fatalf("it was %+v and is %+v, %v", info, again, err)
		}
		if info.Width*info.Height > 1<<16 {
			return
		}
		before, _, err := image.Decode(bytes.NewReader(b))
		if err != nil {
			return
		}
		if after, _, err := image.Decode(bytes.NewReader(stripped)); err != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("the pixels differ: %v", err)
		}
	})
}
