package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"bor/internal/agent"
	"bor/internal/fault"
	"bor/internal/llm"
	"bor/internal/testkit"
	"bor/internal/verbatim"
)

func TestATurnIsTheSameForEveryReader(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	a.out = Outcome{Sources: []Source{{Source: "homelab", Path: "dns.md", Title: "DNS"}}}
	s, other := serve(t, d, "p1", a, Limits{}), serve(t, d, "p2", newScript(), Limits{})
	turn := start(t, s, 0, "a", "  which port? ")
	if job := <-a.jobs; job.Question != "which port?" {
		t.Errorf("the question is %q", job.Question)
	}
	follow := func(s *Service) *Follower {
		f, err := s.Follow(t.Context(), reese, turn.ID)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.Close)
		return f
	}
	early := follow(s)
	pattern := "gufo"
	a.do(func(k Sink) error { return k.Thinking("Let me ") })
	a.do(func(k Sink) error { return k.Thinking("see.") })
	a.do(func(k Sink) error { return k.Tool(agent.ToolLine{Name: "grep", Argument: &pattern}) })
	a.do(func(k Sink) error {
		return k.ToolResult(agent.ToolLine{Name: "grep", Argument: &pattern, Note: "4 matches", Text: "a\x00b"})
	})
	a.do(func(k Sink) error { return k.Retry(llm.Retry{Attempt: 2, Max: 3}) })
	remote := follow(other)
	a.say("It is ")
	middle := follow(s)
	a.say("**8642**\x00.\n")
	a.do(func(k Sink) error {
		return k.Fence(verbatim.Fence{Locator: "homelab/dns.md#1-1", Block: &verbatim.Block{Locator: "homelab/dns.md#1-1", Text: "# DNS\r\n"}})
	})
	close(a.steps)

	want, _ := readAll(t, s, turn.ID) // perhaps live, perhaps stored
	if want.State != Done || want.Text != "It is **8642**\ufffd.\n" || len(want.Trace) != 2 || want.Trace[0].Thinking != "Let me see." ||
		!want.Trace[1].Tool.Done || want.Trace[1].Tool.Text != "a\ufffdb" || want.AnswerText[0].Text != "# DNS\r\n" ||
		want.Fences[0].Locator != "homelab/dns.md#1-1" || want.Fences[0].Block != nil || want.Retry != nil || len(want.Sources) != 1 {
		t.Errorf("record is %+v", want)
	}
	for name, f := range map[string]*Follower{"early": early, "middle": middle, "in another process": remote} {
		got, events := drainInto(t, f)
		if d := diff(want, got); d != "" {
			t.Errorf("reader %s: %s", name, d)
		}
		last := f.Seq
		for _, e := range events {
			if e.Seq <= last {
				t.Errorf("reader %s: number %d after %d", name, e.Seq, last)
			}
			last = e.Seq
		}
	}
	turns, err := s.Conversation(t.Context(), reese, turn.Conversation)
	if err != nil || len(turns) != 1 || diff(want, turns[0].Record) != "" {
		t.Errorf("conversation is %+v, %v", turns, err)
	}
}

func TestFoldOfStoredEventsIsTheRecord(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	s := serve(t, d, "p1", a, Limits{})
	turn := start(t, s, 0, "a", "q")
	for _, piece := range strings.SplitAfter(strings.Repeat("word and word ", 300), " ") {
		if piece != "" {
			a.say(piece)
		}
	}
	called := make(chan struct{})
	a.do(func(k Sink) error { defer close(called); return k.Tool(agent.ToolLine{Name: "ls"}) })
	<-called
	events, err := s.storedEvents(t.Context(), turn.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	rec := Record{Who: "brain", State: Running}
	for _, e := range events {
		rec.Apply(e)
	}
	live, err := s.Turn(t.Context(), reese, turn.ID)
	if err != nil || diff(live.Record, rec) != "" || live.Seq != events[len(events)-1].Seq {
		t.Errorf("stored fold differs: %s (%v)", diff(live.Record, rec), err)
	}
	if len(events) > 20 {
		t.Errorf("900 deltas were stored as %d events: they aren't batched", len(events))
	}
	close(a.steps)
	readAll(t, s, turn.ID)
	var left int
	if err := d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM turn_events").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d events outlive their turn (%v)", left, err)
	}
}

func TestSubmitIsIdempotentAndOneTurnRuns(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	s := serve(t, d, "p1", a, Limits{})
	var wg sync.WaitGroup
	ids := make(chan int64, 10)
	for range 10 {
		wg.Go(func() {
			turn, err := s.Start(context.Background(), reese, 0, "same", "q")
			if err != nil {
				t.Error(err)
			}
			ids <- turn.ID
		})
	}
	wg.Wait()
	close(ids)
	first := <-ids
	for id := range ids {
		if id != first {
			t.Errorf("the same submit started turns %d and %d", first, id)
		}
	}
	turn, err := s.Turn(t.Context(), reese, first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), reese, turn.Conversation, "other", "q2"); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a second turn gave %v", err)
	}
	close(a.steps)
	readAll(t, s, first)
	if again := start(t, s, turn.Conversation, "same", "q"); again.ID != first {
		t.Errorf("the same submit after the end gave turn %d", again.ID)
	}
	if _, err := s.Start(t.Context(), reese, turn.Conversation, "same", "other words"); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("other words under a known submit gave %v: they are lost", err)
	}
}

