package kb

import "strings"

// Lines is a text seen as lines, by the one rule of the product: a line ends at
// LF and nowhere else. A CR before the LF belongs to the line; a last line
// without LF is a line; an empty text has none. Every line number that people
// or models see comes from here.
type Lines struct {
	text   string
	starts []int // byte offset of each line's first byte
}

// SplitLines indexes text in one pass.
func SplitLines(text string) Lines {
	if text == "" {
		return Lines{}
	}
	starts := make([]int, 1, strings.Count(text, "\n")+1)
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 || i+n+1 == len(text) {
			return Lines{text: text, starts: starts}
		}
		i += n + 1
		starts = append(starts, i)
	}
}

// Count is the number of lines.
func (l Lines) Count() int { return len(l.starts) }

// Line is the n-th line with its line end; n counts from 1 and must exist.
func (l Lines) Line(n int) string { return l.Slice(n, n) }

// Slice is the exact text of lines first to last, both counted from 1 and both
// existing. Slice(1, Count()) is the whole text.
func (l Lines) Slice(first, last int) string {
	end := len(l.text)
	if last < len(l.starts) {
		end = l.starts[last]
	}
	return l.text[l.starts[first-1]:end]
}
