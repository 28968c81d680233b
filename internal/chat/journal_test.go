package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"bor/db"
	"bor/internal/testkit"
)

// tapped lets a test see and disturb every statement that stores events.
type tapped struct {
	db.DBTX
	mu    sync.Mutex
	seen  [][]int64                                                         // the turns of each
	store func(n int, turns []int64, run func() pgx.Rows) (pgx.Rows, error) // n counts from 1
}

func (f *tapped) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if !strings.Contains(sql, "AppendTurnEvents") {
		return f.DBTX.Query(ctx, sql, args...)
	}
	turns := args[0].([]int64)
	f.mu.Lock()
	f.seen = append(f.seen, turns)
	n := len(f.seen)
	f.mu.Unlock()
	run := func() pgx.Rows {
		rows, err := f.DBTX.Query(ctx, sql, args...)
		if err != nil {
			panic(err)
		}
		return rows
	}
	if f.store == nil {
		return run(), nil
	}
	return f.store(n, turns, run)
}

// pens are recorders of turns of a process that does no other work.
func pens(t *testing.T, d *db.DB, journal *journal, n int) []*recorder {
	t.Helper()
	s := New(d, newScript(), journal.owner, Limits{})
	t.Cleanup(func() { s.end(errShutdown); s.work.Wait() })
	var all []*recorder
	for i := range n {
		turn := start(t, s, 0, fmt.Sprint("submit-", i), "q")
		all = append(all, &recorder{journal: journal, turn: turn.ID, log: newTurnLog(), lost: func(err error) { t.Errorf("turn %d is lost: %v", turn.ID, err) }})
	}
	return all
}

func debts(pens []*recorder) []debt {
	var all []debt
	for _, p := range pens {
		all = append(all, debt{recorder: p})
	}
	return all
}

func storedText(t *testing.T, d *db.DB, turn int64) string {
	t.Helper()
	rec, _, err := New(d, nil, "reader", Limits{}).storedRecord(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Text
}

// quiet keeps a journal's own clock from running.
func quiet(j *journal) *journal { j.armed = true; return j }

// The text of all turns goes into one statement, each turn's under its own numbers.
func TestTextOfAllTurnsIsStoredTogether(t *testing.T) {
	d := testkit.DB(t)
	tap := &tapped{DBTX: d.Pool}
	j := quiet(newJournal(db.New(tap), "p1"))
	all := pens(t, d, j, 5)
	for n, p := range all {
		for range n + 1 {
			p.addText(Event{Kind: KindThinking, Text: "t"})
			p.addText(Event{Kind: KindDelta, Text: "a"})
		}
	}
	if len(j.owed) != len(all) {
		t.Errorf("%d recorders are owed to, of %d", len(j.owed), len(all))
	}
	j.storeText(debts(append(all, all[0]))) // twice in it, as one that wrote meanwhile is
	if len(tap.seen) != 1 {
		t.Errorf("%d statements", len(tap.seen))
	}
	for n, p := range all {
		if got := storedText(t, d, p.turn); got != strings.Repeat("a", n+1) {
			t.Errorf("turn %d has %q stored", n, got)
		}
		row, err := d.GetTurnState(t.Context(), p.turn)
		if err != nil || row.LastSeq != int64(2*(n+1)) {
			t.Errorf("turn %d ends at %d, %v", n, row.LastSeq, err)
		}
	}
}

// What one turn suffers isn't the others' fault.
func TestATurnsFaultIsItsOwn(t *testing.T) {
	refused := &pgconn.PgError{Code: "22P05"}
	for name, c := range map[string]struct {
		store func(d *db.DB, bad int64) func(int, []int64, func() pgx.Rows) (pgx.Rows, error)
		want  error
	}{
		"taken over": {func(d *db.DB, bad int64) func(int, []int64, func() pgx.Rows) (pgx.Rows, error) {
			if _, err := d.Pool.Exec(context.Background(), "UPDATE turns SET owner = 'other' WHERE id = $1", bad); err != nil {
				panic(err)
			}
			return nil
		}, errLost},
		"refused": {func(_ *db.DB, bad int64) func(int, []int64, func() pgx.Rows) (pgx.Rows, error) {
			return func(_ int, turns []int64, run func() pgx.Rows) (pgx.Rows, error) {
				if slices.Contains(turns, bad) {
					return nil, refused
				}
				return run(), nil
			}
		}, refused},
	} {
		t.Run(name, func(t *testing.T) {
			d := testkit.DB(t)
			tap := &tapped{DBTX: d.Pool}
			all := pens(t, d, quiet(newJournal(db.New(tap), "p1")), 3)
			var lost error
			all[1].lost = func(err error) { lost = err }
			tap.store = c.store(d, all[1].turn)
			for _, p := range all {
				p.addText(Event{Kind: KindDelta, Text: "said"})
			}
			all[0].journal.storeText(debts(all))
			if !errors.Is(lost, c.want) {
				t.Errorf("its work ends with %v", lost)
			}
			for n, want := range []string{"said", "", "said"} {
				if got := storedText(t, d, all[n].turn); got != want {
					t.Errorf("turn %d has %q stored", n, got)
				}
			}
		})
	}
}

// A statement whose answer got lost is tried again, and stores nothing twice.
func TestTextIsStoredOnceWhateverBecomesOfTheAnswer(t *testing.T) {
	d := testkit.DB(t)
	tap := &tapped{DBTX: d.Pool, store: func(n int, _ []int64, run func() pgx.Rows) (pgx.Rows, error) {
		rows := run()
		if n == 1 {
			rows.Close()
			return nil, io.ErrUnexpectedEOF
		}
		return rows, nil
	}}
	all := pens(t, d, quiet(newJournal(db.New(tap), "p1")), 2)
	for _, p := range all {
		p.addText(Event{Kind: KindDelta, Text: "once"})
	}
	all[0].journal.storeText(debts(all))
	for _, p := range all {
		if got := storedText(t, d, p.turn); got != "once" || len(tap.seen) != 2 {
			t.Errorf("%q is stored after %d tries", got, len(tap.seen))
		}
	}
}

// Text that comes while earlier text is being stored is stored next, however long
// that took.
func TestTextThatComesWhileStoringIsStored(t *testing.T) {
	d := testkit.DB(t)
	again := make(chan struct{})
	tap := &tapped{DBTX: d.Pool}
	j := newJournal(db.New(tap), "p1")
	pen := pens(t, d, j, 1)[0]
	tap.store = func(n int, _ []int64, run func() pgx.Rows) (pgx.Rows, error) {
		if n > 1 {
			close(again)
			return run(), nil
		}
		pen.addText(Event{Kind: KindDelta, Text: "second"})
		j.mu.Lock()
		j.owed[0].since = j.owed[0].since.Add(-storeWithin) // as if the first took long
		j.mu.Unlock()
		return run(), nil
	}
	pen.addText(Event{Kind: KindDelta, Text: "first "})
	<-again
	pen.writing.Lock() // until that is over
	defer pen.writing.Unlock()
	if got := storedText(t, d, pen.turn); got != "first second" {
		t.Errorf("%q is stored", got)
	}
}
