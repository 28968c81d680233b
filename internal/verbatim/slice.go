package verbatim

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"bor/internal/kb"
)

// problem is why a place can't be shown.
type problem int

const (
	none problem = iota
	unknown
	image
	badRange
	pastEnd
	shown
	full
	deflected
	unavailable
)

// settle clamps what is wanted of a document.
func settle(doc kb.Document, want Locator, total int) (Locator, problem) {
	if doc.Kind == kb.KindImage {
		return want, image
	}
	return clamp(want, total)
}

// clamp gives the canonical locator of what want covers in a document of total
// lines, before any cap (DEC9): an end past the last line is the last line, and
// a range of all lines is the whole document.
func clamp(want Locator, total int) (Locator, problem) {
	if !want.Ranged {
		return want, none
	}
	if want.First < 1 || want.Last < want.First {
		return want, badRange
	}
	if want.First > total {
		return want, pastEnd
	}
	want.Last = min(want.Last, total)
	if want.First == 1 && want.Last == total {
		return Locator{Source: want.Source, Path: want.Path}, none
	}
	return want, none
}

// cut makes the block of a clamped locator, of at most maxChars characters (0:
// any number). It ends at the last line that fits; when not even the first line
// fits, that line is cut between characters (V4).
func cut(doc kb.Document, lines kb.Lines, at Locator, maxChars int) Block {
	b := Block{
		Source: doc.Source, Path: doc.Path, Title: doc.Title, Revision: doc.Revision,
		StartLine: at.First, EndLine: at.Last, TotalLines: lines.Count(), Locator: at.String(),
	}
	if !doc.Date.IsZero() {
		b.Date = doc.Date.UTC().Format(time.DateOnly)
	}
	if strings.HasPrefix(doc.Encoding, "utf-16") {
		b.Encoding = doc.Encoding
	}
	if !at.Ranged {
		b.StartLine, b.EndLine = min(1, lines.Count()), lines.Count()
	}
	if lines.Count() > 0 {
		b.Text = lines.Slice(b.StartLine, b.EndLine)
	}
	if maxChars > 0 {
		b.shrink(lines, maxChars)
	}
	if origin, ok := doc.Origin(b.StartLine, b.EndLine); ok {
		b.Origin = origin.URL
	}
	sum := sha256.Sum256([]byte(b.Text))
	b.SHA256 = hex.EncodeToString(sum[:])
	return b
}

// shrink cuts the block's text to what fits into maxChars characters.
func (b *Block) shrink(lines kb.Lines, maxChars int) {
	fits := kb.FirstChars(b.Text, maxChars)
	if fits == b.Text {
		return
	}
	b.Truncated, b.AskedEnd = true, b.EndLine
	if whole := strings.LastIndexByte(fits, '\n') + 1; whole > 0 {
		b.Text = fits[:whole]
		b.EndLine = b.StartLine + strings.Count(b.Text, "\n") - 1
		return
	}
	b.Text = fits
	b.EndLine = b.StartLine
	b.LineChars = kb.Chars(lines.Line(b.StartLine))
}
