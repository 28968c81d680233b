package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"bor/internal/fault"
	"bor/internal/registry"
	"bor/internal/source"
)

// walk is one source's part of a run.
type walk struct {
	registry.Source
	files  source.Tree // nil when it couldn't be opened
	failed error       // why the source is neither indexed nor pruned
	counts Counts
	// revision is the commit that the files are of; empty outside of git.
	revision string
	seen     idSet             // documents whose files are there
	later    []file            // new paths of known content: moves or copies, settled at the end
	stays    []string          // paths whose documents stay although their files couldn't be read
	secret   []string          // paths whose documents go, whether or not the run prunes
	skips    map[string]string // reason by path
}

// file is one file on its way into the knowledge base.
type file struct {
	source.File
	image   *imageFile // of an image; nil for text
	id      int64      // of its document; 0 when it is new
	summary string     // that the document keeps, because its path and content are the same
	edited  bool       // a person wrote it
}

// open opens and counts all sources, so that a source that can't be read fails
// before anything of it is indexed, and progress knows its total.
func (r *run) open(ctx context.Context, places []registry.Source) []*walk {
	var walks []*walk
	total := 0
	for _, p := range places {
		r.progress.tell(func(now *Progress) { now.Phase, now.Source = PhaseOpen, p.Name })
		w := &walk{Source: p, skips: map[string]string{}}
		walks = append(walks, w)
		scope := r.Scope
		scope.Ignore, scope.AllowSecrets = p.Ignore, p.AllowSecrets
		if w.files, w.failed = r.Open(ctx, p, scope); w.failed != nil {
			w.files = nil
			continue
		}
		n, err := w.files.Count(ctx)
		w.failed = err
		total += n
	}
	r.progress.begin(total)
	return walks
}

func closeAll(walks []*walk) {
	for _, w := range walks {
		if w.files != nil {
			w.files.Close()
		}
	}
}

// importSource indexes what changed in one source, then settles what can only be
// known at the end of its walk.
func (r *run) importSource(ctx context.Context, w *walk) error {
	err := r.pipeline(ctx, w, func(ctx context.Context, put func(file) error) error {
		d := delta{run: r, walk: w, put: put}
		if err := readAhead(ctx, w.files, func(f source.File) error { return d.take(ctx, f) }, d.skip); err != nil {
			return err
		}
		return d.flush(ctx)
	})
	if err != nil {
		return err
	}
	if err := r.settleMoves(ctx, w); err != nil {
		return err
	}
	if err := r.prune(ctx, w); err != nil {
		return err
	}
	return r.recordSkips(ctx, w)
}

// sourceEnded adds a source to the report. It returns the error that ends the
// whole run, nil when the next source can go on.
func (r *run) sourceEnded(ctx context.Context, w *walk) error {
	w.counts.Files = w.counts.Added + w.counts.Updated + w.counts.Unchanged + w.counts.Errors
	report := SourceReport{Name: w.Name, State: Done, Counts: w.counts}
	var whole *runError
	var end error
	switch {
	case w.failed == nil:
	case ctx.Err() != nil:
		report.State, end = Stopped, context.Cause(ctx)
	case errors.As(w.failed, &whole):
		report.State, report.Error, end = Failed, whole.Error(), whole.cause
	default:
		report.State, report.Error = Failed, wordsOf(w.failed)
		r.Log.Error("import: source failed", "source", w.Name, "error", w.failed)
	}
	r.report.Sources = append(r.report.Sources, report)
	r.report.Counts.add(w.counts)
	r.recordSource(ctx, w, report)
	return end
}

// recordSource keeps with the source what came of it, also in a run that is being
// stopped. That this fails is only told to the log: the run's report has it too.
func (r *run) recordSource(ctx context.Context, w *walk, s SourceReport) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := r.Registry.Record(ctx, w.ID, registry.Outcome{State: s.State, Error: s.Error, Files: s.Files, Added: s.Added, Updated: s.Updated,
		Unchanged: s.Unchanged, Pruned: s.Pruned, Skipped: s.Skipped, Errors: s.Errors}, w.revision)
	if err != nil {
		r.Log.Warn("import: a source's result wasn't recorded", "source", w.Name, "error", err)
	}
}

// wordsOf is what people read of a failure: its own words, if it has some.
func wordsOf(err error) string {
	if fault.CodeOf(err) != fault.Internal {
		return fault.PublicOf(err)
	}
	return err.Error()
}

// runError is a failure that isn't the source's: the database's or the model's.
type runError struct{ cause error }

func (e *runError) Error() string { return e.cause.Error() }
func (e *runError) Unwrap() error { return e.cause }

func fatal(doing string, err error) error {
	if err == nil {
		return nil
	}
	return &runError{fmt.Errorf("%s: %w", doing, err)}
}

// idSet is a set of documents: a bit each, in words by the id's upper bits.
type idSet struct {
	mu    sync.Mutex
	words map[int64]uint64
}

func (s *idSet) add(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words == nil {
		s.words = map[int64]uint64{}
	}
	s.words[id>>6] |= 1 << (id & 63)
}

func (s *idSet) has(id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.words[id>>6]&(1<<(id&63)) != 0
}
