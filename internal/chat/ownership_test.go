package chat

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"bor/db"
	"bor/internal/agent"
	"bor/internal/testkit"
)

// expire ends the leases of all turns.
func expire(t *testing.T, d *db.DB) {
	t.Helper()
	if _, err := d.Pool.Exec(t.Context(), "UPDATE turns SET lease_until = now() - interval '1 second'"); err != nil {
		t.Fatal(err)
	}
}

// state is what the database says of a turn, and how long it is still leased.
func state(t *testing.T, d *db.DB, turn int64) (state State, leased bool) {
	t.Helper()
	if err := d.Pool.QueryRow(t.Context(), "SELECT state, lease_until > now() FROM turns WHERE id = $1", turn).Scan(&state, &leased); err != nil {
		t.Fatal(err)
	}
	return state, leased
}

// A process that died leaves a turn whose lease runs out. Any other ends it,
// keeping what was stored; the dead one, were it to wake, can't write any more.
func TestReaperEndsTurnsOfTheDead(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	dead := New(d, a, "dead", Limits{}) // its Run never runs: no heartbeat
	turn := start(t, dead, 0, "a", "q")
	stored := make(chan struct{})
	a.say("stored part")
	a.do(func(k Sink) error { defer close(stored); return k.Tool(agent.ToolLine{Name: "ls"}) })
	<-stored
	expire(t, d)
	s := New(d, newScript(), "alive", Limits{})
	if err := s.reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	rec, _ := readAll(t, s, turn.ID)
	if rec.State != Interrupted || rec.Text != "stored part" || len(rec.Trace) != 1 {
		t.Errorf("record is %+v", rec)
	}
	late := make(chan error, 1)
	a.do(func(k Sink) error { err := k.Tool(agent.ToolLine{Name: "ls"}); late <- err; return err })
	if err := <-late; !errors.Is(err, errLost) {
		t.Errorf("the dead owner's write gave %v", err)
	}
	dead.work.Wait()
	// A reader who sat on the dead process's memory ends with the store's word.
	if again, _ := readAll(t, dead, turn.ID); again.State != Interrupted {
		t.Errorf("state is %s", again.State)
	}
}

