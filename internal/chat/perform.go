package chat

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"bor/db"
	"bor/internal/agent"
	"bor/internal/fault"
	"bor/internal/llm"
)

// errGone ends an unstored turn whose asker has left.
var errGone = errors.New("chat: nobody listens any more")

// errSilent ends a turn that has shown nothing for too long.
var errSilent = &fault.Error{Code: fault.Unavailable, Public: "The model gave no answer in time. It may be overloaded or still loading; try again in a while."}

// perform does a stored turn's work and records its end. The error says that the
// end could not be stored.
func (s *Service) perform(ctx context.Context, cancel context.CancelCauseFunc, row db.Turn, rec *recorder) error {
	prepare := func() (Job, error) {
		history, err := s.history(ctx, row)
		return Job{Turn: row.ID, Question: row.Question, History: history}, err
	}
	so := func() Record { r, _ := rec.log.snapshot(); return r }
	final, report := s.answer(ctx, cancel, prepare, teller{rec.record}, so)
	if err := rec.finish(final); err != nil {
		return err
	}
	s.tellObservers(report)
	return nil
}

// answer has a turn answered, and gives the record and the report that it ends
// with; so is the record of what the sink was told.
func (s *Service) answer(ctx context.Context, cancel context.CancelCauseFunc, prepare func() (Job, error), sink Sink, so func() Record) (Record, Report) {
	watched := &watchedSink{Sink: sink, began: time.Now()}
	if s.limits.FirstToken > 0 {
		watched.timer = time.AfterFunc(s.limits.FirstToken, func() { cancel(errSilent) })
	}
	outcome, job, err := s.attempt(ctx, prepare, watched)
	watched.heard()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	final := so()
	final.Retry = nil
	final.State, final.Error = endOf(err)
	final.Deflected = outcome.Deflected
	if outcome.Blocks != nil {
		final.AnswerText = outcome.Blocks
	}
	final.Sources, final.Suggestions = outcome.Sources, outcome.Suggestions
	switch final.State {
	case Done:
		final.Incomplete = outcome.Incomplete
	case Failed:
		slog.Error("turn failed", "turn", job.Turn, "error", err)
	}
	return final, Report{Turn: job.Turn, Question: job.Question, State: final.State, Deflected: final.Deflected, Sources: final.Sources,
		Blocks: len(final.AnswerText), FirstText: watched.first, Took: time.Since(watched.began), Facts: outcome.Facts}
}

// attempt runs the answerer; a panic in it is a failed turn, not a dead server.
func (s *Service) attempt(ctx context.Context, prepare func() (Job, error), sink Sink) (out Outcome, job Job, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.FromPanic(p)
		}
	}()
	if job, err = prepare(); err != nil {
		return Outcome{}, job, err
	}
	out, err = s.answerer.Answer(ctx, job, sink)
	return out, job, err
}

// endOf tells how a turn ended, and what people read about it.
func endOf(err error) (State, string) {
	var endpoint *llm.Error
	switch {
	case err == nil:
		return Done, ""
	case errors.Is(err, errStopped), errors.Is(err, errGone):
		return Stopped, ""
	case errors.Is(err, errShutdown), errors.Is(err, errLost), errors.Is(err, errAbandoned):
		return Interrupted, ""
	case errors.As(err, &endpoint):
		return Failed, endpoint.Public
	case db.Away(err):
		return Failed, "The database couldn’t be reached while the answer was being written. When it is back, ask again."
	case db.ReadOnly(err):
		return Failed, "The database took no writes while the answer was being written: its disk is full, or it is read-only. Ask again when that is mended."
	default:
		return Failed, fault.PublicOf(err)
	}
}

// watchedSink stops the first-token clock at the first sign of life, and notes when
// there was something to read.
type watchedSink struct {
	Sink
	timer *time.Timer
	began time.Time
	first time.Duration // from then to the first text; 0 before it
}

func (w *watchedSink) said() {
	w.heard()
	if w.first == 0 {
		w.first = time.Since(w.began)
	}
}

func (w *watchedSink) heard() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watchedSink) Thinking(text string) error {
	w.said()
	return w.Sink.Thinking(text)
}

func (w *watchedSink) Delta(text string) error {
	w.said()
	return w.Sink.Delta(text)
}

func (w *watchedSink) Tool(t agent.ToolLine) error {
	w.heard()
	return w.Sink.Tool(t)
}
