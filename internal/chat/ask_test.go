package chat

import (
	"context"
	"errors"
	"testing"

	"bor/internal/agent"
	"bor/internal/fault"
	"bor/internal/llm"
	"bor/internal/testkit"
)

// asked runs Ask beside the test; the channels give its events and its end.
type asked struct {
	events chan Event
	record chan Record
}

func ask(ctx context.Context, t *testing.T, s *Service, question string, history ...Exchange) asked {
	t.Helper()
	a := asked{make(chan Event, 100), make(chan Record, 1)}
	go func() {
		rec, err := s.Ask(ctx, question, history, func(e Event) error { a.events <- e; return nil })
		if err != nil {
			t.Error(err)
		}
		close(a.events)
		a.record <- rec
	}()
	return a
}

func TestAskStoresNothing(t *testing.T) {
	d := testkit.DB(t)
	script := newScript()
	script.out = Outcome{Sources: []Source{{Source: "homelab", Path: "dns.md", Title: "DNS"}}}
	s := serve(t, d, "p1", script, Limits{HistoryTurns: 1})
	a := ask(t.Context(), t, s, " q\x00 ", Exchange{Question: "old"}, Exchange{Question: "young", Answer: "a"})
	if job := <-script.jobs; job.Turn != 0 || job.Question != "q\ufffd" || len(job.History) != 1 || job.History[0].Question != "young" {
		t.Errorf("the job is %+v", job)
	}
	script.do(func(k Sink) error { return k.Thinking("hm") })
	script.do(func(k Sink) error { return k.Tool(agent.ToolLine{Name: "ls"}) })
	script.do(func(k Sink) error { return k.ToolResult(agent.ToolLine{Name: "ls", Text: "a\x00"}) })
	script.do(func(k Sink) error { return k.Retry(llm.Retry{Attempt: 2, Max: 3}) })
	script.say("It is ")
	script.say("so.\x00")
	close(script.steps)
	folded := Record{Who: "brain", State: Running}
	var last Event
	for e := range a.events {
		if e.Seq != last.Seq+1 {
			t.Errorf("number %d after %d", e.Seq, last.Seq)
		}
		folded.Apply(e)
		last = e
	}
	rec := <-a.record
	if last.Kind != KindDone || diff(folded, rec) != "" || rec.State != Done || rec.Text != "It is so.\ufffd" || rec.Trace[0].Thinking != "hm" ||
		rec.Trace[1].Tool.Text != "a\ufffd" || len(rec.Sources) != 1 || rec.Retry != nil {
		t.Errorf("the last event is %s of %+v", last.Kind, rec)
	}
	var stored int
	if err := d.Pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM turns) + (SELECT count(*) FROM turn_events) + (SELECT count(*) FROM conversations)").Scan(&stored); err != nil || stored != 0 {
		t.Errorf("%d rows are stored (%v)", stored, err)
	}
}

func TestAskEndsWithItsAskerAndItsServer(t *testing.T) {
	d := testkit.DB(t)
	t.Run("the asker leaves", func(t *testing.T) {
		script := newScript()
		ctx, leave := context.WithCancel(t.Context())
		a := ask(ctx, t, serve(t, d, "p1", script, Limits{}), "q")
		script.say("half")
		<-a.events
		leave()
		if rec := <-a.record; rec.State != Stopped || rec.Text != "half" {
			t.Errorf("record is %+v", rec)
		}
	})
	t.Run("nobody takes the events", func(t *testing.T) {
		script := newScript()
		s := serve(t, d, "p2", script, Limits{})
		record := make(chan Record, 1)
		go func() {
			rec, _ := s.Ask(t.Context(), "q", nil, func(Event) error { return errors.New("gone") })
			record <- rec
		}()
		script.say("half")
		if rec := <-record; rec.State != Stopped {
			t.Errorf("record is %+v", rec)
		}
	})
	t.Run("the server ends", func(t *testing.T) {
		script := newScript()
		s := New(d, script, "p3", Limits{})
		ctx, end := context.WithCancel(context.Background())
		over := make(chan struct{})
		go func() { defer close(over); s.Run(ctx) }()
		a := ask(t.Context(), t, s, "q")
		script.say("half")
		<-a.events
		end()
		if rec := <-a.record; rec.State != Interrupted {
			t.Errorf("record is %+v", rec)
		}
		<-over
		if _, err := s.Ask(t.Context(), "q", nil, nil); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("a question after the end gave %v", err)
		}
		if _, err := s.Ask(t.Context(), " ", nil, nil); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("an empty question gave %v", err)
		}
	})
}
