package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bor/db"

	"github.com/jackc/pgx/v5"
)

// finish completes a run that changed something, and one that a killed run left
// unfinished: summaries, the overview, the vectors' index, and at last, in one
// statement, the clean flag and the next generation (ING3, DEC20).
func (r *run) finish(ctx context.Context) error {
	state, err := r.DB.KBState(ctx)
	if err != nil {
		return fatal("reading the state of the knowledge base", err)
	}
	r.report.Generation = state.Generation
	if !state.Dirty {
		return fatal("recording the import", r.DB.SetLastImport(ctx))
	}
	r.progress.tell(func(p *Progress) { p.Phase, p.Source, p.Current = PhaseSummaries, "", "" })
	if err := r.summariseAll(ctx); err != nil {
		return err
	}
	overview, err := r.overview(ctx, state.Overview)
	if err != nil {
		return err
	}
	r.progress.tell(func(p *Progress) { p.Phase = PhaseVectors })
	if err := r.settleVectors(ctx); err != nil {
		return err
	}
	return r.DB.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.HoldClaim(ctx, r.runID); errors.Is(err, pgx.ErrNoRows) {
			return errLostClaim
		} else if err != nil {
			return fatal("finishing the import", err)
		}
		if err := q.ReleaseImages(ctx); err != nil {
			return fatal("removing images that nothing shows", err)
		}
		var err error
		r.report.Generation, err = q.FinishKB(ctx, overview)
		return fatal("finishing the import", err)
	})
}

func (r *run) summariseAll(ctx context.Context) error {
	sources, err := r.DB.ListSources(ctx)
	if err != nil {
		return fatal("listing sources", err)
	}
	for _, s := range sources {
		p := place{id: s.ID, name: s.Name}
		if err := r.captionImages(ctx, p); err != nil {
			return err
		}
		if err := r.summariseFolders(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// settleVectors indexes the vectors, and makes this embedder's the active ones
// as soon as no chunk is without.
func (r *run) settleVectors(ctx context.Context) error {
	if err := r.DB.EnsureVectorIndex(ctx, r.generation); err != nil {
		return err
	}
	state, err := r.DB.KBState(ctx)
	if err != nil {
		return fatal("reading the state of the knowledge base", err)
	}
	if state.ActiveVectors != nil && *state.ActiveVectors == r.generation {
		return nil
	}
	missing, err := r.DB.MissingVectors(ctx, r.generation, 0, 1)
	if err != nil || len(missing) > 0 {
		return err
	}
	return r.DB.Activate(ctx, r.generation)
}

// Reembed gives every chunk a vector of the importer's embedder, and then makes
// these the active ones; until then searches use the old (DEC21). It takes the
// same claim as Run, and goes on where a stopped one was.
func (im *Importer) Reembed(ctx context.Context, progress func(done, total int64)) error {
	claim, err := im.claim(ctx, false)
	if err != nil {
		return err
	}
	defer claim.release()
	r := &run{Importer: im, runID: claim.run, progress: tracker{start: time.Now()}}
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
		return err
	}
	done := int64(0)
	for after := int64(0); ; {
		ids, err := r.DB.MissingVectors(ctx, r.generation, after, embedBatch)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return r.settleVectors(ctx)
		}
		if err := r.embedChunks(ctx, ids); err != nil {
			return err
		}
		after = ids[len(ids)-1]
		done += int64(len(ids))
		total := max(done, state.ChunkCount)
		r.progress.tell(func(p *Progress) { p.Phase, p.Files, p.Added = PhaseReembed, int(total), int(done) })
		if progress != nil {
			progress(done, total)
		}
	}
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
