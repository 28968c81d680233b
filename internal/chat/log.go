package chat

import (
	"slices"
	"sync"
)

// turnLog is a running turn in memory. One goroutine appends; any number of
// followers read.
type turnLog struct {
	mu      sync.Mutex
	changed chan struct{} // closed at every append, then replaced
	entries []entry
	seq     int64
	fold    fold
	ended   bool // nothing more will be appended
}

// entry is an event with the bytes of the same kind's text that came before it,
// which lets a follower inside a merged batch drop what it has.
type entry struct {
	Event
	before int
}

func newTurnLog() *turnLog {
	return &turnLog{changed: make(chan struct{}), fold: newFold()}
}

// next is the number of the event to come. Only the appending goroutine may ask.
func (l *turnLog) next() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq + 1
}

// append publishes an event under the next number, and returns that number.
func (l *turnLog) append(e Event) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	e.Seq = l.seq
	n := entry{Event: e}
	switch e.Kind {
	case KindDelta:
		n.before = l.fold.said
	case KindThinking:
		n.before = l.fold.thoughts()
	}
	l.fold.apply(e)
	l.entries = append(l.entries, n)
	l.ended = e.Kind == KindDone || e.Kind == KindError
	l.wake()
	return e.Seq
}

// abandon ends the log without a terminal event: followers must look elsewhere.
func (l *turnLog) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.wake()
}

// terminal tells whether the log ended with a terminal event.
func (l *turnLog) terminal() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended && l.fold.state() != Running
}

func (l *turnLog) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// merge replaces the text events that a stored batch holds by that batch, so
// that memory grows with batches, not with deltas. The batch ends at e.Seq.
func (l *turnLog) merge(e Event, count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := slices.BinarySearchFunc(l.entries, e.Seq, func(n entry, seq int64) int { return int(n.Seq - seq) })
	if !ok || count < 2 {
		return
	}
	first := i - count + 1
	l.entries[first] = entry{Event: e, before: l.entries[first].before}
	l.entries = slices.Delete(l.entries, first+1, i+1)
}

// snapshot is the fold of everything so far, and where to go on from.
func (l *turnLog) snapshot() (Record, position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fold.record(), position{seq: l.seq, text: l.fold.said, thinking: l.fold.thoughts()}
}

// position is how far a follower has read: the last number, and the bytes of
// both texts, with those that were retracted.
type position struct {
	seq            int64
	text, thinking int
}

// since returns what came after p, the new position, whether the log has ended,
// and a channel that closes with the next append.
func (l *turnLog) since(p position) ([]Event, position, bool, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, found := slices.BinarySearchFunc(l.entries, p.seq, func(n entry, seq int64) int { return int(n.Seq - seq) })
	if found {
		i++
	}
	var events []Event
	for _, n := range l.entries[i:] {
		e := n.Event
		switch e.Kind {
		case KindDelta:
			e.Text = e.Text[max(0, p.text-n.before):]
			p.text += len(e.Text)
		case KindThinking:
			e.Text = e.Text[max(0, p.thinking-n.before):]
			p.thinking += len(e.Text)
		}
		p.seq = e.Seq
		events = append(events, e)
	}
	return events, p, l.ended, l.changed
}
