package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestKilledBetweenDocumentsThenRunAgain(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	undisturbed := b.dump()

	for after := 1; after <= 6; after++ {
		b.empty()
		ctx, kill := context.WithCancel(t.Context())
		report, err := b.Run(ctx, []Source{{Dir: b.dir, Name: "notes"}}, Options{Progress: func(p Progress) {
			if p.Added == after {
				kill()
			}
		}})
		if !errors.Is(err, context.Canceled) || report.State != Stopped || report.Added < after || report.Generation != 0 {
			t.Fatalf("killed after %d documents: %+v, %v", after, report, err)
		}
		if state := b.rows("SELECT state FROM runs"); !slices.Equal(state, []string{Stopped}) {
			t.Errorf("the run's row says %q", state)
		}
		b.sound()
		b.Importer = b.importer()
		b.run(Options{}, fmt.Sprintf("added=%d updated=0 unchanged=%d ", 6-report.Added, report.Added))
		if got := b.dump(); !slices.Equal(got, undisturbed) {
			t.Errorf("killed after %d documents, then run again: %s", after, difference(got, undisturbed))
		}
	}
}

func TestARunThatOnlyDidntFinishIsCompleted(t *testing.T) {
	b := newBench(t)
	b.sample()
	ctx, kill := context.WithCancel(t.Context())
	_, err := b.Run(ctx, []Source{{Dir: b.dir, Name: "notes"}}, Options{Progress: func(p Progress) {
		if p.Phase == PhaseSummaries {
			kill()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := b.rows("SELECT generation, dirty, overview FROM kb_state"); got[0] != "0 true " {
		t.Errorf("state %q", got)
	}
	b.run(Options{}, "added=0 updated=0 unchanged=6 ")
	if got := b.rows("SELECT generation, dirty, overview <> '' FROM kb_state"); got[0] != "1 false true" {
		t.Errorf("state %q", got)
	}
}

// TestAnyHistoryEndsInTheSameState: files are written, changed, moved, copied and
// removed at random between imports, some of which are killed; then the database
// is what a first import of the folder makes.
func TestAnyHistoryEndsInTheSameState(t *testing.T) {
	fresh := newBench(t)
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 7))
		b := newBench(t)
		contents := []string{"# One\n\nwith words\n", "plain words\n", "key: value\n", "", "# Two\n\n" + strings.Repeat("many words here\n\n", 50)}
		names := []string{"a.md", "b.txt", "c/d.yaml", "c/e.md", "f/g/h.txt", "f/i.md"}
		for range 12 {
			for range 1 + r.IntN(4) {
				from, to := names[r.IntN(len(names))], names[r.IntN(len(names))]
				_, err := os.Stat(filepath.Join(b.dir, from))
				switch {
				case err != nil || r.IntN(3) == 0:
					b.write(to, contents[r.IntN(len(contents))])
				case r.IntN(2) == 0:
					b.move(from, to)
				default:
					b.remove(from)
				}
			}
			ctx, kill := context.WithCancel(t.Context())
			events, limit := 0, r.IntN(12)
			_, err := b.Run(ctx, []Source{{Dir: b.dir, Name: "notes"}}, Options{Prune: true, Progress: func(Progress) {
				if events++; events == limit {
					kill()
				}
			}})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			b.sound()
			kill()
		}
		if _, err := b.Run(t.Context(), []Source{{Dir: b.dir}}, Options{Prune: true}); err != nil {
			t.Fatal(err)
		}
		b.sound()
		fresh.empty()
		if _, err := fresh.Run(t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, Options{}); err != nil {
			t.Fatal(err)
		}
		got, want := b.dump(), fresh.dump()
		if !slices.Equal(got[:len(got)-1], want[:len(want)-1]) { // but for the generation
			t.Errorf("seed %d: the states differ: %s", seed, difference(got, want))
		}
	}
}

// difference is the first line that two dumps don't share.
func difference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%q instead of %q", got[i], want[i])
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(got), len(want))
}
