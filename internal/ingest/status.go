package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"bor/db"
)

// tellEvery is how often a run stores its progress and looks whether it is to stop.
const tellEvery = 500 * time.Millisecond

// watch stores the run's progress until ctx ends, and cancels it when somebody
// asks for its end, in whatever process, or when its claim is lost. A database
// that doesn't answer costs progress only: every write finds out for itself.
func (r *run) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now, err := json.Marshal(r.progress.snapshot())
		if err != nil {
			continue
		}
		stop, err := r.DB.TellProgress(ctx, db.TellProgressParams{ID: r.runID, Progress: now})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			cancel(errLostClaim)
			return
		case err == nil && stop:
			r.Log.Info("import: stopping, as was asked")
			cancel(context.Canceled)
			return
		}
	}
}

// States of the last run beside those of a report.
const (
	Running = "running"
	Crashed = "crashed" // its process or its connection died
)

// Status is what is known of the run that goes on, or else of the last one. It is
// read from the database, whichever process runs it.
type Status struct {
	Run      int64  // 0: there was none yet
	State    string // Running, Done, Failed, Stopped or Crashed
	Owner    string // host and process
	Started  time.Time
	Ended    time.Time // zero while it runs
	Stopping bool      // its end has been asked for
	Progress Progress  // as of half a second ago
	Report   Report    // of a run that has ended and didn't crash
}

// Reembeds tells whether the run is or was of `bor reembed`, which reads no source.
func (s Status) Reembeds() bool { return s.Report.Reembed || s.Progress.Phase == PhaseReembed }

// Status tells of the last run. One that crashed is closed when this finds it: its
// lock went with it.
func (im *Importer) Status(ctx context.Context) (Status, error) {
	row, err := im.DB.LastRun(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		return Status{}, nil
	}
	if err != nil {
		return Status{}, fmt.Errorf("reading the last import: %w", err)
	}
	if row.State == Running {
		alive, err := im.DB.LockHeld(ctx, ClaimLock)
		if err != nil {
			return Status{}, err
		}
		if !alive { // unless it ended by itself since its row was read
			if _, err := im.DB.SettleCrashedRun(ctx, row.ID); err != nil {
				return Status{}, fmt.Errorf("closing an import that crashed: %w", err)
			}
			if row, err = im.DB.LastRun(ctx); err != nil {
				return Status{}, fmt.Errorf("reading the last import: %w", err)
			}
		}
	}
	s := Status{Run: row.ID, State: row.State, Owner: row.Owner, Started: row.StartedAt, Stopping: row.StopRequested}
	if row.State == "abandoned" {
		s.State = Crashed
	}
	if row.FinishedAt != nil {
		s.Ended = *row.FinishedAt
	}
	// What can't be read tells nothing.
	json.Unmarshal(row.Progress, &s.Progress)
	json.Unmarshal(row.Report, &s.Report)
	return s, nil
}

// RequestStop asks the run that goes on, wherever it does, to end between two
// documents. It tells whether there is one.
func (im *Importer) RequestStop(ctx context.Context) (bool, error) {
	n, err := im.DB.RequestRunStop(ctx)
	if err != nil {
		return false, fmt.Errorf("asking an import to stop: %w", err)
	}
	return n > 0, nil
}
