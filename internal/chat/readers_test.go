package chat

import (
	"context"
	"slices"
	"testing"
	"time"

	"bor/internal/testkit"
)

func TestReadersAreReported(t *testing.T) {
	const limit = time.Minute
	r := newReaders(true)
	r.listens(true)
	now := time.Now()
	ours := map[int64]bool{1: true, 2: true}
	if _, abandoned := r.report(now, ours, limit); len(abandoned) != 0 {
		t.Errorf("turns that have just begun are abandoned: %v", abandoned)
	}
	leaveOurs, leaveTheirs := r.enter(1), r.enter(7)
	r.heard(8) // a look at the page
	if read, _ := r.report(now, ours, limit); len(read) != 2 || slices.Contains(read, 1) {
		t.Errorf("read here of others': %v", read)
	}
	later := now.Add(2 * limit)
	if read, abandoned := r.report(later, ours, limit); !slices.Equal(read, []int64{7}) || !slices.Equal(abandoned, []int64{2}) {
		t.Errorf("after a while read here %v, abandoned %v", read, abandoned)
	}
	leaveOurs()
	leaveOurs()
	leaveTheirs()
	if read, abandoned := r.report(later, ours, limit); len(read) != 0 || !slices.Contains(abandoned, 1) {
		t.Errorf("after they left read here %v, abandoned %v", read, abandoned)
	}
	r.listens(false)
	if _, abandoned := r.report(later, ours, limit); len(abandoned) != 0 {
		t.Errorf("deaf for others' readers, it abandons %v", abandoned)
	}
	if len(r.here) != 0 || len(r.seen) != 2 {
		t.Errorf("it remembers %v, %v", r.here, r.seen)
	}
}

// Nothing is kept where turns are never abandoned.
func TestReadersAreNotCountedForNothing(t *testing.T) {
	r := newReaders(false)
	r.enter(1)()
	r.enter(2)
	r.heard(3)
	if len(r.here)+len(r.seen) != 0 {
		t.Errorf("it keeps %v, %v", r.here, r.seen)
	}
}

// A turn goes on while somebody reads it at any process, and ends when nobody does.
func TestAnAbandonedTurnEnds(t *testing.T) {
	d := testkit.DB(t)
	script := newScript()
	limits := Limits{AbandonAfter: time.Hour}
	here, there := serve(t, d, "p1", script, limits), serve(t, d, "p2", newScript(), limits)
	turn := start(t, here, 0, "a", "q")
	script.say("half an answer")
	heard := func(since time.Time) bool {
		here.readers.mu.Lock()
		defer here.readers.mu.Unlock()
		return here.readers.listening && here.readers.seen[turn.ID].After(since)
	}
	ctx, leave := context.WithCancel(t.Context())
	f, err := there.Follow(ctx, reese, turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); !heard(began); { // the other process tells of its reader
		if err := there.abandon(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := here.abandon(t.Context(), time.Now().Add(30*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got, _ := state(t, d, turn.ID); got != Running {
		t.Errorf("a turn with a reader is %s", got)
	}
	leave()
	f.Close()
	if err := here.abandon(t.Context(), time.Now().Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	rec, _ := readAll(t, there, turn.ID)
	if rec.State != Interrupted || rec.Text != "half an answer" {
		t.Errorf("the abandoned turn is %+v", rec)
	}
}
