package querylog

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"bor/internal/chat"
	"bor/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func report(question string, deflected bool) chat.Report {
	r := chat.Report{Question: question, State: chat.Done, Deflected: deflected, FirstText: 20 * time.Millisecond, Took: 1500 * time.Millisecond,
		Facts: chat.Facts{TopScore: 0.5, Threshold: 0.18, LexicalHits: 7, Why: "cosine", ToolCalls: 2}}
	if !deflected {
		r.Sources = []chat.Source{{Source: "lab", Path: "a.md"}, {Source: "lab", Path: "b\x00.md"}}
	}
	return r
}

func TestTurnsAreKeptAndFiltered(t *testing.T) {
	l := New(testkit.DB(t))
	ctx := t.Context()
	for _, r := range []chat.Report{report("one\x00", false), report("two", true), report("three", false), report("four", true)} {
		l.Observe(ctx, r)
	}
	for _, state := range []chat.State{chat.Failed, chat.Stopped, chat.Interrupted} {
		r := report("not this", false)
		r.State = state
		l.Observe(ctx, r)
	}
	questions := func(deflected bool, before int64, limit int) (all []string, last int64) {
		t.Helper()
		entries, err := l.Entries(ctx, deflected, before, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			all = append(all, e.Question)
			last = e.ID
		}
		return all, last
	}
	first, last := questions(false, 0, 3)
	second, _ := questions(false, last, 3)
	if !slices.Equal(first, []string{"four", "three", "two"}) || !slices.Equal(second, []string{"one\ufffd"}) {
		t.Errorf("pages are %q and %q", first, second)
	}
	if gaps, _ := questions(true, 0, 3); !slices.Equal(gaps, []string{"four", "two"}) {
		t.Errorf("deflected are %q", gaps)
	}
	entries, err := l.Entries(ctx, false, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	e := entries[1]
	if e.TopScore != 0.5 || e.Threshold != 0.18 || e.Lexical != 7 || e.Why != "cosine" || e.ToolCalls != 2 || e.FirstText != 20*time.Millisecond ||
		e.Took != 1500*time.Millisecond || e.Deflected || !slices.Equal(e.Sources, []string{"lab/a.md", "lab/b\ufffd.md"}) || time.Since(e.Asked) > time.Minute {
		t.Errorf("the entry is %+v", e)
	}
	if len(entries[0].Sources) != 0 {
		t.Errorf("a deflected turn has sources %q", entries[0].Sources)
	}
}

func TestDaysAndTheirEnd(t *testing.T) {
	d := testkit.DB(t)
	l := New(d)
	ctx := t.Context()
	for i, deflected := range []bool{false, true, true, false} {
		l.Observe(ctx, report("q", deflected))
		if _, err := d.Pool.Exec(ctx, "UPDATE query_log SET asked_at = now() - make_interval(days => $1) WHERE id = (SELECT max(id) FROM query_log)", i/2*3); err != nil {
			t.Fatal(err)
		}
	}
	days, err := l.Days(ctx, 5)
	if err != nil || len(days) != 5 {
		t.Fatalf("%v (%v)", days, err)
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for i, want := range []Day{{Turns: 0}, {Turns: 2, Deflected: 1}, {}, {}, {Turns: 2, Deflected: 1}} {
		want.Date = today.AddDate(0, 0, i-4)
		if days[i] != want {
			t.Errorf("day %d is %+v, not %+v", i, days[i], want)
		}
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	l.Sweep(stopped, 0)
	over := make(chan struct{})
	sweeping, end := context.WithCancel(ctx)
	go func() { defer close(over); l.Sweep(sweeping, 48*time.Hour) }()
	for left := 4; left != 2; {
		entries, err := l.Entries(ctx, false, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		left = len(entries)
	}
	end()
	<-over
}

func TestALogThatCannotBeWrittenIsAWarning(t *testing.T) {
	log := new(bytes.Buffer)
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil)))
	defer slog.SetDefault(before)
	d := testkit.DB(t)
	d.Pool.Close()
	l := New(d)
	l.Observe(t.Context(), report("q", false))
	if !strings.Contains(log.String(), "level=WARN") || strings.Contains(log.String(), "question") {
		t.Errorf("the log is %s", log)
	}
	if _, err := l.Entries(t.Context(), false, 0, 1); err == nil {
		t.Error("no error")
	}
	if _, err := l.Days(t.Context(), 1); err == nil {
		t.Error("no error")
	}
}
