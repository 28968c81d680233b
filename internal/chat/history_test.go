package chat

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bor/internal/fault"
	"bor/internal/testkit"
)

// Newest first, whole turns, while both budgets hold; thinking counts, and so do
// characters, not bytes (CH5).
func TestHistoryBudgets(t *testing.T) {
	turn := func(name string, question, answer, thinking int) Exchange {
		return Exchange{Question: name + strings.Repeat("ö", question-1), Answer: strings.Repeat("ü", answer), Thinking: strings.Repeat("ä", thinking)}
	}
	earlier := []Exchange{turn("a", 10, 20, 0), turn("b", 10, 20, 30), turn("c", 5, 5, 0), turn("d", 10, 20, 10)}
	for _, c := range []struct {
		turns, chars int
		want         string
	}{
		{0, 0, "abcd"},
		{4, 0, "abcd"}, {3, 0, "bcd"}, {1, 0, "d"},
		{0, 140, "abcd"}, {0, 139, "bcd"},
		{0, 110, "bcd"}, {0, 109, "cd"}, // b's thinking decides
		{0, 50, "cd"}, {0, 49, "d"}, // nothing behind one that doesn't fit
		{0, 40, "d"}, {0, 39, ""},
		{2, 140, "cd"}, {3, 109, "cd"}, {40, 24000, "abcd"},
	} {
		s := &Service{limits: Limits{HistoryTurns: c.turns, HistoryChars: c.chars}}
		got := ""
		for _, x := range s.withinBudgets(earlier) {
			got += x.Question[:1]
		}
		if got != c.want {
			t.Errorf("%d turns, %d characters: %q, not %q", c.turns, c.chars, got, c.want)
		}
	}
}

// A new chat knows nothing of the one before it, and the one before stays as it was.
func TestANewChatBeginsWithoutHistory(t *testing.T) {
	a := newScript()
	close(a.steps)
	s := serve(t, testkit.DB(t), "p1", a, Limits{})
	first := start(t, s, 0, "a", "one")
	readAll(t, s, first.ID)
	<-a.jobs
	other := start(t, s, 0, "b", "two")
	readAll(t, s, other.ID)
	if job := <-a.jobs; other.Conversation == first.Conversation || len(job.History) != 0 {
		t.Errorf("the new chat is %d with history %v", other.Conversation, job.History)
	}
	if turns, err := s.Conversation(t.Context(), reese, first.Conversation); err != nil || len(turns) != 1 {
		t.Errorf("the first chat has %v, %v", turns, err)
	}
}

// A conversation expires a while after its last turn, not its first, and never while
// one runs (CH5).
func TestWhenConversationsExpire(t *testing.T) {
	const ttl = 24 * time.Hour
	d := testkit.DB(t)
	a := newScript()
	asking := New(d, a, "p1", Limits{})
	t.Cleanup(func() { asking.end(errShutdown); asking.work.Wait() })
	quiet := newScript()
	close(quiet.steps)
	s := serve(t, d, "p2", quiet, Limits{})
	for _, c := range []struct {
		name    string
		ttl     time.Duration
		age     time.Duration
		running bool
		again   bool
		gone    bool
	}{
		{name: "just before", ttl: ttl, age: ttl - 5*time.Second},
		{name: "just after", ttl: ttl, age: ttl + 5*time.Second, gone: true},
		{name: "while an answer is written", ttl: ttl, age: 2 * ttl, running: true},
		{name: "after another question", ttl: ttl, age: 2 * ttl, again: true},
		{name: "never", ttl: 0, age: 1000 * ttl},
	} {
		by := s
		if c.running {
			by = asking
		}
		turn := start(t, by, 0, c.name, "q")
		if !c.running {
			readAll(t, s, turn.ID)
		}
		if _, err := d.Pool.Exec(t.Context(), "UPDATE conversations SET touched_at = now() - $2::interval WHERE id = $1", turn.Conversation, c.age); err != nil {
			t.Fatal(err)
		}
		if c.again {
			readAll(t, s, start(t, s, turn.Conversation, c.name+" again", "q").ID)
		}
		if err := New(d, nil, "keeper", Limits{UnsavedTTL: c.ttl}).purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Turn(t.Context(), reese, turn.ID); (fault.CodeOf(err) == fault.NotFound) != c.gone || !c.gone && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var left int
		if err := d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM turns WHERE id = $1", turn.ID).Scan(&left); err != nil || (left == 0) != c.gone {
			t.Errorf("%s: %s", c.name, fmt.Sprint(left, err))
		}
	}
}
