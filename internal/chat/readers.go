package chat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// readersChannel tells a turn's owner that another process has somebody who reads
// it; the payload is the turn's number.
const readersChannel = "bor_readers"

// abandonAtLeast is the shortest time after which a turn counts as abandoned: that
// of three signs of life from another process.
const abandonAtLeast = 3 * heartbeat

// errAbandoned ends a turn that nobody has been reading for long enough.
var errAbandoned = errors.New("chat: nobody has been reading for too long")

// readers knows who in this process reads which turn, and when each turn was last
// read anywhere, as far as this process has heard.
type readers struct {
	asked     bool // somebody wants to know: nothing is kept otherwise
	mu        sync.Mutex
	here      map[int64]int
	seen      map[int64]time.Time
	listening bool // to other processes
}

func newReaders(asked bool) *readers {
	return &readers{asked: asked, here: map[int64]int{}, seen: map[int64]time.Time{}}
}

// enter counts a reader until leave is called.
func (r *readers) enter(turn int64) (leave func()) {
	if !r.asked {
		return func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.here[turn]++
	r.seen[turn] = time.Now()
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.here[turn]--; r.here[turn] == 0 {
			delete(r.here, turn)
		}
		r.seen[turn] = time.Now()
	})
}

// heard notes that somebody reads a turn, here or elsewhere, at this moment.
func (r *readers) heard(turn int64) {
	if !r.asked {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[turn] = time.Now()
}

// listens notes whether this process hears of readers elsewhere. While it doesn't,
// and for a while afterwards, it knows nothing of them.
func (r *readers) listens(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listening = on
	for turn := range r.seen {
		r.seen[turn] = time.Now()
	}
}

// report splits what is known at now: turns that others run and somebody here has
// read within the last two heartbeats, and turns of running that nobody has read for
// limit. What is known of other turns is forgotten.
func (r *readers) report(now time.Time, running map[int64]bool, limit time.Duration) (read, abandoned []int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for turn := range r.here {
		r.seen[turn] = now
	}
	for turn := range running {
		if _, known := r.seen[turn]; !known {
			r.seen[turn] = now
		}
	}
	for turn, at := range r.seen {
		quiet := now.Sub(at)
		switch {
		case running[turn] && quiet >= limit && r.listening:
			abandoned = append(abandoned, turn)
		case running[turn]:
		case quiet < 2*heartbeat:
			read = append(read, turn)
		default:
			delete(r.seen, turn)
		}
	}
	return read, abandoned
}

// abandon ends this process's turns that nobody reads, and tells the owners of
// others' turns who is read here. Processes tell each other by notification: a turn's
// owner alone ends it for this, and dies with what it knows.
func (s *Service) abandon(ctx context.Context, now time.Time) error {
	read, abandoned := s.readers.report(now, s.broker.turns(), max(s.limits.AbandonAfter, abandonAtLeast))
	for _, turn := range abandoned {
		s.broker.cancel(turn, errAbandoned)
	}
	if len(read) == 0 {
		return nil
	}
	if err := s.db.NotifyReaders(ctx, read); err != nil {
		return fmt.Errorf("chat: telling of readers: %w", err)
	}
	return nil
}
