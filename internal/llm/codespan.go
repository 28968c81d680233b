package llm

// codeTracker follows a Markdown text byte by byte and knows whether the next
// byte stands in code: in a fenced block, or in a code span of the same line.
// The stream filters leave markers in code alone, because there they are what
// the answer is about. It is lenient where CommonMark is strict: a fence may be
// indented, quoted or in a list at any depth.
type codeTracker struct {
	head bool // only white space, quote and list marks so far on this line
	tick byte // the kind of the open run of back-quotes or tildes; 0 when none
	run  int  // its length
	lead bool // the run began at the line's head

	fence  byte // the kind of the open fence; 0 when none
	length int  // its length
	closes bool // the line so far is what closes the fence
	span   int  // back-quotes that opened the code span; 0 when none
}

func newCodeTracker() codeTracker { return codeTracker{head: true} }

// inCode reports whether a byte that is neither a back-quote nor a tilde would
// stand in code. Right after a closing fence it would not.
func (c *codeTracker) inCode() bool {
	c.endRun()
	return c.fence != 0 && !c.closes || c.span > 0
}

// next takes the next byte of the text.
func (c *codeTracker) next(b byte) {
	if b == '`' || b == '~' {
		if c.tick != b {
			c.endRun()
			c.tick, c.run, c.lead = b, 0, c.head
		}
		c.run++
		c.head = false
		return
	}
	c.endRun()
	switch {
	case b == '\n':
		if c.closes {
			c.fence = 0
		}
		c.head, c.closes, c.span = true, false, 0
	case b != ' ' && b != '\t' && b != '\r':
		c.closes = false
		c.head = c.head && isLinePrefix(b)
	}
}

// endRun settles what the run of back-quotes or tildes that just ended means.
func (c *codeTracker) endRun() {
	tick, run, lead := c.tick, c.run, c.lead
	c.tick, c.run = 0, 0
	switch {
	case tick == 0:
	case c.fence != 0:
		c.closes = lead && tick == c.fence && run >= c.length
	case lead && run >= 3:
		c.fence, c.length = tick, run
	case tick != '`':
	case c.span == 0:
		c.span = run
	case c.span == run:
		c.span = 0
	}
}

// isLinePrefix reports whether b may stand before a fence: quote marks, and the
// bullets and numbers of lists.
func isLinePrefix(b byte) bool {
	switch b {
	case '>', '-', '*', '+', '.', ')':
		return true
	}
	return '0' <= b && b <= '9'
}
