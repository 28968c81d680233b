package turnview

import (
	"fmt"
	"slices"
	"strings"

	"bor/internal/chat"
	"bor/internal/markdown"
	"bor/views"
)

// Live follows one turn for one page: it takes the turn's events and says, in
// stream fragments, what of the page changes. A page that got Snapshot, then every
// Flush, then Final shows what Bubble makes of the finished record. The work is
// linear in the turn, whatever the ticks. It isn't safe for concurrent use.
type Live struct {
	turn     chat.Turn
	options  Options
	stream   *markdown.Stream
	fences   *fences
	text     strings.Builder // the answer so far; the record's Text is its string
	thinking strings.Builder // the last step's, if that is thinking
	out      strings.Builder // fragments that wait for Flush

	// What the page shows, or will after Flush.
	written int // bytes of text that the stream has
	steps   []shownStep
	open    int // the unfolded step, or -1
	doing   string
	anew    bool // it shows text that was taken back: only a snapshot helps
}

// shownStep is a step of the trace on the page.
type shownStep struct {
	call    string // HTML of a call's line
	thought int    // bytes of thinking
}

// NewLive follows a turn for a page that shows Bubble of it, or gets Snapshot
// first. Close ends it.
func NewLive(t chat.Turn, o Options) *Live {
	l := &Live{turn: t, options: o}
	l.begin()
	return l
}

// begin takes the record as it is, and takes the page to show it.
func (l *Live) begin() {
	rec := &l.turn.Record
	rec.Trace, rec.Fences, rec.AnswerText = slices.Clone(rec.Trace), slices.Clone(rec.Fences), slices.Clone(rec.AnswerText)
	l.stream, l.fences = answer(l.turn.ID, rec, l.options)
	l.text.Reset()
	l.text.WriteString(rec.Text)
	l.thinking.Reset()
	if n := len(rec.Trace); n > 0 && rec.Trace[n-1].Tool == nil {
		l.thinking.WriteString(rec.Trace[n-1].Thinking)
	}
	l.written = 0
	l.write()
	l.shown()
}

// shown notes what a page shows that has the bubble as it is now.
func (l *Live) shown() {
	rec := l.turn.Record
	l.steps = nil
	for i, s := range rec.Trace {
		l.steps = append(l.steps, shownStep{l.callHTML(i), len(s.Thinking)})
	}
	l.open, l.doing = openStep(rec), doing(rec)
}

// Close releases what the follower holds.
func (l *Live) Close() { l.stream.Close() }

// Ended tells whether the turn's terminal event has been applied.
func (l *Live) Ended() bool { return l.turn.Record.State != chat.Running }

// Snapshot is the whole bubble as it is now, for a page that may show any earlier
// state of it. Of an ended turn it holds all that Final would.
func (l *Live) Snapshot() []byte {
	l.out.Reset()
	l.anew = false
	l.write()
	if l.Ended() {
		l.stream.Close()
	}
	partial(&l.out, "#"+ID(l.turn.ID), swapMorph, render(views.Turn(bubble(l.turn, l.options, l.stream))))
	if l.Ended() {
		l.around()
	}
	l.shown()
	return l.take()
}

// Apply takes the next event. What it changes comes with the next Flush or Final.
func (l *Live) Apply(e chat.Event) {
	rec := &l.turn.Record
	switch e.Kind {
	case chat.KindThinking:
		l.think(e.Text)
		return
	case chat.KindDelta:
		rec.Retry = nil
		l.text.WriteString(e.Text)
		rec.Text = l.text.String()
		return
	}
	l.flushThinking() // of the step that is about to be the last but one, or another record's
	rec.Apply(e)
	switch e.Kind {
	case chat.KindRetract:
		l.stream.Close()
		l.begin()
		l.anew = true
	case chat.KindTool:
		l.addStep()
	case chat.KindToolResult:
		l.changeCalls()
	case chat.KindFence:
		l.fill(len(rec.Fences) - 1)
	}
}

// Flush is what changed since the last one, or nil.
func (l *Live) Flush() []byte {
	if l.anew && !l.Ended() {
		return l.Snapshot()
	}
	if !l.Ended() {
		l.changes()
		if now := doing(l.turn.Record); now != l.doing {
			l.doing = now
			partial(&l.out, "#"+prefix(l.turn.ID)+"doing", swapInside, string(views.Text(now)))
		}
	}
	return l.take()
}

// Final settles the page after the terminal event: the last changes, what differs
// from the finished record, then state, ending and actions.
func (l *Live) Final() []byte {
	rec := &l.turn.Record
	if l.anew || rec.Text != l.text.String() || !l.sameTrace() {
		l.stream.Close()
		l.begin() // the record tells another story than the events did
		return l.Snapshot()
	}
	l.changes()
	for _, op := range l.stream.Close() {
		apply(&l.out, l.answer(), op)
	}
	clear(l.fences.html) // the record is another one now
	for n := range l.stream.Fences() {
		l.fill(n)
	}
	l.changeCalls()
	partial(&l.out, "#"+ID(l.turn.ID), swapMorph, render(views.TurnSettled(frame(l.turn, l.options, l.stream.Fences()))))
	l.around()
	return l.take()
}

