package chat

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"bor/db"
)

// script is an answerer that a test drives step by step.
type script struct {
	steps chan func(Sink) error // closed: the answer is complete
	over  chan struct{}         // closed when an answer has ended
	once  sync.Once
	out   Outcome
	jobs  chan Job
}

func newScript() *script {
	return &script{steps: make(chan func(Sink) error), over: make(chan struct{}), jobs: make(chan Job, 10)}
}

func (s *script) Answer(ctx context.Context, job Job, sink Sink) (Outcome, error) {
	defer s.once.Do(func() { close(s.over) })
	s.jobs <- job
	for {
		select {
		case step, ok := <-s.steps:
			if !ok {
				return s.out, nil
			}
			if err := step(sink); err != nil {
				return s.out, err
			}
		case <-ctx.Done():
			return s.out, ctx.Err()
		}
	}
}

// do hands the answerer its next step; one that has ended takes none.
func (s *script) do(step func(Sink) error) {
	select {
	case s.steps <- step:
	case <-s.over:
	}
}

func (s *script) say(text string) { s.do(func(k Sink) error { return k.Delta(text) }) }

var reese = Visitor{Session: "s1", Principal: "admin"}

// serve makes a running service on d. Its end is awaited, so nothing outlives
// the test.
func serve(t *testing.T, d *db.DB, owner string, a Answerer, l Limits) *Service {
	t.Helper()
	s := New(d, a, owner, l)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { defer close(over); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-over })
	return s
}

func start(t *testing.T, s *Service, conversation int64, submit, question string) Turn {
	t.Helper()
	turn, err := s.Start(t.Context(), reese, conversation, submit, question)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// readAll follows a turn to its end and returns what a reader ends up with.
func readAll(t *testing.T, s *Service, turn int64) (Record, []Event) {
	t.Helper()
	f, err := s.Follow(t.Context(), reese, turn)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return drainInto(t, f)
}

func drainInto(t *testing.T, f *Follower) (Record, []Event) {
	t.Helper()
	rec := f.Record
	var all []Event
	for {
		events, err := f.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return rec, all
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			rec.Apply(e)
		}
		all = append(all, events...)
	}
}
