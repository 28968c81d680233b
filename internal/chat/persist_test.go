package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"bor/db"
	"bor/internal/testkit"
)

// Writes are tried again while the database is away, and only then.
func TestFencedWrites(t *testing.T) {
	type answer struct {
		rows int64
		err  error
	}
	ours, taken, refused := errors.New("broken"), &pgconn.PgError{Code: "23505"}, &pgconn.PgError{Code: "22P05"}
	away := answer{0, fmt.Errorf("write: %w", io.ErrUnexpectedEOF)}
	goingDown := answer{0, &pgconn.PgError{Code: "57P01"}}
	for name, c := range map[string]struct {
		answers []answer
		want    error
	}{
		"stored":                        {[]answer{{1, nil}}, nil},
		"taken over":                    {[]answer{{0, nil}}, errLost},
		"back after a restart":          {[]answer{goingDown, away, {1, nil}}, nil},
		"writable again":                {[]answer{{0, &pgconn.PgError{Code: "25006"}}, {1, nil}}, nil},
		"taken over meanwhile":          {[]answer{away, {0, nil}}, errLost},
		"stored, and its answer lost":   {[]answer{away, {0, taken}}, nil},
		"stored twice":                  {[]answer{{0, taken}}, taken},
		"refused":                       {[]answer{{0, refused}}, refused},
		"a fault of ours":               {[]answer{{0, ours}}, ours},
		"a fault of ours after a while": {[]answer{away, {0, ours}}, ours},
	} {
		tries := 0
		err := fenced(func(context.Context) (int64, error) {
			a := c.answers[tries]
			tries++
			return a.rows, a.err
		})
		if !errors.Is(err, c.want) || c.want == nil && err != nil || tries != len(c.answers) {
			t.Errorf("%s: %v after %d tries", name, err, tries)
		}
	}
}

// forgetful loses the answer to a statement's first run, which was committed.
type forgetful struct {
	db.DBTX
	statement string
	lost      int
}

func (f *forgetful) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tag, err := f.DBTX.Exec(ctx, sql, args...)
	if f.lost == 0 && strings.Contains(sql, f.statement) {
		f.lost++
		return pgconn.CommandTag{}, io.ErrUnexpectedEOF
	}
	return tag, err
}

// Query never gets an answer at its first run.
func (f *forgetful) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if f.lost == 0 && strings.Contains(sql, f.statement) {
		f.lost++
		return nil, io.ErrUnexpectedEOF
	}
	return f.DBTX.Query(ctx, sql, args...)
}

// A reader at another process waits for a database that is away.
func TestAReaderWaitsForTheDatabase(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	s := serve(t, d, "p1", a, Limits{})
	turn := start(t, s, 0, "a", "q")
	lossy := &forgetful{DBTX: d.Pool, statement: "ListTurnEvents", lost: 1}
	there := New(&db.DB{Pool: d.Pool, Queries: db.New(lossy)}, newScript(), "p2", Limits{})
	f, err := there.Follow(t.Context(), reese, turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lossy.lost = 0
	a.say("all of it")
	close(a.steps)
	if rec, _ := drainInto(t, f); rec.State != Done || rec.Text != "all of it" || lossy.lost != 1 {
		t.Errorf("the reader ends with %+v", rec)
	}
}

// A turn whose end was committed has ended well, also when its owner had to ask
// twice; one that another process has ended meanwhile hasn't.
func TestAnEndWhoseAnswerGotLost(t *testing.T) {
	d := testkit.DB(t)
	for name, c := range map[string]struct {
		before func(turn int64, lost *forgetful)
		want   error
	}{
		"committed": {func(int64, *forgetful) {}, nil},
		"reaped": {func(turn int64, lost *forgetful) {
			lost.lost = 1
			expire(t, d)
			if err := New(d, nil, "other", Limits{}).reapTurn(t.Context(), turn, 0); err != nil {
				t.Fatal(err)
			}
		}, errLost},
	} {
		s := New(d, newScript(), name, Limits{})
		turn := start(t, s, 0, name, "q")
		lossy := &forgetful{DBTX: d.Pool, statement: "FinishTurn"}
		rec := &recorder{journal: newJournal(db.New(lossy), name), turn: turn.ID, log: newTurnLog(), lost: func(error) {}}
		c.before(turn.ID, lossy)
		err := rec.finish(Record{Who: "brain", State: Interrupted})
		if !errors.Is(err, c.want) || c.want == nil && err != nil || lossy.lost != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if rec.log.terminal() != (c.want == nil) {
			t.Errorf("%s: its readers are told the wrong thing", name)
		}
		s.end(errShutdown)
		s.work.Wait()
	}
}
