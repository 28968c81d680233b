package ingest

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"bor/internal/fault"
	"bor/internal/llm"
)

func TestOneRunAtATime(t *testing.T) {
	b := newBench(t)
	b.sample()
	inside, goOn := make(chan struct{}), make(chan struct{})
	first := true
	b.model.embed = func(texts []string) error {
		if first && texts[0] != "dimension" {
			first = false
			close(inside)
			<-goOn
		}
		return nil
	}
	done := make(chan error)
	go func() {
		_, err := b.Run(t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, Options{})
		done <- err
	}()
	<-inside
	other := b.importer()
	_, err := other.Run(t.Context(), []Source{{Dir: b.dir}}, Options{})
	var running *RunningError
	if !errors.As(err, &running) || !strings.HasPrefix(running.Owner, "here, process ") || time.Since(running.Since) > time.Minute || fault.CodeOf(err) != fault.Conflict {
		t.Errorf("second run: %v", err)
	}
	if !strings.Contains(fault.PublicOf(err), running.Owner+" runs it since ") {
		t.Errorf("people read: %s", fault.PublicOf(err))
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := other.Run(t.Context(), nil, Options{}); err != nil {
		t.Errorf("after the first run's end: %v", err)
	}
	b.sound()
}

func TestACrashedRunsClaimIsTaken(t *testing.T) {
	b := newBench(t)
	b.sample()
	crashed, err := b.importer().claim(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	crashed.release() // what the kernel does for a killed process
	b.run(Options{}, "added=6")
	if got := b.rows("SELECT state, finished_at IS NULL FROM runs ORDER BY id"); !slices.Equal(got, []string{"abandoned false", "done false"}) {
		t.Errorf("runs %q", got)
	}
}

// TestALostClaimWritesNothingMore: the lock's connection breaks, another run
// takes over, and the first doesn't notice until it writes.
func TestALostClaimWritesNothingMore(t *testing.T) {
	b := newBench(t)
	b.sample()
	var rival *claim
	report, err := b.Run(t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, Options{Progress: func(p Progress) {
		if p.Added != 2 || rival != nil {
			return
		}
		if _, err := b.db.Pool.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1::bigint & x'ffffffff'::bigint AND classid = $1::bigint >> 32", ClaimLock); err != nil {
			t.Error(err)
		}
		for rival == nil {
			var running *RunningError
			if c, err := b.importer().claim(t.Context(), true); err == nil {
				rival = c
			} else if !errors.As(err, &running) {
				t.Error(err)
				return
			}
		}
	}})
	if !errors.Is(err, errLostClaim) || report.Added != 2 {
		t.Errorf("%s, %v", report.Line(), err)
	}
	if got := b.rows("SELECT count(*) FROM documents"); !slices.Equal(got, []string{"2"}) {
		t.Errorf("documents %q", got)
	}
	rival.release()
	b.run(Options{}, "added=4 updated=0 unchanged=2 ")
}

// A database that goes away in the middle is told in words, what is stored is whole,
// and the next run goes on from there.
func TestTheDatabaseGoesAwayDuringAnImport(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.model.embed = func([]string) error {
		b.model.embed = nil
		_, err := b.db.Pool.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		return err
	}
	_, err := b.Run(t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, Options{})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.PublicOf(err), "went away during the import") {
		t.Errorf("people read %q", fault.PublicOf(err))
	}
	b.db.Pool.Reset() // no dead connection for what is asked next
	b.run(Options{}, "files=6")
	b.sound()
}

func TestFailuresOfTheDatabaseAreExplained(t *testing.T) {
	plain := errors.New("plain")
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"full":        {fatal("writing", &pgconn.PgError{Code: "53100"}), "takes no writes"},
		"away":        {fatal("writing", io.ErrUnexpectedEOF), "went away"},
		"the model's": {fatal("embedding", &llm.Error{Public: "no model", Cause: io.ErrUnexpectedEOF}), "embedding: no model"},
		"the claim":   {errors.Join(errLostClaim, io.ErrUnexpectedEOF), "this import lost its claim"},
		"another":     {plain, "plain"},
	} {
		if got := explained(c.err); !errors.Is(got, c.err) || !strings.Contains(got.Error(), c.says) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if explained(nil) != nil {
		t.Error("nothing happened")
	}
}
