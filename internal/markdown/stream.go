package markdown

import (
	"bytes"
	"strconv"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// Options of one answer.
type Options struct {
	// IDPrefix begins every id: "t12-" makes blocks t12-b3, headings t12-h1 and
	// the places of fences t12-f0. It begins with a letter and holds letters,
	// digits and hyphens only; it is ours, never the model's.
	IDPrefix string
	// Fence returns the HTML of the n-th locator fence of the text, counted
	// from 0: the panel, the honest state, or Waiting. It is called when the
	// fence is met and again by Blocks, so it returns what is true by then. If
	// it is nil the feature is off and `bor` fences are the model's own code.
	Fence func(n int, f Fence) string
	// IsLocator reports whether a string is a locator. If it is nil, every
	// string but the empty one is.
	IsLocator func(string) bool
}

// Block is one finished or open top-level block with its wrapper, whose id is ID.
type Block struct{ ID, HTML string }

// Render renders a whole text. Its blocks are those of a Stream of the same
// text after Close, however the text was cut.
func Render(text string, o Options) []Block {
	s := NewStream(o)
	s.Write(text)
	s.Close()
	return s.Blocks()
}

// Stream renders an answer while it arrives. It isn't safe for concurrent use.
// It must be closed: an open block holds a coroutine.
type Stream struct {
	*config
	clean cleaner
	line  []byte // the last line, as far as it is there
	cur   lineStart
	open  *openBlock // the block that text goes to; nil between blocks

	done   []doneBlock
	blocks int // ids given out
	at     counters
	fences []Fence
	placed int // fences that the page has
	refs   references
	closed bool
	ops    []Op // since the last Write

	parsed int // bytes rendered so far: the tests hold it to the text's length
}

// lineStart is what is known about the line that is arriving.
type lineStart struct {
	opener opener
	seen   int  // bytes the opener has seen
	shown  int  // bytes the page has
	placed bool // the block it is shown in is chosen
	hidden bool // nothing of it is shown before it is whole
}

// doneBlock is a finished block. Its source is kept while a later definition
// could still turn some of its text into a link.
type doneBlock struct {
	id, html string // html without the wrapper, its fences empty slots
	src      []byte
	from     counters
	missed   []string
}

// NewStream starts an answer.
func NewStream(o Options) *Stream { return newStream(answerConfig(o)) }

func newStream(c *config) *Stream { return &Stream{config: c, refs: references{}} }

// Write takes the next piece of the text and returns what changes on the page,
// in order. The work is linear in the text, not in the number of pieces.
func (s *Stream) Write(text string) []Op {
	if s.closed {
		return nil
	}
	s.lines(s.clean.clean(nil, text))
	return s.takeOps()
}

// lines takes the next characters of the text.
func (s *Stream) lines(b []byte) {
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		s.line = append(s.line, b[:i+1]...)
		s.wholeLine()
		b = b[i+1:]
	}
	if len(b) > 0 {
		s.line = append(s.line, b...)
		s.partLine()
	}
}

// Close settles what is open and returns the last changes. Blocks that a later
// link definition changes are sent again, no others.
func (s *Stream) Close() []Op {
	if s.closed {
		return nil
	}
	s.closed = true
	rest := s.clean.flush(nil)
	if len(s.line)+len(rest) > 0 && (len(rest) == 0 || rest[len(rest)-1] != '\n') {
		rest = append(rest, '\n')
	}
	s.lines(rest)
	if s.open != nil {
		s.end(0)
	}
	s.relink()
	return s.takeOps()
}

// Fences returns the locator fences met so far, in order.
func (s *Stream) Fences() []Fence { return s.fences }

// Blocks returns the page as it is now, one entry for each top-level block,
// with every fence's present HTML: a page made of it goes on with the ops of
// the next Write.
func (s *Stream) Blocks() []Block {
	var blocks []Block
	for _, d := range s.done {
		if d.html != "" {
			blocks = append(blocks, Block{d.id, s.wrap(d.id, s.fill(d.html, d.from.fences, true))})
		}
	}
	if s.open != nil && s.open.sent {
		blocks = append(blocks, Block{s.open.id, s.wrap(s.open.id, s.fill(s.open.html(), s.at.fences, true))})
	}
	return blocks
}