func TestStopKeepsThePartWherever(t *testing.T) {
	d := testkit.DB(t)
	for name, stopper := range map[string]func(here, there *Service) *Service{
		"here":  func(here, _ *Service) *Service { return here },
		"there": func(_, there *Service) *Service { return there },
	} {
		a := newScript()
		here, there := serve(t, d, name+"1", a, Limits{}), serve(t, d, name+"2", newScript(), Limits{})
		turn := start(t, here, 0, name, "q")
		a.say("half an ans")
		if err := stopper(here, there).Stop(t.Context(), reese, turn.ID); err != nil {
			t.Fatal(err)
		}
		rec, _ := readAll(t, there, turn.ID)
		if rec.State != Stopped || rec.Text != "half an ans" || rec.Error != "" {
			t.Errorf("%s: record is %+v", name, rec)
		}
		if err := here.Stop(t.Context(), reese, turn.ID); err != nil {
			t.Errorf("stopping an ended turn: %v", err)
		}
	}
}

func TestEndsAndTheirWords(t *testing.T) {
	d := testkit.DB(t)
	for name, c := range map[string]struct {
		step  func(Sink) error
		state State
		says  string
	}{
		"endpoint": {func(Sink) error { return &llm.Error{Public: "The model server refused."} }, Failed, "The model server refused."},
		"fault":    {func(Sink) error { return fault.New(fault.Unavailable, "Away.") }, Failed, "Away."},
		"ours":     {func(Sink) error { return errors.New("secret detail") }, Failed, "Something went wrong"},
		"away":     {func(Sink) error { return fmt.Errorf("tool: %w", io.ErrUnexpectedEOF) }, Failed, "The database couldn’t be reached"},
		"no write": {func(Sink) error { return &pgconn.PgError{Code: "53100"} }, Failed, "The database took no writes"},
		"panic":    {func(Sink) error { panic("boom") }, Failed, "Something went wrong"},
	} {
		a := newScript()
		s := serve(t, d, name, a, Limits{})
		turn := start(t, s, 0, name, "q")
		a.say("begun")
		a.do(c.step)
		rec, events := readAll(t, s, turn.ID)
		if rec.State != c.state || !strings.HasPrefix(rec.Error, c.says) || strings.Contains(rec.Error, "secret") || rec.Text != "begun" {
			t.Errorf("%s: record is %+v", name, rec)
		}
		if n := len(events); n > 0 && events[n-1].Kind != KindError {
			t.Errorf("%s: the last event is %s", name, events[n-1].Kind)
		}
	}
}

func TestSilenceEndsATurn(t *testing.T) {
	a := newScript()
	s := serve(t, testkit.DB(t), "p1", a, Limits{FirstToken: time.Millisecond})
	rec, _ := readAll(t, s, start(t, s, 0, "a", "q").ID)
	if rec.State != Failed || !strings.Contains(rec.Error, "no answer in time") {
		t.Errorf("record is %+v", rec)
	}
}

func TestShutdownInterrupts(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	s := New(d, a, "p1", Limits{})
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { defer close(over); s.Run(ctx) }()
	turn := start(t, s, 0, "a", "q")
	a.say("part")
	cancel()
	<-over
	if _, err := s.Start(t.Context(), reese, 0, "b", "q"); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a question after the end gave %v", err)
	}
	rec, _ := readAll(t, serve(t, d, "p2", newScript(), Limits{}), turn.ID)
	if rec.State != Interrupted || rec.Text != "part" {
		t.Errorf("record is %+v", rec)
	}
}

func TestConversationsBelongToSessionAndPrincipal(t *testing.T) {
	a := newScript()
	close(a.steps)
	s := serve(t, testkit.DB(t), "p1", a, Limits{})
	turn := start(t, s, 0, "a", "q")
	readAll(t, s, turn.ID)
	for _, who := range []Visitor{{"s2", "admin"}, {"s1", "token:1"}, {}} {
		_, err1 := s.Turn(t.Context(), who, turn.ID)
		_, err2 := s.Conversation(t.Context(), who, turn.Conversation)
		_, err3 := s.Follow(t.Context(), who, turn.ID)
		_, err4 := s.Start(t.Context(), who, turn.Conversation, "b", "q")
		_, err5 := s.Retry(t.Context(), who, turn.ID)
		for i, err := range []error{err1, err2, err3, err4, err5, s.Stop(t.Context(), who, turn.ID)} {
			if fault.CodeOf(err) != fault.NotFound {
				t.Errorf("%v, call %d: %v", who, i+1, err)
			}
		}
	}
}

