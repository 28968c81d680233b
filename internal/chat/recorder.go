package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"bor/db"
)

// recorder is the owner's pen. Text is published at once and stored in batches;
// everything else is stored before it is published.
type recorder struct {
	journal *journal
	turn    int64
	log     *turnLog
	lost    func(error) // ends the turn's work when its text can't be stored

	pending struct {
		sync.Mutex
		runs []textRun
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

func (t *textRun) event() Event { return Event{Seq: t.last, Kind: t.kind, Text: t.text.String()} }

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
	if len(runs) == 0 {
		r.journal.owe(r)
	}
}

// add stores what is pending and the event, then publishes it.
func (r *recorder) add(e Event) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	runs := r.takePending()
	e.Seq = r.log.next()
	if err := r.journal.write([]page{{r, runs, &e}}); err != nil {
		return err
	}
	r.log.append(e)
	return nil
}

func (r *recorder) takePending() []textRun {
	r.pending.Lock()
	defer r.pending.Unlock()
	runs := r.pending.runs
	r.pending.runs = nil
	return runs
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
	arg := db.FinishTurnParams{ID: r.turn, Owner: r.journal.owner, State: string(rec.State), Record: raw, LastSeq: r.log.next()}
	tried := false
	if err := fenced(func(ctx context.Context) (int64, error) {
		if tried { // perhaps that was committed, and only its answer got lost
			if n, err := r.journal.queries.CountFinished(ctx, db.CountFinishedParams{ID: r.turn, Owner: r.journal.owner}); n > 0 || err != nil {
				return n, err
			}
		}
		tried = true
		return r.journal.queries.FinishTurn(ctx, arg)
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
