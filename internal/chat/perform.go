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

// errSilent ends a turn that has shown nothing for too long.
var errSilent = &fault.Error{Code: fault.Unavailable, Public: "The model gave no answer in time. It may be overloaded or still loading; try again in a while."}

// perform does a turn's work and records its end. The error says that the end
// could not be stored.
func (s *Service) perform(ctx context.Context, cancel context.CancelCauseFunc, row db.Turn, rec *recorder) error {
	sink := &watchedSink{Sink: rec}
	if s.limits.FirstToken > 0 {
		sink.timer = time.AfterFunc(s.limits.FirstToken, func() { cancel(errSilent) })
	}
	outcome, err := s.attempt(ctx, row, sink)
	sink.heard()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	final, _ := rec.log.snapshot()
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
		slog.Error("turn failed", "turn", row.ID, "error", err)
	}
	return rec.finish(final)
}

// attempt runs the answerer; a panic in it is a failed turn, not a dead server.
func (s *Service) attempt(ctx context.Context, row db.Turn, sink Sink) (out Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.FromPanic(p)
		}
	}()
	history, err := s.history(ctx, row)
	if err != nil {
		return Outcome{}, err
	}
	return s.answerer.Answer(ctx, Job{Turn: row.ID, Question: row.Question, History: history}, sink)
}

// endOf tells how a turn ended, and what people read about it.
func endOf(err error) (State, string) {
	var endpoint *llm.Error
	switch {
	case err == nil:
		return Done, ""
	case errors.Is(err, errStopped):
		return Stopped, ""
	case errors.Is(err, errShutdown), errors.Is(err, errLost):
		return Interrupted, ""
	case errors.As(err, &endpoint):
		return Failed, endpoint.Public
	default:
		return Failed, fault.PublicOf(err)
	}
}

// watchedSink stops the first-token clock at the first sign of life.
type watchedSink struct {
	Sink
	timer *time.Timer
}

func (w *watchedSink) heard() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watchedSink) Thinking(text string) error {
	w.heard()
	return w.Sink.Thinking(text)
}

func (w *watchedSink) Delta(text string) error {
	w.heard()
	return w.Sink.Delta(text)
}

func (w *watchedSink) Tool(t agent.ToolLine) error {
	w.heard()
	return w.Sink.Tool(t)
}
