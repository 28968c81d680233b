// Package syncjob runs syncs of all registered sources in the background: at the
// press of a button in any process, and at an interval if there is one (ING7).
//
// The job library, River, only triggers (DEC20): it carries the wish from the
// process that was asked to one that works, elects the process that keeps the
// interval, and cancels the work when its process ends. Who may import, progress,
// Stop and the result are in the claim and the runs' table, which `bor import`
// shares; so a job has one attempt, no time limit, and no result.
//
// Invariants:
//   - At most one sync waits, at most one run goes on, in all processes together.
//   - A job whose process was killed blocks nothing: it is given up when the next
//     sync is asked for.
//
// Rejected: River's own rescue of such jobs (it skips jobs without a time limit),
// and a queue of syncs (a second one would find nothing to do).
package syncjob

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"bor/db"
	"bor/internal/fault"
	"bor/internal/ingest"
)

const (
	kind  = "sync"
	queue = "sync"
	// pollEvery is how soon a process takes up a job. Listening instead would keep
	// one of the pool's connections in each process.
	pollEvery = 500 * time.Millisecond
	// grace is how long a job may take from its start to the claim.
	grace = 10 * time.Second
	// lookEvery is how often, at least, the interval is looked at; it counts from
	// the last sync, not from the start of a process.
	lookEvery = time.Minute
	// endWait bounds the wait for a run's end when its process ends.
	endWait = 20 * time.Second
)

// job is what River stores: nothing but its kind.
type job struct{}

func (job) Kind() string { return kind }

// InsertOpts says that one job is enough.
func (job) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByQueue: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled}}}
}

// Service starts, stops and tells of syncs. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	importer *ingest.Importer
	client   *river.Client[pgx.Tx]
}

// New makes the service of one process. every is the interval of syncs by
// themselves, 0 for none.
func New(d *db.DB, importer *ingest.Importer, every time.Duration) (*Service, error) {
	s := &Service{db: d, importer: importer}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &worker{importer: importer}); err != nil {
		return nil, err
	}
	c := river.Config{
		Queues:  map[string]river.QueueConfig{queue: {MaxWorkers: 1}},
		Workers: workers, MaxAttempts: 1, JobTimeout: -1,
		PollOnly: true, FetchPollInterval: pollEvery,
		ReindexerSchedule: river.NeverSchedule(), // its tables hold a handful of rows
		Logger:            slog.New(quiet{slog.Default().Handler()}),
	}
	if every > 0 {
		c.PeriodicJobs = []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(min(every, lookEvery)),
			func() (river.JobArgs, *river.InsertOpts) { return s.due(every) }, &river.PeriodicJobOpts{RunOnStart: true})}
	}
	client, err := river.NewClient(riverpgxv5.New(d.Pool), &c)
	s.client = client
	return s, err
}

// Run works until ctx ends. A sync that runs here then ends between two documents,
// as stopped.
func (s *Service) Run(ctx context.Context) error {
	if err := s.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fault.Wrap(fault.Internal, "The jobs of this server can't be started.", err)
	}
	<-ctx.Done()
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	return s.client.StopAndCancel(wait)
}

// Start asks for a sync, which prunes, and returns before it begins.
// *ingest.RunningError: one goes on or is about to.
func (s *Service) Start(ctx context.Context) error {
	status, err := s.importer.Status(ctx)
	if err != nil {
		return err
	}
	if status.State == ingest.Running {
		return &ingest.RunningError{Owner: status.Owner, Since: status.Started}
	}
	if err := s.db.DiscardLostJobs(ctx, kind, ingest.ClaimLock, grace); err != nil {
		return err
	}
	result, err := s.client.Insert(ctx, job{}, nil)
	if err != nil {
		return err
	}
	if result.UniqueSkippedAsDuplicate {
		return &ingest.RunningError{}
	}
	return nil
}

// Stop asks the run that goes on to end between two documents. fault.Conflict:
// there is none.
func (s *Service) Stop(ctx context.Context) error {
	there, err := s.importer.RequestStop(ctx)
	if err == nil && !there {
		err = fault.New(fault.Conflict, "No sync is going on, so there is nothing to stop. It may have ended meanwhile.")
	}
	return err
}

// Status is what is known of the sync that goes on, or of the last one.
type Status struct {
	ingest.Status
	Waiting bool // one is about to begin
}

// Busy tells whether a run goes on or is about to.
func (s Status) Busy() bool { return s.Waiting || s.State == ingest.Running }

// Status tells of the last run.
func (s *Service) Status(ctx context.Context) (Status, error) {
	// In this order: a job that waits at first and runs then is seen in one of both.
	waits, err := s.db.JobWaits(ctx, kind, grace)
	if err != nil {
		return Status{}, err
	}
	status, err := s.importer.Status(ctx)
	return Status{Status: status, Waiting: waits && status.State != ingest.Running}, err
}

// due gives the job of the interval, or nothing while it isn't time.
func (s *Service) due(every time.Duration) (river.JobArgs, *river.InsertOpts) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	due, err := s.db.SyncDue(ctx, every)
	if err == nil && due {
		err = s.db.DiscardLostJobs(ctx, kind, ingest.ClaimLock, grace)
	}
	if err != nil {
		slog.Warn("sync: the interval can't be kept", "error", err)
	}
	if err != nil || !due {
		return nil, nil
	}
	return job{}, nil
}

// worker does what a job asks for.
type worker struct {
	river.WorkerDefaults[job]
	importer *ingest.Importer
}

// Timeout is none: a first sync may take hours.
func (*worker) Timeout(*river.Job[job]) time.Duration { return -1 }

// Work syncs. What came of it is in the run's report; the job itself always ends.
func (w *worker) Work(ctx context.Context, _ *river.Job[job]) error {
	// An end that comes from the library has a cause of its own; a run knows one.
	ctx, cancel := plain(ctx)
	defer cancel()
	_, err := w.importer.Run(ctx, nil, ingest.Options{Prune: true})
	var running *ingest.RunningError
	switch {
	case errors.As(err, &running):
		slog.Info("sync: another process got ahead", "owner", running.Owner)
	case err != nil && ctx.Err() == nil:
		slog.Error("sync: it didn't end well", "error", err)
	}
	return nil
}

func plain(outer context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(outer))
	stop := context.AfterFunc(outer, cancel)
	return ctx, func() { stop(); cancel() }
}

// quiet passes the library's log on as details: a database that is away would fill
// the log otherwise, and what fails here shows elsewhere too.
type quiet struct{ slog.Handler }

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, _ slog.Level) bool {
	return q.Handler.Enabled(ctx, slog.LevelDebug)
}

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return q.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
