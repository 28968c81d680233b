package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bor/db"

	"golang.org/x/sync/errgroup"
)

// Reembed gives every chunk a vector of the importer's embedder, and then makes
// these the active ones; until then searches use the old (DEC21). It takes the
// same claim as Run, and goes on where a stopped one was.
func (im *Importer) Reembed(ctx context.Context, progress func(done, total int64)) error {
	claim, err := im.claim(ctx, false)
	if err != nil {
		return err
	}
	defer claim.release()
	r := &run{Importer: im, runID: claim.run, progress: tracker{start: time.Now()}, report: Report{Run: claim.run, Reembed: true}}
	err = r.watched(ctx, func(ctx context.Context) error { return r.reembed(ctx, progress) })
	r.report.settle(err)
	return errors.Join(err, claim.finish(ctx, r.report))
}

func (r *run) reembed(ctx context.Context, progress func(done, total int64)) error {
	if err := r.checkEmbedder(ctx); err != nil {
		return err
	}
	state, err := r.DB.KBState(ctx)
	if err != nil {
		return fatal("reading the state of the knowledge base", err)
	}
	done, err := r.DB.CountVectors(ctx, r.generation) // by a run before
	if err != nil {
		return err
	}
	tell := func(more int) { // one at a time: the report's lock is held
		done += int64(more)
		total := max(done, state.ChunkCount)
		r.progress.tell(func(p *Progress) { p.Phase, p.Files, p.Added = PhaseReembed, int(total), int(done) })
		if progress != nil {
			progress(done, total)
		}
	}
	tell(0)
	workers, workCtx := errgroup.WithContext(ctx)
	workers.SetLimit(r.Workers)
	for after := int64(0); workCtx.Err() == nil; {
		ids, err := r.DB.MissingVectors(workCtx, r.generation, after, embedBatch)
		if err != nil {
			return errors.Join(workers.Wait(), err)
		}
		if len(ids) == 0 {
			break
		}
		after = ids[len(ids)-1]
		workers.Go(func() error {
			if err := r.embedChunks(workCtx, ids); err != nil {
				return err
			}
			r.count(func(*Report) { tell(len(ids)) })
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	return r.settleVectors(ctx)
}

func (r *run) embedChunks(ctx context.Context, ids []int64) error {
	rows, err := r.DB.ChunksByIDs(ctx, ids)
	if err != nil {
		return fmt.Errorf("reading chunks: %w", err)
	}
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = embedText(row.Title, row.Heading, row.Content, r.Chunks.MaxChars)
	}
	vectors, err := r.embedTexts(ctx, texts)
	if err != nil {
		return err
	}
	put := make([]db.ChunkVector, len(rows))
	for i, row := range rows {
		put[i] = db.ChunkVector{ChunkID: row.ID, Vector: vectors[i]}
	}
	return r.write(ctx, func(q *db.Queries) error { return q.PutVectors(ctx, r.generation, put) })
}
