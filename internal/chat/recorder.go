package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"bor/db"
	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/llm"
	"bor/internal/verbatim"
)

// Sink is what a turn's work reports to: the agent's events, and what each
// fence of the answer became.
type Sink interface {
	agent.Sink
	Fence(verbatim.Fence) error
}

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

func (r *recorder) Thinking(text string) error { return r.addText(KindThinking, text) }
func (r *recorder) Delta(text string) error    { return r.addText(KindDelta, text) }

func (r *recorder) Tool(t agent.ToolLine) error       { return r.addTool(KindTool, t) }
func (r *recorder) ToolResult(t agent.ToolLine) error { return r.addTool(KindToolResult, t) }

func (r *recorder) addTool(kind Kind, t agent.ToolLine) error {
	if t.Argument != nil {
		arg := kb.Storable(*t.Argument)
		t.Argument = &arg
	}
	t.Text = kb.Storable(t.Text)
	return r.add(Event{Kind: kind, Tool: &t})
}

func (r *recorder) Retry(t llm.Retry) error {
	return r.add(Event{Kind: KindRetry, Retry: &Retry{Attempt: t.Attempt, Max: t.Max, Cause: t.Cause}})
}

func (r *recorder) Fence(f verbatim.Fence) error { return r.add(Event{Kind: KindFence, Fence: &f}) }

// addText publishes a piece of text and leaves it for the next batch.
func (r *recorder) addText(kind Kind, text string) error {
	if text == "" {
		return nil
	}
	text = kb.Storable(text)
	r.pending.Lock()
	defer r.pending.Unlock()
	seq := r.log.append(Event{Kind: kind, Text: text})
	runs := r.pending.runs
	if n := len(runs); n == 0 || runs[n-1].kind != kind {
		r.pending.runs = append(runs, textRun{kind: kind})
	}
	run := &r.pending.runs[len(r.pending.runs)-1]
	run.text.WriteString(text)
	run.last, run.count = seq, run.count+1
	if r.pending.timer == nil {
		r.pending.timer = time.AfterFunc(batchEvery, func() {
			if err := r.flush(); err != nil {
				r.lost(err)
			}
		})
	}
	return nil
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
	rec.Who, rec.Retry = "brain", nil
	raw, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("chat: record: %w", err)
	}
	arg := db.FinishTurnParams{ID: r.turn, Owner: r.owner, State: string(rec.State), Record: raw, LastSeq: r.log.next()}
	if err := fenced(func(ctx context.Context) (int64, error) { return r.queries.FinishTurn(ctx, arg) }); err != nil {
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