// around changes what stands outside the bubble: the button is Send again, and the
// end is told to those who listen.
func (l *Live) around() {
	l.out.WriteString(render(views.SendPartial("")))
	partial(&l.out, "#announce", swapInside, string(views.Text(announcement(l.turn.Record))))
}

func announcement(rec chat.Record) string {
	switch rec.State {
	case chat.Stopped:
		return "Stopped."
	case chat.Interrupted:
		return "Interrupted."
	case chat.Failed:
		return "" // its text is an alert
	case chat.Done:
		if note, cut := incompleteWords[rec.Incomplete]; cut {
			return note
		}
	}
	return "The answer is complete."
}

// take empties what waits.
func (l *Live) take() []byte {
	if l.out.Len() == 0 {
		return nil
	}
	b := []byte(l.out.String())
	l.out.Reset()
	return b
}

func (l *Live) answer() string { return "#" + prefix(l.turn.ID) + "answer" }

// changes writes the text that came, thinking first.
func (l *Live) changes() {
	l.flushThinking()
	l.fold()
	for _, op := range l.write() {
		apply(&l.out, l.answer(), op)
	}
}

// write gives the stream the text that it doesn't have.
func (l *Live) write() []markdown.Op {
	fresh := l.text.String()[l.written:]
	l.written += len(fresh)
	return l.stream.Write(fresh)
}

// fill puts what the n-th fence became into its place on the page, unless it shows
// that already, or the place isn't there yet.
func (l *Live) fill(n int) {
	shown, there := l.fences.shown[n]
	if !there {
		return
	}
	if html, ok := l.fences.at(n, l.stream.Fences()[n]); ok && html != shown {
		l.fences.shown[n] = html
		partial(&l.out, fmt.Sprintf("#%sf%d", prefix(l.turn.ID), n), swapInside, html)
	}
}

// think adds thinking to the last step, or begins one.
func (l *Live) think(text string) {
	rec := &l.turn.Record
	rec.Retry = nil
	if n := len(rec.Trace); n == 0 || rec.Trace[n-1].Tool != nil {
		rec.Trace = append(rec.Trace, chat.Step{})
		l.thinking.Reset()
	}
	l.thinking.WriteString(text)
	rec.Trace[len(rec.Trace)-1].Thinking = l.thinking.String()
}

// flushThinking shows the thinking that the page doesn't have.
func (l *Live) flushThinking() {
	last := len(l.turn.Record.Trace) - 1
	if last < 0 || l.turn.Record.Trace[last].Tool != nil {
		return
	}
	if last == len(l.steps) {
		l.fold()
		l.open = openStep(l.turn.Record)
		l.addStep()
		return
	}
	if fresh := l.thinking.String()[l.steps[last].thought:]; fresh != "" {
		partial(&l.out, "#"+stepID(l.turn.ID, last)+"-text", swapAppend, string(views.Text(fresh)))
		l.steps[last].thought += len(fresh)
	}
}

// fold closes the thinking that stands open when another takes its place, or the
// answer begins.
func (l *Live) fold() {
	if l.open < 0 || l.open == openStep(l.turn.Record) {
		return
	}
	folded := step(l.turn.ID, l.open, l.turn.Record.Trace[l.open], false)
	partial(&l.out, "#"+folded.ID, swapMorph, render(views.ThinkingFolded(folded)))
	l.open = -1
}

// addStep shows the last step of the trace, which is new.
func (l *Live) addStep() {
	i := len(l.turn.Record.Trace) - 1
	s := l.turn.Record.Trace[i]
	partial(&l.out, "#"+prefix(l.turn.ID)+"trace", swapAppend, render(views.TraceStep(step(l.turn.ID, i, s, i == l.open))))
	l.steps = append(l.steps, shownStep{l.callHTML(i), len(s.Thinking)})
}

// changeCalls shows calls again that are other than on the page: a result came.
func (l *Live) changeCalls() {
	for i := range l.steps {
		if html := l.callHTML(i); html != l.steps[i].call {
			l.steps[i].call = html
			partial(&l.out, "#"+stepID(l.turn.ID, i), swapReplace, html)
		}
	}
}

// callHTML is a call's line; empty for thinking, which is followed by its length.
func (l *Live) callHTML(i int) string {
	s := l.turn.Record.Trace[i]
	if s.Tool == nil {
		return ""
	}
	return render(views.TraceStep(step(l.turn.ID, i, s, false)))
}

// sameTrace tells whether the record's trace is the one on the page, apart from
// what changeCalls would change.
func (l *Live) sameTrace() bool {
	trace := l.turn.Record.Trace
	if len(trace) != len(l.steps) {
		return false
	}
	for i, s := range trace {
		if (s.Tool == nil) != (l.steps[i].call == "") || s.Tool == nil && len(s.Thinking) != l.steps[i].thought {
			return false
		}
	}
	return true
}
