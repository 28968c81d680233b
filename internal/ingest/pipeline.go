package ingest

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"bor/internal/registry"
)

// A group of documents is embedded together, so that small documents fill the
// embedding model's requests.
const (
	groupChunks = 64 // about one request
	groupFiles  = 16 // bounds what a killed run has to do again
	groupBytes  = 4 << 20
	// tooManyFailures in a row are the embedding model's fault, not the files'.
	tooManyFailures = 3
)

// group collects files until they are worth a request.
type group struct {
	files         []file
	chunks, bytes int
}

func (g *group) add(f file, chunkChars int) (full bool) {
	g.files = append(g.files, f)
	g.chunks += 1 + len(f.Text)/chunkChars
	g.bytes += len(f.Text)
	if f.image != nil {
		g.bytes += len(f.image.bytes)
	}
	return g.chunks >= groupChunks || len(g.files) >= groupFiles || g.bytes >= groupBytes
}

// outcome is a file that is ready to be stored, or why it isn't.
type outcome struct {
	file
	document *document
	err      error
}

// pipeline indexes the files that produce puts: workers prepare them, group by
// group, and this goroutine stores them, one document at a time.
func (r *run) pipeline(ctx context.Context, w *walk, produce func(ctx context.Context, put func(file) error) error) error {
	g, ctx := errgroup.WithContext(ctx)
	groups := make(chan []file)
	ready := make(chan outcome)
	g.Go(func() error {
		defer close(groups)
		return r.fill(ctx, groups, produce)
	})
	workers, workCtx := errgroup.WithContext(ctx)
	for range r.Workers {
		workers.Go(func() error { return r.work(workCtx, w.Source, groups, ready) })
	}
	g.Go(func() error {
		defer close(ready)
		return workers.Wait()
	})
	g.Go(func() error { return r.storeAll(ctx, w, ready) })
	return g.Wait()
}

// fill forms groups of what produce puts.
func (r *run) fill(ctx context.Context, groups chan<- []file, produce func(ctx context.Context, put func(file) error) error) error {
	var next group
	send := func() error {
		full := next.files
		next = group{}
		select {
		case groups <- full:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := produce(ctx, func(f file) error {
		if next.add(f, r.Chunks.MaxChars) {
			return send()
		}
		return nil
	})
	if err != nil || len(next.files) == 0 {
		return err
	}
	return send()
}

// work prepares groups until there are no more.
func (r *run) work(ctx context.Context, p registry.Source, groups <-chan []file, ready chan<- outcome) error {
	for files := range groups {
		for _, out := range r.prepare(ctx, p, files) {
			select {
			case ready <- out:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// storeAll stores what the workers have ready. A file that can't be indexed is
// reported and stays as it was; a failure of the database or of the embedding
// model ends the run.
func (r *run) storeAll(ctx context.Context, w *walk, ready <-chan outcome) error {
	failures := 0
	for out := range ready {
		err := out.err
		if err == nil {
			failures = 0
			err = r.store(ctx, w, out)
		} else if failures++; failures >= tooManyFailures {
			return fatal("embedding documents", err)
		}
		var whole *runError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &whole):
			return err
		default:
			r.fileFailed(w, out.file, err)
		}
	}
	return nil
}

func (r *run) fileFailed(w *walk, f file, err error) {
	r.count(func(report *Report) { report.problem(w.Name, f.Path, err.Error()) })
	r.Log.Error("import: failed", "source", w.Name, "path", f.Path, "error", err)
	r.event(w, f.Path, func(c *Counts) { c.Errors++ })
}
