//go:build faults

package faults

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// half holds every answer before its middle until release is called.
func (m *model) half() (release func()) {
	gate := make(chan struct{})
	m.hold = func(_, word, words int) <-chan struct{} {
		if word == words/2 {
			return gate
		}
		return nil
	}
	return sync.OnceFunc(func() { close(gate) })
}

// shows gives a viewer's progress hook and a channel that closes when its page shows
// a text.
func shows(text string) (hook func(string), seen <-chan struct{}) {
	c := make(chan struct{})
	once := sync.OnceFunc(func() { close(c) })
	return func(now string) {
		if strings.Contains(now, text) {
			once()
		}
	}, c
}

// watching runs a viewer; the channel gives its end.
func watching(ctx context.Context, v *viewer) <-chan error {
	end := make(chan error, 1)
	go func() { end <- v.watch(ctx) }()
	return end
}

// within waits for a channel, or fails.
func within[T any](t *testing.T, what string, d time.Duration, c <-chan T) (v T) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case v = <-c:
	case <-timer.C:
		t.Fatalf("%s did not happen within %v", what, d)
	}
	return v
}

// TestTwoProcessesAreOne starts turns on one process and follows, resumes and stops
// them on the other (DEC11).
func TestTwoProcessesAreOne(t *testing.T) {
	t.Parallel()
	const words = 24
	h, r := newHouse(t, 2), &row{name: "two processes: follow, resume, stop"}
	var l ledger
	seen := strings.TrimSpace(pieces(1, words)[words/2-1])
	for turn, c := range []struct {
		name string
		stop bool
	}{{"follow", false}, {"stop", true}} {
		turn++
		release := h.model.half()
		here, there := h.signIn(h.only(0)), (*client)(nil)
		there = &client{here.http, h.only(1)}
		asked := asked{submit: fmt.Sprint("two", turn), turn: turn, words: words}
		asked.acknowledged = h.taken(here, question(turn, words), asked.submit)
		hook, half := shows(strings.Replace(seen, "w1x", fmt.Sprintf("w%dx", turn), 1))
		ends := []<-chan error{
			watching(t.Context(), &viewer{client: here, taken: asked.acknowledged}),
			watching(t.Context(), &viewer{client: there, taken: asked.acknowledged, progress: hook}),
			// a reader whose every connection leads to another process, and breaks
			watching(t.Context(), &viewer{client: &client{here.http, h.anywhere}, taken: asked.acknowledged}),
		}
		within(t, "half of the answer at the other process", 20*time.Second, half)
		if c.stop {
			took := elapsed()
			status, _, _, err := there.post(t.Context(), fmt.Sprintf("/chat/turns/%d/stop", asked.acknowledged.turn), nil)
			must(t, err)
			if status != http.StatusNoContent {
				t.Errorf("Stop at the other process gave %d", status)
			}
			for _, end := range ends {
				asked.err = within(t, "the end after Stop", 5*time.Second, end)
				must(t, asked.err)
			}
			t.Logf("all readers saw the stop after %v", took())
		} else {
			release()
			for _, end := range ends {
				asked.err = within(t, "the end", patience, end)
				must(t, asked.err)
			}
		}
		release()
		l.add(asked)
	}
	h.audit(r, &l)
	if r.done != 1 || r.honest != 1 {
		t.Errorf("one turn ran to its end and one was stopped, but the figures say %+v", *r)
	}
	r.judge(t)
}

// TestTenSubmitsAreOneTurn sends the same form ten times, to both processes at once
// (DEC12).
func TestTenSubmitsAreOneTurn(t *testing.T) {
	t.Parallel()
	h, r := newHouse(t, 2), &row{name: "ten identical submits, 2 processes"}
	c := h.signIn(h.anywhere)
	c.http.Transport.(*http.Transport).MaxIdleConnsPerHost = 10
	var l ledger
	var people sync.WaitGroup
	answers := make(chan taken, 10)
	for i := range 10 {
		people.Go(func() {
			each := &client{c.http, h.only(i % 2)}
			got, err := each.insist(t.Context(), question(1, 20), "same")
			if err != nil {
				t.Error(err)
			}
			answers <- got
		})
	}
	people.Wait()
	first := <-answers
	for range 9 {
		if other := <-answers; other != first {
			t.Errorf("the same form gave turns %v and %v", first, other)
		}
	}
	l.add(asked{"same", 1, 20, first, (&viewer{client: c, taken: first}).watch(t.Context())})
	h.audit(r, &l)
	r.judge(t)
}

