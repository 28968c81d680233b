package markdown

import (
	"iter"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// outline follows the block structure of one open top-level block while its
// lines arrive: goldmark's own block parser, run as a coroutine that waits
// inside its reader for the next line. So the structure is goldmark's by
// construction and every line is looked at once.
type outline struct {
	reader *lineReader
	pc     parser.Context
	next   func() (struct{}, bool)
	stop   func() // ends the coroutine; every outline is stopped
}

func newOutline() *outline {
	o := &outline{reader: &lineReader{}, pc: parser.NewContext()}
	r, pc := o.reader, o.pc
	o.next, o.stop = iter.Pull(func(yield func(struct{}) bool) {
		r.wait = func() bool { return yield(struct{}{}) }
		r.grow()
		structure.Parse(r, parser.WithContext(pc))
	})
	return o
}

// feed gives the parser one line that ends with LF. It reports whether the line
// opened another top-level block; then the line belongs to that block, and this
// outline is of no further use.
func (o *outline) feed(line []byte) (another bool) {
	before := o.top()
	o.reader.src = append(o.reader.src, line...)
	o.next()
	after := o.top()
	return before.Node != nil && after.Node != nil && after.Node != before.Node && after.Parser != setext
}

// top returns the top-level block that is open, if any.
func (o *outline) top() parser.Block {
	if open := o.pc.OpenedBlocks(); len(open) > 0 {
		return open[0]
	}
	return parser.Block{}
}

// last returns the innermost open block, if any.
func (o *outline) last() ast.Node { return o.pc.LastOpenedBlock().Node }

// closed reports whether no later line can belong to the block.
func (o *outline) closed() bool {
	switch o.top().Node.(type) {
	case nil, *ast.Heading, *ast.ThematicBreak:
		return true
	}
	return false
}

// lineReader is a text.Reader over lines that are still arriving: where the
// source ends, it waits.
type lineReader struct {
	text.Reader
	src  []byte
	wait func() bool // returns when a line was appended to src, or false at the end
}

func (r *lineReader) AdvanceLine() {
	line, at := r.Position()
	if at.Stop >= len(r.src) && r.wait() {
		r.grow()
		r.SetPosition(line, at)
	}
	r.Reader.AdvanceLine()
}

// grow makes a reader over the source as it is now.
func (r *lineReader) grow() { r.Reader = text.NewReader(r.src) }

func (r *lineReader) SkipBlankLines() (text.Segment, int, bool) {
	for n := 0; ; n++ {
		line, at := r.PeekLine()
		if line == nil {
			return at, n, false
		}
		if !util.IsBlank(line) {
			return at, n, true
		}
		r.AdvanceLine()
	}
}
