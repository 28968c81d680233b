package chat

import (
	"context"

	"bor/internal/fault"
)

// Ask answers a question and stores nothing: history, oldest first, is the
// caller's, and is cut to the two budgets as a conversation's is. emit gets the
// turn's events, numbered from 1, one at a time; the last is the terminal one, whose
// record Ask returns. The turn lasts as long as ctx and emit do: when either ends
// it is stopped, and when this process shuts down it is interrupted. An error says
// that the question was refused, and that emit heard nothing.
func (s *Service) Ask(ctx context.Context, question string, history []Exchange, emit func(Event) error) (Record, error) {
	question, err := askable(question)
	if err != nil {
		return Record{}, err
	}
	if s.alive.Err() != nil {
		return Record{}, errClosed
	}
	asker := ctx
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(asker)) // which ends for a reason of ours
	defer cancel(nil)
	defer context.AfterFunc(asker, func() { cancel(errGone) })()
	defer context.AfterFunc(s.alive, func() { cancel(context.Cause(s.alive)) })()
	told, seq := newFold(), int64(0)
	tell := func(e Event) error {
		seq++
		e.Seq = seq
		told.apply(e)
		if err := emit(e); err != nil {
			cancel(errGone)
			return errGone
		}
		return nil
	}
	prepare := func() (Job, error) { return Job{Question: question, History: s.withinBudgets(history)}, nil }
	final, report := s.answer(ctx, cancel, prepare, teller{tell}, told.record)
	_ = tell(Event{Kind: terminalKind(final.State), Record: &final}) // who doesn't hear of the end has left
	s.tellObservers(report)
	return final, nil
}

var errClosed = fault.New(fault.Unavailable, "This server is shutting down. Send the question again in a moment.")
