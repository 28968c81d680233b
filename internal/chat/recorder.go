package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"bor/db"
)

// batchEvery is how often text is stored, at least (DEC6).
const batchEvery = 250 * time.Millisecond

// recorder is the owner's pen. Text is published at once and stored in batches;
// everything else is stored before it is published.
type recorder struct {
	queries *db.Queries
	turn    int64
	owner   string
	log     *turnLog
	lost    func(error) // ends the turn's work when a batch can't be stored

	pending struct {
		sync.Mutex
		runs  []textRun
		timer *time.Timer
	}
	writing sync.Mutex // one write at a time, in order
}

// textRun is consecutive text events of one kind, waiting to be stored.
type textRun struct {
	kind  Kind
	text  strings.Builder
	last  int64
	count int
}

// record takes the next event, in the order of the turn's work.
func (r *recorder) record(e Event) error {
	switch e.Kind {
	case KindThinking, KindDelta:
		r.addText(e)
		return nil
	}
	return r.add(e)
}

// addText publishes a piece of text and leaves it for the next batch.
func (r *recorder) addText(e Event) {
	r.pending.Lock()
	defer r.pending.Unlock()
	seq := r.log.append(e)
	runs := r.pending.runs
	if n := len(runs); n == 0 || runs[n-1].kind != e.Kind {
		r.pending.runs = append(runs, textRun{kind: e.Kind})
	}
	run := &r.pending.runs[len(r.pending.runs)-1]
	run.text.WriteString(e.Text)
	run.last, run.count = seq, run.count+1
	if r.pending.timer == nil {
		r.pending.timer = time.AfterFunc(batchEvery, func() {
			if err := r.flush(); err != nil {
				r.lost(err)
			}
		})
	}
}

// add stores what is pending and the event, then publishes it.
func (r *recorder) add(e Event) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	runs := r.takePending()
	e.Seq = r.log.next()
	if err := r.store(runs, &e); err != nil {
		return err
	}
	r.log.append(e)
	return nil
}

// flush stores what is pending.
func (r *recorder) flush() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	runs := r.takePending()
	if len(runs) == 0 {
		return nil
	}
	return r.store(runs, nil)
}

func (r *recorder) takePending() []textRun {
	r.pending.Lock()
	defer r.pending.Unlock()
	if r.pending.timer != nil {
		r.pending.timer.Stop()
		r.pending.timer = nil
	}
	runs := r.pending.runs
	r.pending.runs = nil
	return runs
}

// store writes text runs and at most one other event in one fenced statement.
func (r *recorder) store(runs []textRun, other *Event) error {
	arg := db.AppendTurnEventsParams{ID: r.turn, Owner: r.owner}
	put := func(e Event) error {
		payload, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("chat: event %s: %w", e.Kind, err)
		}
		arg.Seqs = append(arg.Seqs, e.Seq)
		arg.Kinds = append(arg.Kinds, string(e.Kind))
		arg.Payloads = append(arg.Payloads, payload)
		arg.LastSeq = e.Seq
		return nil
	}
	merged := make([]Event, len(runs))
	for i := range runs {
		merged[i] = Event{Seq: runs[i].last, Kind: runs[i].kind, Text: runs[i].text.String()}
		if err := put(merged[i]); err != nil {
			return err
		}
	}
	if other != nil {
		if err := put(*other); err != nil {
			return err
		}
	}
	if err := fenced(func(ctx context.Context) (int64, error) { return r.queries.AppendTurnEvents(ctx, arg) }); err != nil {
		return err
	}
	for i, e := range merged {
		r.log.merge(e, runs[i].count)
	}
	return nil
}

// finish commits the terminal state with the record, then publishes it. Nobody
// hears of an end that isn't in the database.
func (r *recorder) finish(rec Record) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.takePending() // the record holds all of it
	raw, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("chat: record: %w", err)
	}
	arg := db.FinishTurnParams{ID: r.turn, Owner: r.owner, State: string(rec.State), Record: raw, LastSeq: r.log.next()}
	tried := false
	if err := fenced(func(ctx context.Context) (int64, error) {
		if tried { // perhaps that was committed, and only its answer got lost
			if n, err := r.queries.CountFinished(ctx, db.CountFinishedParams{ID: r.turn, Owner: r.owner}); n > 0 || err != nil {
				return n, err
			}
		}
		tried = true
		return r.queries.FinishTurn(ctx, arg)
	}); err != nil {
		return err
	}
	r.log.append(Event{Kind: terminalKind(rec.State), Record: &rec})
	return nil
}

func terminalKind(s State) Kind {
	if s == Failed {
		return KindError
	}
	return KindDone
}
