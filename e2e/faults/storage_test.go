//go:build faults

package faults

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// recovers is how soon after a restart of the database the product serves again.
const recovers = 10 * time.Second

// middle brings turns to the middle of their answers and gives what holds them there.
func (h *house) middle(c *client, from, to, words int) (all []asked, ends []<-chan error, release func()) {
	h.t.Helper()
	release = h.model.half()
	for turn := from; turn <= to; turn++ {
		a := asked{submit: fmt.Sprint("mid", turn), turn: turn, words: words}
		a.acknowledged = h.taken(c, question(turn, words), a.submit)
		hook, half := shows(strings.TrimSpace(pieces(turn, words)[words/2-1]))
		ends = append(ends, watching(h.t.Context(), &viewer{client: c, taken: a.acknowledged, progress: hook}))
		within(h.t, "half of an answer", 20*time.Second, half)
		all = append(all, a)
	}
	return all, ends, release
}

// TestPostgresRestartsMidTurn restarts the database while answers are written. They
// go on when it is back (REL2).
func TestPostgresRestartsMidTurn(t *testing.T) {
	h, r := newHouse(t, 2), &row{name: "restart of PostgreSQL mid-turn"}
	c := h.signIn(h.anywhere)
	var l ledger
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		from := r.strikes*4 + 1
		all, ends, release := h.middle(c, from, from+3, 24)
		took := elapsed()
		release() // the other half comes while the database is away
		postgres.strike(t, s)
		r.strikes++
		for _, a := range h.apps {
			must(t, a.ready(t.Context()))
		}
		r.recovery = max(r.recovery, took())
		for i, end := range ends {
			all[i].err = within(t, "the end of an answer", patience, end)
			l.add(all[i])
		}
	}
	if r.recovery > recovers {
		t.Errorf("pages were served again after %v", r.recovery)
	}
	h.audit(r, &l)
	r.judge(t)
}

// TestPostgresTakesNoWrites makes the database read-only, as a full disk or a
// standby does, in the middle of turns: what can't be stored is refused with words,
// what is there can be read, and all goes on afterwards.
func TestPostgresTakesNoWrites(t *testing.T) {
	h, r := newHouse(t, 2), &row{name: "PostgreSQL takes no writes for 3 s"}
	c := h.signIn(h.anywhere)
	var l ledger
	readOnly := func(on bool) {
		postgres.admin(t, func(ctx context.Context, conn *pgx.Conn) error {
			for _, sql := range []string{fmt.Sprintf("ALTER SYSTEM SET default_transaction_read_only = %v", on), "SELECT pg_reload_conf()"} {
				if _, err := conn.Exec(ctx, sql); err != nil {
					return err
				}
			}
			return nil
		})
	}
	defer readOnly(false)
	all, ends, release := h.middle(c, 1, 4, 24)
	defer release()
	readOnly(true)
	r.strikes++
	form := url.Values{"message": {question(9, 20)}, "submit_id": {"refused"}}
	must(t, again(t.Context(), func() error { // the server's processes hear of it one by one
		status, _, body, err := c.post(t.Context(), "/chat", form)
		if err == nil && (status != http.StatusInsufficientStorage || !strings.Contains(body, "takes no writes")) {
			form.Set("submit_id", form.Get("submit_id")+"x")
			err = fmt.Errorf("a question gave %d: %s", status, body)
		}
		return err
	}))
	if status, _, err := c.get(t.Context(), fmt.Sprintf("/c/%d", all[0].acknowledged.conversation)); err != nil || status != http.StatusOK {
		t.Errorf("reading gave %d, %v", status, err)
	}
	release()
	rest(t.Context(), 3*time.Second)
	took := elapsed()
	readOnly(false)
	got := asked{submit: "refused again", turn: 9, words: 20}
	got.acknowledged = h.taken(c, question(9, 20), got.submit)
	r.recovery = took()
	got.err = (&viewer{client: c, taken: got.acknowledged}).watch(t.Context())
	l.add(got)
	for i, end := range ends {
		all[i].err = within(t, "the end of an answer", patience, end)
		l.add(all[i])
	}
	h.audit(r, &l)
	r.judge(t)
}
