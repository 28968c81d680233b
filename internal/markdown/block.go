package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// openBlock is the top-level block that is still arriving: its structure, and
// what the page shows of it, which is its text as it stands (DEC1) and the
// panels met in it.
type openBlock struct {
	id      string
	outline *outline // nil before the first whole line
	sent    bool     // the page has the block

	inner    []byte // its HTML, its fences empty slots, up to where text goes
	foot     string // the rest
	head     int    // where the text of a code block begins in inner
	target   string // selector of the element that text goes to; "" if there is none yet
	newlines int    // line ends that go before the next text there
	waiting  bool   // inner ends with a waiting note

	// What the page lacks, once the block is sent: text for the element it has
	// for text, and HTML behind its last element, without foot.
	text, more []byte
	textTarget string
	onPage     bool // the page has the element at target
	noteOnPage bool // the page has the waiting note

	node   *ast.FencedCodeBlock // the fence that is open
	fence  fenceState           // what it is
	indent int                  // of a top-level fence
}

func (o *openBlock) html() string { return string(o.inner) + o.foot }

// feed gives the block its next line; see outline.feed.
func (o *openBlock) feed(line []byte) (another bool) {
	if o.outline == nil {
		o.outline = newOutline()
	}
	return o.outline.feed(line)
}

func (o *openBlock) source() []byte {
	if o.outline == nil {
		return nil
	}
	return o.outline.reader.src
}

func (o *openBlock) stop() {
	if o.outline != nil {
		o.outline.stop()
	}
}

// settleLine shows what a whole line adds to the open block, once the block's
// structure knows the line. Nothing of a locator fence is shown but its panel.
func (s *Stream) settleLine(line []byte) {
	o := s.open
	node, was := o.node, o.fence
	o.node, _ = o.outline.last().(*ast.FencedCodeBlock)
	o.fence = plainFence
	switch {
	case o.node != nil && (o.node != node || was == bareFence):
		f, state := s.classify(o.node, o.source())
		o.fence = state
		switch state {
		case locatorFence:
			s.meet(f)
		case bareFence:
			s.wait()
		case plainFence:
			s.openCode(line, o.node == node)
		}
	case o.node != nil && was == locatorFence:
		o.fence = was
	case node != nil && was == bareFence:
		s.unwait() // it ended without a body
	case node != nil && o.node == nil && isFenceEnd(line):
		if was == plainFence && !o.isCode() {
			s.showLine(line)
		}
	default:
		s.showLine(line)
	}
	o.newlines++
}

// openCode begins to show code: at the top level in its shell, elsewhere as
// text. The line is the fence's own or, if body is set, the first of its body.
func (s *Stream) openCode(line []byte, body bool) {
	o := s.open
	if o.outline.top().Node == o.node {
		s.unwait()
		o.indent, _ = util.IndentWidth(o.source(), 0)
		head, foot := s.codeShell(language(o.node, o.source()))
		s.openShell(head, foot, " code")
		o.head = len(o.inner) // at the top level nothing stands before it
		if !body {
			o.newlines = -1
			return
		}
	}
	s.showLine(line)
}

// isCode reports whether text goes to a code block's shell.
func (o *openBlock) isCode() bool { return strings.HasSuffix(o.target, " code") }

// change returns what has to be filled, and with what, so that the page shows
// html for the block: the code alone, if its shell is there already.
func (o *openBlock) change(html string) (target, content string) {
	if o.isCode() && o.onPage {
		code, head := strings.CutPrefix(html, string(o.inner[:o.head]))
		if code, foot := strings.CutSuffix(code, o.foot); head && foot {
			return o.target, code
		}
	}
	return "#" + o.id, html
}

// isFenceEnd reports whether a line that ended a fence is the fence's own end,
// and not the first line behind its list item or quote.
func isFenceEnd(line []byte) bool {
	rest := bytes.TrimRight(bytes.TrimLeft(line, leads), " \t\n")
	return len(rest) >= 3 && len(bytes.Trim(rest, string(rest[:1]))) == 0 && (rest[0] == '`' || rest[0] == '~')
}

// showLine shows what the page doesn't have yet of a line of the open block.
func (s *Stream) showLine(line []byte) {
	o := s.open
	rest := bytes.TrimSuffix(line[min(s.cur.shown, len(line)):], []byte("\n"))
	if o.isCode() && s.cur.shown == 0 {
		for i := 0; i < o.indent && len(rest) > 0 && rest[0] == ' '; i++ {
			rest = rest[1:]
		}
	}
	s.cur.shown = len(line)
	if len(rest) == 0 {
		return
	}
	s.unwait()
	if o.target == "" {
		if len(o.inner) == 0 && !isMarked(rest) {
			s.openShell("<p>", "</p>", ">p")
		} else {
			s.openShell(`<div class="tail">`, "</div>", ">.tail:last-child")
		}
	}
	var html []byte
	if o.newlines > 0 {
		html = bytes.Repeat([]byte("\n"), o.newlines)
	}
	html = appendText(html, rest)
	o.newlines = 0
	o.inner = append(o.inner, html...)
	if o.onPage {
		o.text, o.textTarget = append(o.text, html...), o.target
	} else {
		o.more = append(o.more, html...)
	}
}

// isMarked reports whether a block that begins like this is no paragraph, so
// that its text reads better line by line.
func isMarked(line []byte) bool {
	indent, at := util.IndentWidth(line, 0)
	if at == len(line) || indent > 3 {
		return true
	}
	c := line[at]
	return c == '>' || c == '#' || c == '|' || marker(line[at:]).kind == itemMarker
}

// openShell puts an element for text behind what the block shows.
func (s *Stream) openShell(head, foot, target string) {
	o := s.open
	o.put(head)
	o.foot, o.target, o.newlines, o.onPage = foot, "#"+o.id+target, 0, false
}

// put puts HTML behind what the block shows.
func (o *openBlock) put(html string) {
	o.inner = append(o.inner, o.foot...)
	o.inner = append(o.inner, html...)
	if !o.onPage {
		o.more = append(o.more, o.foot...)
	}
	o.more = append(o.more, html...)
	o.foot, o.target, o.onPage = "", "", false
}

// wait puts the waiting note in the place of the next fence.
func (s *Stream) wait() {
	if o := s.open; !o.waiting {
		o.put(s.slot(len(s.fences), Waiting))
		o.waiting, o.noteOnPage = true, false
	}
}

// unwait takes the waiting note away: there is no locator fence after all.
func (s *Stream) unwait() {
	if s.open.waiting && s.takeNote() {
		s.add(Remove, "#"+s.fenceID(len(s.fences)), "")
	}
}

// takeNote takes the waiting note out of what the block shows and reports
// whether the page has it.
func (s *Stream) takeNote() (onPage bool) {
	o, n := s.open, len(s.slot(len(s.fences), Waiting))
	o.waiting = false
	o.inner = o.inner[:len(o.inner)-n]
	if !o.noteOnPage {
		o.more = o.more[:len(o.more)-n]
	}
	return o.noteOnPage
}

// meet puts a fence's panel into the page, in place of the waiting note if that
// is there.
func (s *Stream) meet(f Fence) {
	o, n := s.open, len(s.fences)
	noted := o.waiting && s.takeNote()
	s.fences = append(s.fences, f)
	if noted {
		s.add(Fill, "#"+s.fenceID(n), s.fence(n, f))
		s.placed = n + 1
		o.inner = append(o.inner, s.slot(n, "")...)
		return
	}
	o.put(s.slot(n, ""))
}
