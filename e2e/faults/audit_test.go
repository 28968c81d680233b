//go:build faults

package faults

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// asked is one question with what its asker saw.
type asked struct {
	submit       string
	turn, words  int
	acknowledged taken // zero: it never was
	err          error // of the page that watched it
}

// ledger is what askers saw, from many goroutines.
type ledger struct {
	mu   sync.Mutex
	rows []asked
}

func (l *ledger) add(a asked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = append(l.rows, a)
}

// stored is a turn in the database.
type stored struct {
	id                         int64
	question, state, text, cut string
}

// audit compares what askers saw with what is stored, a minute after the last strike
// at the latest: that is how long a turn may say that it runs.
func (h *house) audit(r *row, l *ledger) {
	h.t.Helper()
	deadline := time.Now().Add(patience)
	var turns map[string][]stored
	for {
		turns = h.stored()
		running := 0
		for _, all := range turns {
			for _, s := range all {
				if s.state == "running" {
					running++
				}
			}
		}
		if running == 0 || time.Now().After(deadline) {
			r.stuck += running
			break
		}
		rest(h.t.Context(), 250*time.Millisecond)
	}
	for _, a := range l.rows {
		r.tried++
		if a.acknowledged.turn == 0 {
			h.t.Logf("%s was never taken: %v", a.submit, a.err)
			continue
		}
		r.acknowledged++
		if a.err != nil {
			h.t.Logf("%s: %v", a.submit, a.err)
			if errors.Is(a.err, errWrong) {
				r.wrong++
			} else {
				r.stuck++
			}
		}
		all := turns[a.submit]
		switch {
		case len(all) == 0 || all[0].id != a.acknowledged.turn || all[0].question != question(a.turn, a.words):
			r.lost++
			continue
		case len(all) > 1:
			r.doubled++
		}
		want := answer(a.turn, a.words)
		s := all[0]
		switch {
		case !strings.HasPrefix(want, s.text):
			h.t.Logf("%s: the answer is %q", a.submit, s.text)
			r.doubled++
		case s.state == "done" && s.cut == "" && s.text != want:
			r.falsely++
		case s.state == "done" && s.cut == "":
			r.done++
		default:
			r.honest++
		}
	}
}

func (h *house) stored() map[string][]stored {
	all := map[string][]stored{}
	h.query(func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT submit_id, id, question, state, coalesce(record ->> 'text', ''), coalesce(record ->> 'incomplete', '') FROM turns ORDER BY id`)
		if err != nil {
			return err
		}
		clear(all)
		var submit string
		var s stored
		_, err = pgx.ForEachRow(rows, []any{&submit, &s.id, &s.question, &s.state, &s.text, &s.cut}, func() error {
			all[submit] = append(all[submit], s)
			return nil
		})
		return err
	})
	return all
}
