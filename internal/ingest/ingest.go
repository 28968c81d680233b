// Package ingest brings sources into the knowledge base: files become documents,
// documents chunks, chunks vectors and terms. It owns the delta (what to index,
// move and prune), the claim that lets one run go on at a time, progress and the
// run's report.
//
// Data flows one way: a walk gives files; the delta drops what is indexed
// already; workers cut, tokenise, summarise and embed; one writer stores a
// document in one transaction. When everything is stored, the folders' and
// sources' summaries, the overview and the generation follow (ING3, DEC20).
//
// Invariants:
//   - A document, its chunks, vectors, terms, grep blocks and the totals change
//     in one transaction, or not at all; embeddings are made before it begins.
//   - Every such transaction holds the run's row. A run that lost its claim, by a
//     dead connection or a restarted server, can't write any more.
//   - Killed at any point, the next run ends in the state of an undisturbed one:
//     the delta finds what is missing, and the dirty flag what is unfinished.
//   - Nothing is pruned, moved or unlisted in a source that wasn't walked to its
//     end. An unchanged file costs a hash and a share of a look-up.
//   - Memory doesn't grow with the number of files, but for a bit a document.
//
// Rejected: one writer for each worker (they would queue for the counts of the
// commonest terms, and could deadlock), and a job library as owner of the run
// (it may trigger one; the claim is a lock that ends with its session).
package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bor/db"
	"bor/internal/chunk"
	"bor/internal/fault"
	"bor/internal/lexical"
	"bor/internal/llm"
	"bor/internal/registry"
	"bor/internal/source"
)

// Config is what an Importer is made of.
type Config struct {
	DB        *db.DB
	Embedder  llm.Embedder
	Completer llm.Completer // makes summaries; their failure stops nothing
	Chunks    chunk.Options
	Scope     source.Scope       // Ignore and AllowSecrets are each source's own
	Registry  *registry.Registry // nil: this host's, without settings
	Open      Opener             // nil: local directories only
	Workers   int                // documents groups embedded at once; 0 means 4
	Log       *slog.Logger       // nil means slog.Default()
}

// Opener opens a registered source for one run, whatever its kind.
type Opener func(ctx context.Context, s registry.Source, scope source.Scope) (source.Tree, error)

// Importer imports. It is safe for concurrent use; the database lets only one
// run go on at a time.
type Importer struct {
	Config
	method string // how documents are cut and tokenised
}

// New makes an importer.
func New(c Config) *Importer {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Registry == nil {
		c.Registry, _ = registry.New(registry.Config{DB: c.DB}) // only settings can be wrong
	}
	if c.Open == nil {
		c.Open = openLocal
	}
	c.Workers = cmp.Or(c.Workers, 4)
	c.Chunks.MaxChars = cmp.Or(c.Chunks.MaxChars, chunk.Defaults.MaxChars)
	o := c.Chunks
	return &Importer{Config: c, method: fmt.Sprintf("lexical %d, chunks %d %d/%d/%d", lexical.Version, chunk.Version, o.TargetChars, o.OverlapChars, o.MaxChars)}
}

// Options says how one run goes.
type Options struct {
	Prune    bool           // remove documents whose files are gone, out of scope or ignored
	Progress func(Progress) // called in order, from one goroutine at a time; may be nil
}

// Run imports directories, one after the other, and returns what happened. With
// none it syncs everything that is registered and that this host can read, and
// removes the sources that were marked for it.
//
// The report is complete also when there is an error. Errors: *RunningError when
// another run goes on; a fault.Invalid or fault.Conflict when a source can't be
// registered as asked, before anything was read; the context's when it was
// stopped, between two documents; otherwise what ended the run, or that some
// sources or files failed although the run went to its end.
func (im *Importer) Run(ctx context.Context, sources []Source, o Options) (Report, error) {
	claim, err := im.claim(ctx, len(sources) == 0)
	if err != nil {
		return Report{}, err
	}
	defer claim.release()
	r := &run{Importer: im, runID: claim.run, options: o, report: Report{Run: claim.run, Formats: map[string]int{}},
		progress: tracker{emit: o.Progress, start: time.Now()}}
	err = r.watched(ctx, func(ctx context.Context) error { return r.do(ctx, sources) })
	r.report.settle(err)
	if e := claim.finish(ctx, r.report); e != nil {
		err = errors.Join(err, e)
	}
	err = explained(err)
	im.Log.Info(r.report.Line())
	if err == nil && r.report.State == Failed {
		err = fault.New(fault.Internal, r.report.failure())
	}
	return r.report, err
}