// partLine shows what can be shown of a line that isn't whole.
func (s *Stream) partLine() {
	cur := &s.cur
	if cur.hidden {
		return
	}
	if !cur.placed {
		mayOpen := cur.opener.watch(s.line[cur.seen:])
		cur.seen = len(s.line)
		if mayOpen {
			s.announce()
			return
		}
		if s.open != nil && s.open.outline != nil {
			switch s.open.outline.leaves(s.line) {
			case undecided:
				return
			case yes:
				s.end(0)
			case no:
				if s.open.fence != plainFence {
					cur.hidden = true
					return
				}
			}
		}
		if s.open == nil {
			if isHeading(s.line) {
				return // whole in a moment, and then final
			}
			s.begin()
		}
		cur.placed = true
	}
	s.showLine(s.line)
}

// announce puts the waiting note where a bor fence begins, between its first
// characters and the end of its line (V6).
func (s *Stream) announce() {
	if s.fence == nil || !s.cur.opener.isBor() || s.open != nil && s.open.waiting {
		return
	}
	if o := s.open; o != nil && o.outline != nil {
		if o.outline.leaves(s.line) == yes {
			s.end(0)
		} else if _, inFence := o.outline.last().(*ast.FencedCodeBlock); inFence {
			return
		}
	}
	if s.open == nil {
		s.begin()
	}
	s.wait()
}

// wholeLine takes a line that ends with LF.
func (s *Stream) wholeLine() {
	line := s.line
	if s.open == nil && util.IsBlank(line) {
		s.nextLine()
		return
	}
	if s.open != nil && s.open.outline != nil && s.open.outline.leaves(line) == yes {
		s.end(0)
		s.cur.shown = 0
	}
	if s.open == nil {
		s.begin()
	}
	if s.open.feed(line) {
		s.end(len(line))
		s.cur.shown = 0
		s.begin()
		s.open.feed(line)
	}
	s.settleLine(line)
	if s.open.outline.closed() {
		s.end(0)
	}
	s.nextLine()
}

func (s *Stream) nextLine() {
	s.line = s.line[:0]
	s.cur = lineStart{opener: opener{info: s.cur.opener.info[:0]}}
}

// begin opens the next block.
func (s *Stream) begin() {
	s.open = &openBlock{id: s.prefix + "b" + strconv.Itoa(s.blocks)}
	s.blocks++
}

// end finishes the open block without the last drop bytes of its source: it is
// rendered once and sent if the page doesn't have it like that already.
func (s *Stream) end(drop int) {
	o := s.open
	s.open = nil
	src := o.source()
	src = src[:len(src)-drop]
	r := s.config.render(src, s.refs, s.at)
	s.parsed += len(src)
	o.stop()
	d := doneBlock{id: o.id, html: r.html, from: s.at}
	if len(r.missed) > 0 {
		d.src, d.missed = src, r.missed
	}
	switch {
	case !o.sent && d.html != "":
		s.add(Open, "", s.wrap(d.id, s.fill(d.html, d.from.fences, false)))
	case o.sent && d.html == "":
		s.add(Remove, "#"+d.id, "")
	case o.sent && o.html() == d.html:
		s.flush(o)
	case o.sent:
		target, html := o.change(d.html)
		s.add(Fill, target, s.fill(html, d.from.fences, false))
	}
	s.at = r.end
	s.done = append(s.done, d)
}

// relink renders again the blocks in which a label was used before the line
// that defines it.
func (s *Stream) relink() {
	for i := range s.done {
		d := &s.done[i]
		found := false
		for _, label := range d.missed {
			_, ok := s.refs[label]
			found = found || ok
		}
		if !found {
			continue
		}
		s.parsed += len(d.src)
		if r := s.config.render(d.src, s.refs, d.from); r.html != d.html {
			d.html = r.html
			s.add(Fill, "#"+d.id, s.fill(d.html, d.from.fences, false))
		}
	}
}
