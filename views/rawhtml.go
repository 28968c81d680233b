package views

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// SafeHTML is finished HTML, made by this product's own renderers out of escaped
// text. Turning a string into SafeHTML anywhere but in such a renderer is a bug;
// this file is the only place that writes it out (SEC1).
type SafeHTML string

// Render implements templ.Component.
func (h SafeHTML) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, string(h))
	return err
}

// Text is s escaped for element content, with every carriage return written as a
// reference: the HTML parser would turn a raw one into a line feed, and a stream
// message would end at it (DEC3).
func Text(s string) SafeHTML {
	return SafeHTML(strings.ReplaceAll(templ.EscapeString(s), "\r", "&#13;"))
}

// Path is Text that may break after each slash, so that a long path wraps where a
// reader would break it.
func Path(s string) SafeHTML {
	return SafeHTML(strings.ReplaceAll(string(Text(s)), "/", "/<wbr>"))
}

// CodeLine is one line of shown text: its number and its bytes as HTML, the line
// end among them if it has one.
type CodeLine struct {
	Number int
	HTML   SafeHTML
	Hit    bool // inside the range that the address names
}

// codeLines is the inside of a code element: nothing but the lines, so that the
// element's textContent is exactly the shown bytes. The numbers are attributes,
// drawn by the style sheet, outside of selection and clipboard. Built by hand
// because a template may add white space between elements.
func codeLines(lines []CodeLine, anchors bool) SafeHTML {
	var b strings.Builder
	for _, line := range lines {
		n := strconv.Itoa(line.Number)
		b.WriteString(`<span class="line`)
		if line.Hit {
			b.WriteString(` hit`)
		}
		b.WriteString(`"`)
		if anchors {
			b.WriteString(` id="L` + n + `"`)
		}
		b.WriteString(` data-n="` + n + `"><span>`)
		b.WriteString(string(line.HTML))
		b.WriteString(`</span></span>`)
	}
	return SafeHTML(b.String())
}

// gutterClass picks the width of the number column from its widest number: a
// class, because the policy forbids style attributes.
func gutterClass(lines []CodeLine) string {
	if len(lines) == 0 {
		return "gutter-3"
	}
	digits := len(strconv.Itoa(lines[len(lines)-1].Number))
	return "gutter-" + strconv.Itoa(min(max(digits, 3), 7))
}