// watched runs do, which ends when somebody stops it.
func (r *run) watched(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { r.watch(ctx, cancel) })
	defer watching.Wait()
	defer cancel(nil)
	err := do(ctx)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errLostClaim) {
		return cause
	}
	return err
}

// run is one run under way.
type run struct {
	*Importer
	runID      int64
	generation int64 // of the vectors that it writes
	options    Options
	progress   tracker
	mu         sync.Mutex
	report     Report // under mu while workers run
}

// count changes the report.
func (r *run) count(change func(*Report)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.report)
}

func (r *run) do(ctx context.Context, sources []Source) error {
	if err := r.checkEmbedder(ctx); err != nil {
		return err
	}
	if err := r.chooseVectors(ctx); err != nil {
		return err
	}
	places, gone, err := r.register(ctx, sources)
	if err != nil {
		return err
	}
	for _, p := range gone {
		if err := r.removeSource(ctx, p); err != nil {
			return err
		}
	}
	walks := r.open(ctx, places)
	defer closeAll(walks)
	for _, w := range walks {
		if w.failed == nil {
			w.failed = r.importSource(ctx, w)
		}
		if err := r.sourceEnded(ctx, w); err != nil {
			return err
		}
	}
	return r.finish(ctx)
}

// checkEmbedder compares what the endpoint gives with what the settings say,
// before anything is read, and finds the vectors' table (ING6).
func (r *run) checkEmbedder(ctx context.Context) error {
	want := r.Embedder.Dimension()
	vectors, err := r.Embedder.Embed(ctx, []string{"dimension"})
	if err != nil {
		return fmt.Errorf("trying the embedding model before the import: %w", err)
	}
	if len(vectors) != 1 || len(vectors[0]) != want {
		got := 0
		if len(vectors) > 0 {
			got = len(vectors[0])
		}
		return fault.New(fault.Invalid, fmt.Sprintf("The embedding model %q makes vectors of %d numbers, but BOR_EMBEDDING_DIM is %d. Nothing was imported. Set BOR_EMBEDDING_DIM=%d, or choose another model with BOR_EMBED_MODEL.",
			r.Embedder.Model(), got, want, got))
	}
	r.generation, err = r.DB.EnsureGeneration(ctx, r.Embedder.Model(), want)
	return err
}

// chooseVectors makes this embedder's vectors the active ones when nothing else
// is there, and otherwise says that the two differ.
func (r *run) chooseVectors(ctx context.Context) error {
	state, err := r.DB.KBState(ctx)
	if err != nil {
		return fmt.Errorf("reading the state of the knowledge base: %w", err)
	}
	switch {
	case state.ActiveVectors != nil && *state.ActiveVectors == r.generation:
		return nil
	case state.ActiveVectors == nil || state.ChunkCount == 0:
		return r.DB.Activate(ctx, r.generation)
	}
	r.note("The knowledge base's vectors were made with another embedding model than %q. Searches use words alone until `bor reembed` has made new ones.", r.Embedder.Model())
	return nil
}

// note remarks on something that isn't an error.
func (r *run) note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	r.Log.Warn("import: " + note)
	r.count(func(report *Report) {
		if len(report.Notes) < maxProblems {
			report.Notes = append(report.Notes, note)
		}
	})
}

// explained says what a failure of the database means for an import.
func explained(err error) error {
	var model *llm.Error
	switch {
	case errors.As(err, &model), errors.Is(err, errLostClaim): // they say it themselves
	case db.Away(err):
		return fault.Wrap(fault.Unavailable, "The database went away during the import. What is stored of it is whole. PostgreSQL's log says why (a full disk, perhaps); then start the import again: it goes on from there", err)
	case db.ReadOnly(err):
		return fault.Wrap(fault.Unavailable, "The database takes no writes: its disk is full, or it is read-only. What is stored of the import is whole. Make room, and start the import again: it goes on from there", err)
	}
	return err
}