func TestHistoryKeepsTheNewestWithinBothBudgets(t *testing.T) {
	d := testkit.DB(t)
	exchange := func(l Limits, conversation int64, submit, question, answer string) (Turn, Job) {
		a := newScript()
		s := serve(t, d, submit, a, l)
		turn := start(t, s, conversation, submit, question)
		if answer != "" {
			a.say(answer)
		}
		close(a.steps)
		readAll(t, s, turn.ID)
		return turn, <-a.jobs
	}
	first, job := exchange(Limits{}, 0, "1", "one", "first")
	if len(job.History) != 0 {
		t.Errorf("a first turn has history %v", job.History)
	}
	exchange(Limits{}, first.Conversation, "2", "two", "")
	_, job = exchange(Limits{}, first.Conversation, "3", "three", "third")
	if len(job.History) != 1 || job.History[0] != (Exchange{Question: "one", Answer: "first"}) {
		t.Errorf("history is %v", job.History)
	}
	if _, job = exchange(Limits{HistoryTurns: 1}, first.Conversation, "4", "four", "fourth"); len(job.History) != 1 || job.History[0].Question != "three" {
		t.Errorf("history of one turn is %v", job.History)
	}
	if _, job = exchange(Limits{HistoryChars: 19}, first.Conversation, "5", "five", "fifth"); len(job.History) != 1 || job.History[0].Question != "four" {
		t.Errorf("history of 19 characters is %v", job.History)
	}
	// A question that got no answer takes neither a place nor room.
	exchange(Limits{}, first.Conversation, "6", strings.Repeat("x", 5000), "")
	if _, job = exchange(Limits{HistoryTurns: 1, HistoryChars: 9}, first.Conversation, "7", "seven", ""); len(job.History) != 1 || job.History[0].Question != "five" {
		t.Errorf("history behind an unanswered question is %v", job.History)
	}
	s := New(d, nil, "x", Limits{})
	if got, err := s.RecentQuestions(t.Context(), reese, 2); err != nil || len(got) != 2 || got[0] != "seven" {
		t.Errorf("recent questions are %v, %v", got, err)
	}
	turn, err := s.Turn(t.Context(), reese, first.ID)
	if err != nil || turn.Record.Text != "first" {
		t.Errorf("turn is %+v, %v", turn, err)
	}
}

func TestRetryAsksTheSameOnce(t *testing.T) {
	a := newScript()
	close(a.steps)
	s := serve(t, testkit.DB(t), "p1", a, Limits{})
	turn := start(t, s, 0, "a", "q")
	readAll(t, s, turn.ID)
	one, err1 := s.Retry(t.Context(), reese, turn.ID)
	two, err2 := s.Retry(t.Context(), reese, turn.ID)
	if err1 != nil || err2 != nil || one.ID != two.ID || one.ID == turn.ID || one.Question != "q" || one.Conversation != turn.Conversation {
		t.Errorf("retries are %+v (%v), %+v (%v)", one, err1, two, err2)
	}
}

func TestBadQuestionsAreRefused(t *testing.T) {
	s := New(testkit.DB(t), nil, "p1", Limits{})
	for _, c := range []struct{ submit, question string }{
		{"a", ""}, {"a", " \n"}, {"a\x00", "q"}, {"a\xff", "q"}, {"a", strings.Repeat("ä", MaxQuestion+1)}, {"", "q"}, {strings.Repeat("x", 65), "q"},
	} {
		if _, err := s.Start(t.Context(), reese, 0, c.submit, c.question); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%.10q: %v", c.question, err)
		}
	}
}

func TestAQuestionMayHoldAnyBytes(t *testing.T) {
	a := newScript()
	close(a.steps)
	s := serve(t, testkit.DB(t), "p1", a, Limits{HistoryTurns: 1 << 40})
	turn := start(t, s, 0, "a", "nul \x00, no UTF-8 \xff, ' OR 1=1; --")
	if rec, _ := readAll(t, s, turn.ID); turn.Question != "nul \ufffd, no UTF-8 \ufffd, ' OR 1=1; --" || rec.State != Done {
		t.Errorf("the question is %q, its answer %+v", turn.Question, rec)
	}
}

func TestUnsavedConversationsExpire(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	close(a.steps)
	s := serve(t, d, "p1", a, Limits{})
	old, young := start(t, s, 0, "a", "q"), start(t, s, 0, "b", "q")
	readAll(t, s, old.ID)
	readAll(t, s, young.ID)
	if _, err := d.Pool.Exec(t.Context(), "UPDATE conversations SET touched_at = now() - interval '8 days' WHERE id = $1", old.Conversation); err != nil {
		t.Fatal(err)
	}
	keeper := New(d, nil, "p2", Limits{UnsavedTTL: 7 * 24 * time.Hour})
	if err := keeper.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Turn(t.Context(), reese, old.ID); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("the old one is still there: %v", err)
	}
	if _, err := s.Turn(t.Context(), reese, young.ID); err != nil {
		t.Errorf("the young one is gone: %v", err)
	}
}
