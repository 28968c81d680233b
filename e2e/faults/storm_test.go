//go:build faults

package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	askers  = 24 // at a time
	longest = 60 // words of an answer
	strikes = 8  // of a storm, at least
)

// TestStormOfKills kills -9 one thing again and again, at random moments, while many
// people ask, each with a page that comes back whenever it is cut off.
func TestStormOfKills(t *testing.T) {
	for i, c := range []struct {
		name   string
		strike func(h *house, dice *rand.Rand) time.Duration // gives how long until all was served again
	}{
		{"kill -9 of bor (2 processes)", func(h *house, dice *rand.Rand) time.Duration {
			a := h.apps[dice.IntN(len(h.apps))]
			took := elapsed()
			a.end(syscall.SIGKILL)
			a.start()
			must(h.t, a.ready(h.t.Context()))
			return took()
		}},
		{"kill -9 of PostgreSQL", func(h *house, _ *rand.Rand) time.Duration {
			took := elapsed()
			postgres.strike(h.t, syscall.SIGKILL)
			for _, a := range h.apps {
				must(h.t, a.ready(h.t.Context()))
			}
			return took()
		}},
		{"death of the model server", func(h *house, dice *rand.Rand) time.Duration {
			h.model.kill()
			rest(h.t.Context(), time.Duration(dice.IntN(1500))*time.Millisecond)
			took := elapsed()
			h.model.start(h.t)
			must(h.t, again(h.t.Context(), func() error {
				response, err := http.Get("http://" + h.model.address + "/v1/models")
				if err == nil {
					response.Body.Close()
				}
				return err
			}))
			return took()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, uint64(i)))
			h, r := newHouse(t, 2), &row{name: c.name}
			ctx, calm := context.WithCancel(t.Context())
			var storm sync.WaitGroup
			var struck atomic.Int64
			words := dice.Uint64()
			storm.Go(func() {
				for rest(ctx, time.Duration(200+dice.IntN(1800))*time.Millisecond) {
					r.recovery = max(r.recovery, c.strike(h, dice))
					struck.Add(1)
				}
			})
			l := h.crowd(words, func(turn int) bool { return turn <= turns || struck.Load() < strikes })
			calm()
			storm.Wait()
			r.strikes = int(struck.Load())
			h.audit(r, l)
			r.judge(t)
		})
	}
}

// crowd has questions asked and their answers watched by many at a time, as long as
// more says so of the next one.
func (h *house) crowd(seed uint64, more func(turn int) bool) *ledger {
	h.t.Helper()
	var l ledger
	var people sync.WaitGroup
	next := make(chan int)
	for range askers {
		c := h.signIn(h.anywhere)
		people.Go(func() {
			for turn := range next {
				words := 2 + rand.New(rand.NewPCG(seed, uint64(turn))).IntN(longest)
				l.add(h.ask(c, turn, words))
			}
		})
	}
	for turn := 1; more(turn) && h.t.Context().Err() == nil; turn++ {
		next <- turn
	}
	close(next)
	people.Wait()
	return &l
}

// ask asks one question and watches it to its end.
func (h *house) ask(c *client, turn, words int) asked {
	a := asked{submit: fmt.Sprintf("s%d", turn), turn: turn, words: words}
	if a.acknowledged, a.err = c.insist(h.t.Context(), question(turn, words), a.submit); a.err == nil {
		a.err = (&viewer{client: c, taken: a.acknowledged}).watch(h.t.Context())
	}
	return a
}

// rest waits, and tells whether ctx still stands.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
