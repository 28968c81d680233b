package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// answer is what the beginning of a line tells about the line.
type answer int8

const (
	no        answer = iota // not for certain; the whole line decides
	yes                     // for certain, whatever follows
	undecided               // the next characters will tell
)

// leaves tells whether a line, of which line is the beginning, stands outside
// the open block, so that the block is finished before the line is. It says yes
// only by rules that are exact (CommonMark 5.1, 5.2, 4.4): text is shown in its
// right place at once, and no text inside a bor fence is ever taken for text
// behind it.
func (o *outline) leaves(line []byte) answer {
	indent, at := util.IndentWidth(line, 0)
	if at == len(line) {
		return undecided
	}
	if util.IsBlank(line[at:]) {
		return no
	}
	rest := line[at:]
	switch top := o.top().Node.(type) {
	case *ast.Paragraph:
	case *ast.CodeBlock:
		if indent >= 4 {
			return no
		}
	case *ast.Blockquote:
		if indent < 4 && rest[0] == '>' {
			return no
		}
	case *ast.List:
		item, isItem := top.LastChild().(*ast.ListItem)
		if !isItem || indent >= item.Offset {
			return no
		}
		if indent < 4 {
			switch m := marker(rest); m.kind {
			case partMarker:
				return undecided
			case emptyMarker:
				return no
			case itemMarker:
				if top.CanContinue(m.char, m.ordered) {
					return no
				}
				return yes
			}
		}
	default:
		return no
	}
	if last := o.last(); last != nil && ast.IsParagraph(last) {
		return interrupts(indent, rest) // else it is a lazy continuation
	}
	return yes
}

// interrupts tells whether a line ends the paragraph before it.
func interrupts(indent int, rest []byte) answer {
	if indent > 3 {
		return no
	}
	switch c := rest[0]; c {
	case '>':
		return yes
	case '#':
		n := len(rest) - len(bytes.TrimLeft(rest, "#"))
		switch {
		case n > 6:
			return no
		case n == len(rest):
			return undecided
		case rest[n] == ' ' || rest[n] == '\t' || rest[n] == '\n':
			return yes
		}
		return no
	}
	switch m := marker(rest); {
	case m.kind == partMarker:
		return undecided
	case m.kind == itemMarker && (!m.ordered || m.number == 1):
		return yes
	}
	return no
}

// isHeading reports whether a line begins like a heading.
func isHeading(line []byte) bool {
	indent, at := util.IndentWidth(line, 0)
	return at < len(line) && line[at] == '#' && interrupts(indent, line[at:]) != no
}

// listMarker is what stands at the beginning of a line as a list marker.
type listMarker struct {
	kind    markerKind
	char    byte // - + * or the delimiter . )
	ordered bool
	number  int
}

type markerKind int8

const (
	noMarker    markerKind = iota // no list marker
	partMarker                    // perhaps: the line isn't long enough yet
	emptyMarker                   // a marker with nothing behind it
	itemMarker                    // a marker, white space, and content
)

// marker reads a list marker at the start of rest, an unindented line.
func marker(rest []byte) listMarker {
	var m listMarker
	i := 0
	switch c := rest[0]; {
	case c == '-' || c == '+' || c == '*':
		m.char, i = c, 1
	case util.IsNumeric(c):
		m.ordered = true
		for i < len(rest) && util.IsNumeric(rest[i]) && i < 10 {
			m.number = 10*m.number + int(rest[i]-'0')
			i++
		}
		if i > 9 {
			return listMarker{}
		}
		if i == len(rest) {
			return listMarker{kind: partMarker}
		}
		if rest[i] != '.' && rest[i] != ')' {
			return listMarker{}
		}
		m.char = rest[i]
		i++
	default:
		return listMarker{}
	}
	space := i
	for i < len(rest) && (rest[i] == ' ' || rest[i] == '\t') {
		i++
	}
	switch {
	case i == len(rest):
		m.kind = partMarker
	case util.IsBlank(rest[i:]):
		m.kind = emptyMarker
	case i == space:
		return listMarker{}
	default:
		m.kind = itemMarker
	}
	return m
}

// opener watches the beginning of a line for a code fence, at any depth of
// lists and quotes. It errs on the side of a fence: it takes every mix of
// indentation and container markers for a possible beginning.
type opener struct {
	state openerState
	char  byte   // of the fence
	run   int    // its length so far
	info  []byte // what stands behind it, up to the length that matters
}

type openerState int8

const (
	atLead  openerState = iota // only indentation and container markers so far
	atFence                    // in a run of back-quotes or tildes
	atInfo                     // behind a fence of three or more
	noFence                    // decided: the line opens no fence
)

// leads are the characters that containers put before a fence.
const leads = " \t\v\f>-+*.)0123456789"

// maxInfo is enough of an info string to know its first word.
const maxInfo = 64

// watch takes the next characters of the line and reports whether the line may
// still open a fence.
func (f *opener) watch(b []byte) bool {
	for i, c := range b {
		if f.state == atLead {
			if bytes.IndexByte([]byte(leads), c) >= 0 {
				continue
			}
			if c != '`' && c != '~' {
				f.state = noFence
				return false
			}
			f.state, f.char = atFence, c
		}
		if f.state == atFence {
			if c == f.char {
				f.run++
				continue
			}
			if f.run < 3 {
				f.state = noFence
				return false
			}
			f.state = atInfo
		}
		// A back-quote in the info string makes the line a paragraph.
		rest := b[i:]
		if f.state == atInfo && f.char == '`' && bytes.IndexByte(rest, '`') >= 0 {
			f.state = noFence
		}
		f.info = append(f.info, rest[:min(len(rest), maxInfo-len(f.info))]...)
		break
	}
	return f.state != noFence
}

// isBor reports whether the fence's info string, as far as it is there, has the
// first word bor.
func (f *opener) isBor() bool {
	if f.state != atInfo {
		return false
	}
	word, _, _ := bytes.Cut(bytes.TrimLeft(bytes.ReplaceAll(f.info, []byte("\t"), []byte(" ")), " "), []byte(" "))
	return string(bytes.TrimRight(word, "\n")) == fenceWord
}
