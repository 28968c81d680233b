// Package picture tells whether bytes are an image that may be shown, and takes what isn't the image out of them.
//
// It owns the answer to "is this an image": PNG, JPEG, GIF or WebP, well-formed from its first byte to its end mark,
// within the limits below. It knows structure and never decodes pixels, so that an image of a hundred bytes that
// announces a gigapixel costs a hundred bytes. SVG is no image here: it is a document that can hold scripts.
//
// Invariants:
//   - Check and Strip walk the same parser: what one accepts, the other does.
//   - Pixels are never touched: Strip keeps the bytes that a decoder reads, in their order, and leaves out the rest.
//   - Strip keeps by a list of what is known to be needed. A kind of metadata invented tomorrow is left out as well.
//   - The work and the memory are linear in the file's length.
//
// Rejected: decoding and encoding anew. It loses quality, animations and colour profiles, and it needs the memory of
// the whole image.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
)

// Limits on one image.
const (
	MaxPixels         = 40_000_000    // width × height
	MaxFrames         = 1000          // of an animation
	MaxAnimatedPixels = 1_000_000_000 // width × height × frames: what a browser draws in one round
	maxScans          = 100           // of a progressive JPEG; each is a pass over all pixels, real ones have about ten
)

// Type is an image's media type.
type Type string

// The types that are images here.
const (
	PNG  Type = "image/png"
	JPEG Type = "image/jpeg"
	GIF  Type = "image/gif"
	WebP Type = "image/webp"
)

// TypeOf is the type that a file's extension promises, in any case; ok is false for every other name.
func TypeOf(name string) (t Type, ok bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		return PNG, true
	case ".jpg", ".jpeg":
		return JPEG, true
	case ".gif":
		return GIF, true
	case ".webp":
		return WebP, true
	}
	return "", false
}

// Info is what an image's structure says.
type Info struct {
	Type Type
	// Width and Height are in pixels, as a browser shows the image: turned when its orientation says so.
	Width, Height int
	// Frames is 1 for a still image.
	Frames int
	// Metadata is whether Strip would leave something out: camera data, place, texts, thumbnails, trailing bytes.
	Metadata bool
}

// Check judges a file's bytes. An error is a sentence for people that says why they are no image to show.
func Check(b []byte) (Info, error) {
	p, err := parse(b)
	return p.Info, err
}

// CheckNamed is Check for a file with a name, whose extension must promise the type that its bytes have.
func CheckNamed(name string, b []byte) (Info, error) {
	info, err := Check(b)
	if err != nil {
		return Info{}, err
	}
	if promised, ok := TypeOf(name); !ok || promised != info.Type {
		return Info{}, fmt.Errorf("the file's name and its content differ: the content is %s", info.Type)
	}
	return info, nil
}

// Strip gives the image without metadata: EXIF with camera and place, XMP, IPTC, comments, texts, times, thumbnails,
// private chunks, and whatever follows the image's end. Pixels, animation, transparency, colour profile, resolution
// and orientation stay as they are. It fails where Check fails.
func Strip(b []byte) ([]byte, error) {
	p, err := parse(b)
	if err != nil {
		return nil, err
	}
	return bytes.Join(p.kept, nil), nil
}

// parsed is an image on its way through a parser: what is known of it, and which of its bytes are needed.
type parsed struct {
	Info
	orientation int // as EXIF counts, 1 to 8; 0 when nothing says

	b    []byte
	from int // the first byte that is neither kept nor left out yet
	kept [][]byte
}

// leaveOut leaves out the bytes between two offsets and keeps what lies before them.
func (p *parsed) leaveOut(from, to int) {
	p.put(p.b[p.from:from])
	p.from = to
}

// put adds bytes to what is kept, in the place of those left out last.
func (p *parsed) put(b []byte) {
	if len(b) > 0 {
		p.kept = append(p.kept, b)
	}
}

// parsers start at what a file of their type starts with, and give the offset at which the image ends.
var parsers = []struct {
	start string
	Type
	walk func(p *parsed) (end int, err error)
}{
	{pngSignature, PNG, (*parsed).png},
	{"\xFF\xD8\xFF", JPEG, (*parsed).jpeg},
	{"GIF87a", GIF, (*parsed).gif},
	{"GIF89a", GIF, (*parsed).gif},
	{"RIFF", WebP, (*parsed).webp},
}

var errNoImage = errors.New("the file is not an image of a kind that is shown: PNG, JPEG, GIF or WebP")

func parse(b []byte) (parsed, error) {
	for _, parser := range parsers {
		if !bytes.HasPrefix(b, []byte(parser.start)) {
			continue
		}
		p := parsed{Info: Info{Type: parser.Type}, b: b}
		end, err := parser.walk(&p)
		if err != nil {
			return parsed{}, err
		}
		p.leaveOut(end, len(b))
		p.Metadata = !sameBytes(b, p.kept)
		if p.orientation >= 5 {
			p.Width, p.Height = p.Height, p.Width
		}
		return p, nil
	}
	return parsed{}, errNoImage
}

// sameBytes reports whether the pieces make up b.
func sameBytes(b []byte, pieces [][]byte) bool {
	for _, piece := range pieces {
		if !bytes.HasPrefix(b, piece) {
			return false
		}
		b = b[len(piece):]
	}
	return len(b) == 0
}

// size takes the dimensions and judges them.
func (p *parsed) size(width, height int) error {
	if width <= 0 || height <= 0 {
		return errors.New("the image has no size: its width or height is zero")
	}
	if width > MaxPixels || height > MaxPixels || width*height > MaxPixels {
		return fmt.Errorf("the image is too big to show: %d × %d pixels, the limit is %d megapixels", width, height, MaxPixels/1_000_000)
	}
	p.Width, p.Height = width, height
	return nil
}

// frame counts one frame of an animation, or the one of a still image.
func (p *parsed) frame() error {
	p.Frames++
	if p.Frames > MaxFrames {
		return fmt.Errorf("the animation has too many frames: the limit is %d", MaxFrames)
	}
	if p.Frames > 1 && p.Frames*p.Width*p.Height > MaxAnimatedPixels {
		return fmt.Errorf("the animation is too big to show: more than %d frames of %d × %d pixels", p.Frames-1, p.Width, p.Height)
	}
	return nil
}

// inside judges where a frame lies on the canvas.
func (p *parsed) inside(x, y, width, height int) error {
	if width <= 0 || height <= 0 || x < 0 || y < 0 || x+width > p.Width || y+height > p.Height {
		return damaged("a frame lies outside the image")
	}
	return nil
}

func damaged(how string) error { return fmt.Errorf("the image is damaged: %s", how) }

var errCut = damaged("the file ends before the image does")
