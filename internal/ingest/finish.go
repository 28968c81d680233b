package ingest

import (
	"context"
	"errors"

	"bor/db"
	"bor/internal/registry"

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
		p := registry.Source{ID: s.ID, Name: s.Name}
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
