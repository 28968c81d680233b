package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"bor/db"
)

const (
	// storeWithin is how long text may wait to be stored (DEC6).
	storeWithin = 250 * time.Millisecond
	// gather is the shortest time from one statement for text to the next.
	gather = 50 * time.Millisecond
)

// journal stores the events of the turns that run in this process. Text is stored
// for all of them together: with a statement for each, a few hundred turns cost the
// database more than they cost the process.
type journal struct {
	queries *db.Queries
	owner   string

	mu    sync.Mutex
	owed  []debt // oldest first
	armed bool   // settle runs, or will
}

// debt is a recorder that holds text back, and since when.
type debt struct {
	*recorder
	since time.Time
}

// page is what one turn has to store: text, and at most one other event after it.
type page struct {
	*recorder
	runs  []textRun
	other *Event
}

func newJournal(q *db.Queries, owner string) *journal { return &journal{queries: q, owner: owner} }

// owe notes that a recorder has begun to hold text back.
func (j *journal) owe(r *recorder) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.owed = append(j.owed, debt{r, time.Now()})
	if !j.armed {
		j.arm()
	}
}

// arm sets the clock for the oldest debt, if there is one.
func (j *journal) arm() {
	if j.armed = len(j.owed) > 0; j.armed {
		time.AfterFunc(time.Until(j.owed[0].since.Add(storeWithin-gather)), j.settle)
	}
}

// settle stores the text that is due before another statement could follow. Only
// one runs at a time.
func (j *journal) settle() {
	j.storeText(j.due())
	j.mu.Lock()
	defer j.mu.Unlock()
	j.arm()
}

func (j *journal) due() []debt {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	n := slices.IndexFunc(j.owed, func(d debt) bool { return now.Sub(d.since) < storeWithin-2*gather })
	if n < 0 {
		n = len(j.owed)
	}
	debts := slices.Clone(j.owed[:n])
	j.owed = slices.Delete(j.owed, 0, n)
	return debts
}

// storeText stores what recorders hold back. One that is just writing something
// else takes its text along with that.
func (j *journal) storeText(debts []debt) {
	var pages []page
	for _, d := range debts {
		if !d.writing.TryLock() {
			continue
		}
		defer d.writing.Unlock()
		if runs := d.takePending(); len(runs) > 0 {
			pages = append(pages, page{recorder: d.recorder, runs: runs})
		}
	}
	j.store(pages)
}

// store writes pages, and ends the work of turns whose page can't be written.
func (j *journal) store(pages []page) {
	if len(pages) == 0 {
		return
	}
	err := j.write(pages)
	switch {
	case err == nil:
	case len(pages) > 1 && !errors.Is(err, errLost) && !db.Away(err) && !db.ReadOnly(err):
		// It may lie in one page: the others' turns needn't end for it.
		for p := range slices.Chunk(pages, 1) {
			j.store(p)
		}
	default:
		for _, p := range pages {
			p.lost(err)
		}
	}
}

// write stores pages in one fenced statement. It fails when it could store none;
// the work of turns that alone were taken over ends.
func (j *journal) write(pages []page) error {
	arg := db.AppendTurnEventsParams{Owner: j.owner}
	for _, p := range pages {
		for _, e := range p.events() {
			payload, err := json.Marshal(e)
			if err != nil {
				return fmt.Errorf("chat: event %s: %w", e.Kind, err)
			}
			arg.Turns = append(arg.Turns, p.turn)
			arg.Seqs = append(arg.Seqs, e.Seq)
			arg.Kinds = append(arg.Kinds, string(e.Kind))
			arg.Payloads = append(arg.Payloads, payload)
		}
	}
	ours := arg.Turns // unless the statement says otherwise
	err := fenced(func(ctx context.Context) (int64, error) {
		ids, err := j.queries.AppendTurnEvents(ctx, arg)
		if err == nil {
			ours = ids
		}
		return int64(len(ids)), err
	})
	if err != nil {
		return err
	}
	for _, p := range pages {
		if slices.Contains(ours, p.turn) {
			p.merge()
		} else {
			p.lost(errLost)
		}
	}
	return nil
}

// events are the page's, in their order.
func (p page) events() []Event {
	var all []Event
	for i := range p.runs {
		all = append(all, p.runs[i].event())
	}
	if p.other != nil {
		all = append(all, *p.other)
	}
	return all
}

// merge lets the log hold stored text as it was stored.
func (p page) merge() {
	for i := range p.runs {
		p.log.merge(p.runs[i].event(), p.runs[i].count)
	}
}
