// Package chunk cuts a document into the pieces that are embedded and searched. It is pure: text in, chunks out.
//
// A document is seen as lines, by the rule that only LF ends a line. A format's outline finds where sections start
// and how good each line is as the start of a chunk; packing then joins small sections and splits long ones. Both
// passes are linear in the text, whatever it holds.
//
// Invariants:
//   - No chunk is longer than Options.MaxChars.
//   - A chunk is the exact text of its lines, from StartLine to EndLine. The one exception is a line that is itself
//     over the maximum, or is with the heading that it stands under: it becomes several chunks, which put together
//     are the line, or the heading and the line.
//   - Every line with anything to see is in at least one chunk. Blank lines go with their neighbours; white space
//     that would be a chunk by itself isn't made one, because there is nothing in it to find.
//   - Chunks come in the order of the document, and a later chunk never starts before an earlier one.
//
// Rejected: a Markdown parser's tree (block boundaries need a tenth of it, and its worst cases are not linear) and
// chunks by tokens (each embedding model counts them differently).
package chunk

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// Options sets the sizes, in characters (Unicode code points).
type Options struct {
	// TargetChars is the size that chunks aim at: sections are joined up to it and split above it. It is clamped
	// to MaxChars; 0 means 2000.
	TargetChars int
	// OverlapChars is how much of a chunk its successor may repeat when a section had to be split, in whole
	// lines. It is clamped to half the target; 0 means no overlap.
	OverlapChars int
	// MaxChars is the most that a chunk may have; 0 means 1200.
	MaxChars int
}

// Defaults are the sizes that fit small embedding models.
var Defaults = Options{TargetChars: 2000, OverlapChars: 200, MaxChars: 1200}

func (o Options) normal() Options {
	o.MaxChars = cmp.Or(max(o.MaxChars, 0), Defaults.MaxChars)
	o.TargetChars = min(cmp.Or(max(o.TargetChars, 0), Defaults.TargetChars), o.MaxChars)
	o.OverlapChars = min(max(o.OverlapChars, 0), o.TargetChars/2)
	return o
}

// MaxHeadingChars bounds Chunk.Heading; a longer heading is cut there. It is a hint for searching and showing,
// the text itself has the whole of it.
const MaxHeadingChars = 200

// Chunk is a piece of a document.
type Chunk struct {
	// Position counts from 0.
	Position int
	// StartLine and EndLine count from 1 and belong to the chunk both.
	StartLine, EndLine int
	// Heading names the section that the chunk starts in: the nearest Markdown heading of level one to three,
	// the top-level key, the definition, the INI section. Empty when there is none.
	Heading string
	// Text is exact; see the package's invariants.
	Text string
}

// Version rises when Split cuts texts in another way than before.
const Version = 2

// Split cuts text into chunks; path tells the format. A text of white space alone has no chunks.
func Split(path, text string, o Options) []Chunk {
	if blank(strings.TrimPrefix(text, byteOrderMark)) {
		return nil
	}
	d := newDocument(text, o.normal())
	p := packer{document: d, sections: d.sections(outlineOf(path)(d))}
	p.pack()
	return p.chunks
}

const byteOrderMark = "\uFEFF"

// blank reports whether s is white space alone.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// first is the longest start of s that has at most n characters.
func first(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i]
}
