package chunk

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// document is a text seen as lines, with what an outline finds out about them. Lines count from 0 here, and a
// range of lines doesn't include its end.
type document struct {
	Options
	text string
	// starts has the byte offset of each line, then the length of the text; chars the characters before it.
	starts, chars []int
	// breaks says how good a start of a chunk each line is; then one for the end of the text.
	breaks []uint8
}

// How good a line is as the start of a chunk. Higher is better; the numbers between structure and paragraph are
// for indentation.
const (
	breakNever     = 0 // inside a block that fits into one chunk
	breakLine      = 1
	breakStructure = 2 // the start of an inner part, such as an item of a list
	breakItem      = 3
	breakParagraph = 8 // after a blank line
	breakHeading   = 12
	breakSection   = 15
)

// section starts at a line and reaches to the next one.
type section struct {
	first   int
	heading string
	// level ranks a section: those of level 1 and 2 prefer a chunk of their own, all others join their
	// predecessor when there is room.
	level int
}

// outline finds a document's sections and rates its lines.
type outline func(*document) []section

func newDocument(text string, o Options) *document {
	n := strings.Count(text, "\n") + 1
	d := &document{Options: o, text: text, starts: make([]int, 0, n+1), chars: make([]int, 0, n+1)}
	offset, chars := 0, 0
	for offset < len(text) {
		d.starts, d.chars = append(d.starts, offset), append(d.chars, chars)
		end := len(text)
		if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
			end = offset + i + 1
		}
		chars += utf8.RuneCountInString(text[offset:end])
		offset = end
	}
	d.starts, d.chars = append(d.starts, offset), append(d.chars, chars)
	d.breaks = make([]uint8, len(d.starts))
	d.breaks[d.lines()] = breakSection
	return d
}

func (d *document) lines() int { return len(d.starts) - 1 }

// slice is the exact text of a range of lines.
func (d *document) slice(from, to int) string { return d.text[d.starts[from]:d.starts[to]] }

// size is the number of characters in a range of lines.
func (d *document) size(from, to int) int { return d.chars[to] - d.chars[from] }

// line is a line without its end, trailing white space and a leading byte order mark.
func (d *document) line(i int) string {
	line := strings.TrimRight(d.slice(i, i+1), " \t\r\n\v\f")
	if i == 0 {
		line = strings.TrimPrefix(line, byteOrderMark)
	}
	return line
}

// hold keeps a block in one piece, if it fits into a chunk.
func (d *document) hold(from, to int) {
	if to > from && d.size(from, to) <= d.MaxChars {
		clear(d.breaks[from+1 : to])
	}
}

// leadIn moves the start of a section up over the lines directly above it that belong to it, such as comments.
// It stops at the line where the section before starts.
func (d *document) leadIn(i, floor int, belongs func(line string) bool) int {
	for i-1 > floor && belongs(d.line(i-1)) {
		i--
	}
	return i
}

// sections completes an outline, so that it covers the document: what stands before the first section is one too,
// unless it is blank.
func (d *document) sections(list []section) []section {
	switch {
	case len(list) == 0 || list[0].first > 0 && !blank(strings.TrimPrefix(d.slice(0, list[0].first), byteOrderMark)):
		list = append([]section{{}}, list...)
	default:
		list[0].first = 0
	}
	for i := range list {
		list[i].heading = first(strings.TrimSpace(list[i].heading), MaxHeadingChars)
		d.breaks[list[i].first] = breakSection
	}
	return list
}

// paragraphs rates the lines of prose.
func paragraphs(d *document) []section {
	previous := ""
	for i := range d.lines() {
		line := d.line(i)
		switch {
		case line == "" || previous != "":
			d.breaks[i] = breakLine
		case line[0] == ' ' || line[0] == '\t':
			d.breaks[i] = breakStructure
		default:
			d.breaks[i] = breakParagraph
		}
		previous = line
	}
	return nil
}

var (
	closes = regexp.MustCompile(`^(?:[}\])]|(?:fi|done|esac|end|else|elif|except|finally)\b)`)
	leads  = regexp.MustCompile(`^(?:[#;@]|//)`)
)

// indentation rates the lines of code and data: the less a line is indented the better, better still after a blank
// line. What closes or continues a block, and what follows a comment, a decorator or a continued line, goes with
// what is above.
func (d *document) indentation() {
	previous := ""
	for i := range d.lines() {
		line := d.line(i)
		text := strings.TrimLeft(line, " \t")
		indent := strings.Count(line[:len(line)-len(text)], "\t")*4 + strings.Count(line[:len(line)-len(text)], " ")
		rank := uint8(breakParagraph - 1 - min(indent/2, breakParagraph-1-breakStructure))
		above := strings.TrimLeft(previous, " \t")
		switch {
		case text == "", closes.MatchString(text):
			rank = breakLine
		case above == "":
			rank += breakHeading - breakParagraph
		case leads.MatchString(above), strings.HasSuffix(above, `\`):
			rank = breakLine
		}
		d.breaks[i] = rank
		previous = line
	}
}
