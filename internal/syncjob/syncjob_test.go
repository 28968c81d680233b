package syncjob

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bor/db"
	"bor/internal/fault"
	"bor/internal/ingest"
	"bor/internal/llm"
	"bor/internal/llm/librarian"
	"bor/internal/registry"
	"bor/internal/source"
	"bor/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// process is one of several on a database.
type process struct {
	*Service
	t    *testing.T
	stop func() error // ends it as SIGTERM does
}

// newProcess starts a process; work tells whether it takes up jobs, embedder is
// its model's.
func newProcess(t *testing.T, d *db.DB, host string, embedder llm.Embedder, every time.Duration) *process {
	t.Helper()
	sources, err := registry.New(registry.Config{DB: d, Host: host})
	if err != nil {
		t.Fatal(err)
	}
	importer := ingest.New(ingest.Config{DB: d, Embedder: embedder, Completer: librarian.New(), Registry: sources,
		Scope: source.Scope{Extensions: []string{"md"}}, Log: slog.New(slog.DiscardHandler)})
	s, err := New(d, importer, every)
	if err != nil {
		t.Fatal(err)
	}
	return &process{Service: s, t: t, stop: func() error { return nil }}
}

// work lets the process take up jobs.
func (p *process) work() *process {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- p.Run(ctx) }()
	p.stop = sync.OnceValue(func() error { cancel(); return <-over })
	p.t.Cleanup(func() { p.stop() })
	return p
}

// until waits for a state of affairs.
func (p *process) until(what string, is func(Status) bool) Status {
	p.t.Helper()
	for {
		s, err := p.Status(p.t.Context())
		if err != nil {
			p.t.Fatalf("waiting until %s: %v", what, err)
		}
		if is(s) {
			return s
		}
	}
}

// slow is an embedding model that waits.
type slow struct {
	llm.Embedder
	goOn chan struct{}
}

func (s slow) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if texts[0] != "dimension" {
		select {
		case <-s.goOn:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return s.Embedder.Embed(ctx, texts)
}

func folder(t *testing.T, p *process) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("# A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.importer.Registry.Add(t.Context(), registry.Draft{Kind: registry.Local, Location: dir, Name: "notes"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestASyncIsAskedForInOneProcessAndWorkedInAnother(t *testing.T) {
	d := testkit.DB(t)
	model := slow{librarian.NewEmbedder(16), make(chan struct{})}
	asks := newProcess(t, d, "here", model.Embedder, 0)
	dir := folder(t, asks)
	if s := asks.until("asked", func(Status) bool { return true }); s.Busy() || s.State != "" {
		t.Errorf("before: %+v", s)
	}
	if err := asks.Stop(t.Context()); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("stopping nothing: %v", err)
	}
	if err := asks.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := asks.until("asked", func(Status) bool { return true }); !s.Waiting || !s.Busy() {
		t.Errorf("nobody works, and it doesn't wait: %+v", s)
	}
	var running *ingest.RunningError
	if err := asks.Start(t.Context()); !errors.As(err, &running) || fault.CodeOf(err) != fault.Conflict {
		t.Errorf("asked twice: %v", err)
	}
	works := newProcess(t, d, "here", model, 0).work()
	s := asks.until("it runs", func(s Status) bool { return s.State == ingest.Running })
	if s.Waiting || !s.Busy() || !strings.HasPrefix(s.Owner, "here, process ") {
		t.Errorf("%+v", s)
	}
	if err := asks.Start(t.Context()); !errors.As(err, &running) || running.Owner != s.Owner || running.Since.IsZero() {
		t.Errorf("asked while it runs: %v", err)
	}
	close(model.goOn)
	s = asks.until("it has ended", func(s Status) bool { return !s.Busy() })
	if s.State != ingest.Done || s.Report.Added != 1 {
		t.Errorf("%+v", s)
	}
	// It prunes.
	if err := errors.Join(os.Remove(filepath.Join(dir, "a.md")), works.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	if s = asks.until("it has pruned", func(now Status) bool { return !now.Busy() && now.Run != s.Run }); s.Report.Pruned != 1 {
		t.Errorf("%+v", s)
	}
	if err := works.stop(); err != nil {
		t.Error(err)
	}
}

func TestASyncIsStoppedFromElsewhereAndByTheEndOfItsProcess(t *testing.T) {
	d := testkit.DB(t)
	model := slow{librarian.NewEmbedder(16), make(chan struct{})}
	asks := newProcess(t, d, "here", model.Embedder, 0)
	folder(t, asks)
	works := newProcess(t, d, "here", model, 0).work()
	start := func() {
		t.Helper()
		if err := asks.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		asks.until("it runs", func(s Status) bool { return s.State == ingest.Running && s.Progress.Phase == ingest.PhaseFiles })
	}
	start()
	if err := asks.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := asks.until("it has stopped", func(s Status) bool { return !s.Busy() }); s.State != ingest.Stopped || !s.Stopping {
		t.Errorf("%+v", s)
	}
	start()
	if err := works.stop(); err != nil {
		t.Error(err)
	}
	if s := asks.until("it has stopped", func(s Status) bool { return !s.Busy() }); s.State != ingest.Stopped || s.Stopping || s.Report.Error != "" {
		t.Errorf("%+v", s)
	}
}

func TestAJobWhoseProcessWasKilledBlocksNothing(t *testing.T) {
	d := testkit.DB(t)
	p := newProcess(t, d, "here", librarian.NewEmbedder(16), 0)
	folder(t, p)
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Pool.Exec(t.Context(), "UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now() - interval '1 minute'"); err != nil {
		t.Fatal(err)
	}
	if s := p.until("asked", func(Status) bool { return true }); s.Busy() {
		t.Errorf("a job of nobody's shows as a sync: %+v", s)
	}
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.work()
	if s := p.until("it has ended", func(s Status) bool { return s.Run > 0 && !s.Busy() }); s.State != ingest.Done {
		t.Errorf("%+v", s)
	}
}

func TestTheIntervalCountsFromTheLastSync(t *testing.T) {
	d := testkit.DB(t)
	p := newProcess(t, d, "here", librarian.NewEmbedder(16), time.Hour)
	folder(t, p)
	if args, _ := p.due(time.Hour); args == nil {
		t.Error("it isn't due although there never was one")
	}
	p.work()
	p.until("it came by itself", func(s Status) bool { return s.State == ingest.Done })
	if args, _ := p.due(time.Hour); args != nil {
		t.Error("it is due again at once")
	}
	if args, _ := p.due(0); args == nil {
		t.Error("it is never due again")
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	d.Close()
	if args, _ := p.due(0); args != nil {
		t.Error("it is due while the database is away")
	}
	if _, err := p.Status(t.Context()); err == nil {
		t.Error("a database that is away has a status")
	}
	if err := errors.Join(p.Start(t.Context())); err == nil {
		t.Error("a database that is away takes a job")
	}
}

func TestTheLibrarysLogIsADetail(t *testing.T) {
	var out bytes.Buffer
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelDebug} {
		log := slog.New(quiet{slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level})})
		log.With("a", 1).WithGroup("g").Error("trouble", "b", 2)
	}
	if text := out.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "level=DEBUG msg=trouble a=1 g.b=2") {
		t.Errorf("%q", text)
	}
}