// TestTerminationDrains ends a process in the middle of turns: its own turns say so, at
// once; those of the other go on, also for who read them at the one that left.
func TestTerminationDrains(t *testing.T) {
	t.Parallel()
	const words = 24
	h, r := newHouse(t, 2), &row{name: "SIGTERM in the middle of turns"}
	var l ledger
	release := h.model.half()
	defer release()
	leaving, staying := h.signIn(h.only(0)), h.signIn(h.only(1))
	var ends []<-chan error
	var all []asked
	for turn := 1; turn <= 2; turn++ {
		at := []*client{leaving, staying}[turn-1]
		a := asked{submit: fmt.Sprint("term", turn), turn: turn, words: words}
		a.acknowledged = h.taken(at, question(turn, words), a.submit)
		hook, half := shows(strings.TrimSpace(pieces(turn, words)[words/2-1]))
		// Both are read by way of the process that leaves; who is cut off comes back
		// through the other, as behind a balancer.
		first := true
		address := func() string {
			if first {
				return h.apps[0].url()
			}
			return h.apps[1].url()
		}
		v := &viewer{client: &client{at.http, address}, taken: a.acknowledged, progress: hook}
		var err error
		v.page, err = v.load(t.Context())
		must(t, err)
		end := make(chan error, 1)
		go func() {
			if err := v.follow(t.Context()); err != nil && !v.done {
				first = false
				end <- v.watch(t.Context())
				return
			}
			first = false
			end <- v.watch(t.Context())
		}()
		within(t, "half of an answer", 20*time.Second, half)
		ends, all = append(ends, end), append(all, a)
	}
	took := elapsed()
	h.apps[0].end(syscall.SIGTERM)
	r.strikes++
	if took() > 10*time.Second {
		t.Errorf("the process ended after %v", took())
	}
	all[0].err = within(t, "the end of the turn that was interrupted", 10*time.Second, ends[0])
	r.recovery = took()
	release()
	all[1].err = within(t, "the end of the other process's turn", patience, ends[1])
	for _, a := range all {
		l.add(a)
	}
	h.audit(r, &l)
	if r.done != 1 || r.honest != 1 {
		t.Errorf("one turn was interrupted and one ran to its end, but the figures say %+v", *r)
	}
	if got := h.stored()["term1"][0].state; got != "interrupted" {
		t.Errorf("the turn of the process that left is %s", got)
	}
	status, _, body, err := (&client{leaving.http, h.only(1)}).post(t.Context(), fmt.Sprintf("/chat/turns/%d/retry", all[0].acknowledged.turn),
		url.Values{"conversation": {fmt.Sprint(all[0].acknowledged.conversation)}})
	if err != nil || status != http.StatusOK {
		t.Errorf("Retry gave %d, %v: %.200s", status, err, body)
	}
	r.judge(t)
}

// TestProcessesMigrateOnce starts four processes at once on an empty database; and a
// binary that is older than the schema refuses it, saying so.
func TestProcessesMigrateOnce(t *testing.T) {
	t.Parallel()
	database := postgres.database(t)
	var apps []*app
	for range 4 {
		a := &app{t: t, address: freeAddress(t), env: append(clean(nil), "DATABASE_URL="+database, "BOR_ADMIN_PASSWORD="+password, "BOR_DATA_DIR="+t.TempDir(), "PATH=/usr/bin:/bin")}
		apps = append(apps, a)
		a.start()
		t.Cleanup(a.stop)
	}
	for _, a := range apps {
		must(t, a.ready(t.Context()))
	}
	var times, versions int
	read := func(sql string, into ...any) {
		must(t, postgres.try(database, func(ctx context.Context, conn *pgx.Conn) error { return conn.QueryRow(ctx, sql).Scan(into...) }))
	}
	read("SELECT count(*), count(DISTINCT version_id) FROM goose_db_version", &times, &versions)
	if times != versions || versions < 2 {
		t.Errorf("%d migrations were applied %d times", versions, times)
	}
	apps[3].stop()
	must(t, postgres.try(database, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
		return err
	}))
	old := exec.Command(binary, "serve")
	old.Env = append(apps[3].env, "BOR_ADDR="+apps[3].address)
	out, err := old.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "newer version") || !strings.Contains(string(out), "99999") {
		t.Errorf("an older binary on a newer schema: %v\n%s", err, out)
	}
}
