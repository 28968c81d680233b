package chat

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bor/internal/agent"
)

// diff compares records as JSON would: empty and absent are the same.
func diff(want, got Record) string { return cmp.Diff(want, got, cmpopts.EquateEmpty()) }

// A follower that reads at any moment, also while batches are merged under it,
// ends with the record of all events, with nothing lost and nothing double.
func TestFollowersSurviveMerging(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := newTurnLog()
		want := Record{Who: "brain", State: Running}
		type reader struct {
			rec Record
			pos position
		}
		var readers []*reader
		run, kind := []string(nil), Kind("")
		merge := func() {
			if len(run) > 0 {
				l.merge(Event{Seq: l.next() - 1, Kind: kind, Text: strings.Join(run, "")}, len(run))
			}
			run = nil
		}
		for range 60 {
			switch n := r.IntN(11); {
			case n == 10:
				merge()
				e := Event{Kind: KindRetract, Retract: &Retraction{Chars: r.IntN(len(want.Text) + 1)}}
				kind = KindRetract
				want.Apply(e)
				l.append(e)
			case n < 6:
				k := []Kind{KindDelta, KindThinking}[r.IntN(2)]
				if k != kind {
					merge()
					kind = k
				}
				e := Event{Kind: k, Text: strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(5))}
				run = append(run, e.Text)
				want.Apply(e)
				l.append(e)
			case n == 6:
				merge()
				e := Event{Kind: KindTool, Tool: &agent.ToolLine{Name: "ls"}}
				want.Apply(e)
				l.append(e)
			case n == 7 && r.IntN(2) == 0:
				merge()
			case n == 7: // neither ends a step of thinking
				merge()
				e := Event{Kind: KindRetry, Retry: &Retry{Attempt: 2, Max: 4}}
				want.Apply(e)
				l.append(e)
			case n == 8:
				rec, pos := l.snapshot()
				readers = append(readers, &reader{rec, pos})
			default:
				for _, f := range readers {
					var events []Event
					events, f.pos, _, _ = l.since(f.pos)
					for _, e := range events {
						f.rec.Apply(e)
					}
				}
			}
		}
		for i, f := range readers {
			events, _, _, _ := l.since(f.pos)
			for _, e := range events {
				f.rec.Apply(e)
			}
			if d := diff(want, f.rec); d != "" {
				t.Fatalf("seed %d, reader %d: %s", seed, i, d)
			}
		}
	}
}
