package chunk

import (
	"strings"
	"testing"
	"unicode/utf8"

	"bor/internal/kb"
)

// check holds the package's invariants against one result.
func check(t *testing.T, name, text string, o Options, chunks []Chunk) {
	t.Helper()
	o = o.normal()
	lines := kb.SplitLines(text)
	covered := make([]bool, lines.Count()+1)
	pieces := map[int][]string{} // of lines that were split
	start := 1
	for i, c := range chunks {
		if c.Position != i {
			t.Fatalf("%s: chunk %d has position %d", name, i, c.Position)
		}
		if c.StartLine < start || c.EndLine < c.StartLine || c.EndLine > lines.Count() {
			t.Fatalf("%s: chunk %d has lines %d–%d of %d, the one before starts at %d", name, i, c.StartLine, c.EndLine, lines.Count(), start)
		}
		start = c.StartLine
		if n := utf8.RuneCountInString(c.Text); n > o.MaxChars {
			t.Fatalf("%s: chunk %d has %d characters, the limit is %d", name, i, n, o.MaxChars)
		}
		if blank(c.Text) {
			t.Fatalf("%s: chunk %d is blank: %q", name, i, c.Text)
		}
		if utf8.RuneCountInString(c.Heading) > MaxHeadingChars || strings.ContainsAny(c.Heading, "\n\r") {
			t.Fatalf("%s: chunk %d has the heading %q", name, i, c.Heading)
		}
		for n := c.StartLine; n <= c.EndLine; n++ {
			covered[n] = true
		}
		exact := lines.Slice(c.StartLine, c.EndLine)
		before := lines.Slice(c.StartLine, c.EndLine)[:len(exact)-len(lines.Line(c.EndLine))]
		switch {
		case c.Text == exact:
		case c.StartLine < c.EndLine && utf8.RuneCountInString(exact) > o.MaxChars && pieces[c.EndLine] == nil &&
			strings.HasPrefix(exact, c.Text) && len(c.Text) > len(before):
			pieces[c.EndLine] = []string{c.Text[len(before):]} // a heading with the beginning of its line
		case c.StartLine == c.EndLine && (pieces[c.StartLine] != nil || utf8.RuneCountInString(exact) > o.MaxChars):
			pieces[c.StartLine] = append(pieces[c.StartLine], c.Text)
		default:
			t.Fatalf("%s: chunk %d is not lines %d–%d:\n got %q\nwant %q", name, i, c.StartLine, c.EndLine, c.Text, exact)
		}
	}
	for n := 1; n <= lines.Count(); n++ {
		line := lines.Line(n)
		if !covered[n] && !blank(strings.TrimPrefix(line, byteOrderMark)) {
			t.Fatalf("%s: line %d, %q, is in no chunk", name, n, line)
		}
		// White space that would be a chunk of its own is left out.
		if all := strings.Join(pieces[n], ""); all != "" && all != line && withoutSpace(all) != withoutSpace(line) {
			t.Fatalf("%s: the chunks of line %d give %q, not %q", name, n, all, line)
		}
	}
}

func withoutSpace(s string) string { return strings.Join(strings.Fields(s), "") }