func TestAnExpiredLeaseIsNoticedByItsOwner(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	s := New(d, a, "p1", Limits{})
	turn := start(t, s, 0, "a", "q")
	f, err := s.Follow(t.Context(), reese, turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Pool.Exec(t.Context(), "UPDATE turns SET state = 'interrupted', record = '{\"who\":\"brain\",\"state\":\"interrupted\"}' WHERE id = $1", turn.ID); err != nil {
		t.Fatal(err)
	}
	a.say("words that were published, and never stored")
	if err := s.renewLeases(t.Context()); err != nil {
		t.Fatal(err)
	}
	rec, events := drainInto(t, f)
	if rec.State != Interrupted {
		t.Errorf("the reader ends with %+v", rec)
	}
	if n := len(events); n < 2 || events[n-1].Seq <= events[n-2].Seq {
		t.Errorf("numbers don't rise: %+v", events)
	}
	s.work.Wait()
}

// A turn whose end couldn't be stored runs nowhere any more. Its process keeps on
// renewing the others' leases, and that one expires.
func TestOnlyRunningTurnsAreRenewed(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	s := New(d, a, "p1", Limits{})
	lost, alive := start(t, s, 0, "a", "q"), start(t, s, 0, "b", "q")
	s.broker.remove(lost.ID)
	expire(t, d)
	if err := s.renewLeases(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, leased := state(t, d, lost.ID); leased {
		t.Error("the lost turn was renewed: it would never end")
	}
	if _, leased := state(t, d, alive.ID); !leased {
		t.Error("the running turn wasn't renewed")
	}
	if err := s.reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := state(t, d, lost.ID); got != Interrupted {
		t.Errorf("the lost turn is %s", got)
	}
	close(a.steps)
	s.work.Wait()
}

func TestTheReaperSparesTheLiving(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	s, other := New(d, a, "p1", Limits{}), New(d, newScript(), "p2", Limits{})
	turn := start(t, s, 0, "a", "q")
	expire(t, d)
	if err := s.reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := state(t, d, turn.ID); got != Running {
		t.Errorf("a process ended its own turn: %s", got)
	}
	stored := make(chan struct{})
	a.do(func(k Sink) error { defer close(stored); return k.Tool(agent.ToolLine{Name: "ls"}) })
	<-stored
	if err := other.reapTurn(t.Context(), turn.ID, 0); err != nil {
		t.Fatal(err)
	}
	if got, _ := state(t, d, turn.ID); got != Running {
		t.Errorf("a turn was ended with less than its owner had stored: %s", got)
	}
	close(a.steps)
	s.work.Wait()
}

// A turn with an event that can't be read ends too, with what came before it.
func TestAnUnreadableTurnEnds(t *testing.T) {
	d := testkit.DB(t)
	a := newScript()
	dead := New(d, a, "dead", Limits{})
	broken, whole := start(t, dead, 0, "a", "q"), start(t, dead, 0, "b", "q")
	if _, err := d.Pool.Exec(t.Context(), `INSERT INTO turn_events VALUES ($1, 1, 'delta', '{"text": "so far"}'), ($1, 2, 'delta', '7')`, broken.ID); err != nil {
		t.Fatal(err)
	}
	expire(t, d)
	s := New(d, newScript(), "alive", Limits{})
	if err := s.reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	for turn, text := range map[int64]string{broken.ID: "so far", whole.ID: ""} {
		if rec, _ := readAll(t, s, turn); rec.State != Interrupted || rec.Text != text {
			t.Errorf("turn %d ended as %+v", turn, rec)
		}
	}
	close(a.steps)
	dead.work.Wait()
}

// A reader that looked at a turn's row just before its end still gets the record.
func TestAReaderThatComesLateGetsTheRecord(t *testing.T) {
	a := newScript()
	s := serve(t, testkit.DB(t), "p1", a, Limits{})
	turn := start(t, s, 0, "a", "q")
	a.say("all of it")
	close(a.steps)
	readAll(t, s, turn.ID)
	row, err := s.turnRow(t.Context(), reese, turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	row.State = string(Running) // as it was a moment ago
	if late, err := s.fill(t.Context(), row); err != nil || late.State != Done || late.Record.Text != "all of it" {
		t.Errorf("the turn is %+v, %v", late, err)
	}
	f, err := s.followStore(t.Context(), turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Record.State != Done || f.Record.Text != "all of it" {
		t.Errorf("it begins with %+v", f.Record)
	}
	if rec, events := drainInto(t, f); rec.Text != "all of it" || len(events) != 0 {
		t.Errorf("it ends with %+v after %v", rec, events)
	}
}

// A question that is being accepted while the server stops gets its honest end.
func TestNoQuestionSlipsThroughTheEnd(t *testing.T) {
	d := testkit.DB(t)
	s := New(d, newScript(), "p1", Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); s.Run(ctx) }()
	tx, err := d.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE conversations IN EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	started := make(chan Turn, 1)
	go func() {
		turn, err := s.Start(context.Background(), reese, 0, "a", "q")
		if err != nil {
			t.Error(err)
		}
		started <- turn
	}()
	for waiting := 0; waiting == 0; { // until the question waits for our lock
		if err := tx.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
			WHERE NOT granted AND relation = 'conversations'::regclass AND datname = current_database()`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	for s.closing.TryRLock() { // until the end waits for the question
		s.closing.RUnlock()
		runtime.Gosched()
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-over
	if got, _ := state(t, d, (<-started).ID); got != Interrupted {
		t.Errorf("the turn is %s after the server's end", got)
	}
}
