package ingest

import (
	"context"
	"fmt"

	"bor/db"
	"bor/internal/registry"
)

// page is how many rows are read at once where all of a source are wanted.
const page = 1000

// seeTransient marks the documents whose files are there but couldn't be read:
// they stay as they are.
func (r *run) seeTransient(ctx context.Context, w *walk) error {
	return r.documentsAt(ctx, w, w.stays, func(row db.KnownDocumentsRow) error { w.seen.add(row.ID); return nil })
}

// prune removes the documents whose files are gone or left the scope, if the run
// is to; those whose files have become secrets go in any case (SEC3).
func (r *run) prune(ctx context.Context, w *walk) error {
	if err := r.seeTransient(ctx, w); err != nil {
		return err
	}
	if !r.options.Prune {
		return r.documentsAt(ctx, w, w.secret, func(row db.KnownDocumentsRow) error {
			if w.seen.has(row.ID) {
				return nil
			}
			return r.pruned(ctx, w, row.ID, row.Path)
		})
	}
	for after := int64(0); ; {
		rows, err := r.DB.DocumentsPage(ctx, db.DocumentsPageParams{SourceID: w.ID, After: after, HowMany: page})
		if err != nil {
			return fatal("listing a source's documents", err)
		}
		for _, row := range rows {
			after = row.ID
			if w.seen.has(row.ID) {
				continue
			}
			if err := r.pruned(ctx, w, row.ID, row.Path); err != nil {
				return err
			}
		}
		if len(rows) < page {
			return nil
		}
	}
}

// removeSource takes away a source that was removed from the registry: its
// documents one by one, so that a stopped run goes on where it was, then its row.
func (r *run) removeSource(ctx context.Context, p registry.Source) error {
	w := &walk{Source: p}
	for {
		rows, err := r.DB.DocumentsPage(ctx, db.DocumentsPageParams{SourceID: p.ID, HowMany: page})
		if err != nil {
			return fatal("listing a source's documents", err)
		}
		for _, row := range rows {
			if err := r.pruned(ctx, w, row.ID, row.Path); err != nil {
				return err
			}
		}
		if len(rows) == 0 {
			break
		}
	}
	err := r.write(ctx, func(q *db.Queries) error {
		if err := q.DeleteSource(ctx, p.ID); err != nil {
			return err
		}
		return q.ChangeKB(ctx, db.ChangeKBParams{}) // the overview names it
	})
	if err != nil {
		return err
	}
	r.Log.Info("import: removed the source", "source", p.Name, "documents", w.counts.Pruned)
	r.report.Sources = append(r.report.Sources, SourceReport{Name: p.Name, State: Removed, Counts: w.counts})
	r.report.Counts.add(w.counts)
	return nil
}

func (r *run) pruned(ctx context.Context, w *walk, id int64, path string) error {
	if err := r.remove(ctx, id); err != nil {
		return err
	}
	r.Log.Info("import: pruned", "source", w.Name, "path", path)
	r.event(w, path, func(c *Counts) { c.Pruned++ })
	return nil
}

// documentsAt calls visit for the documents at paths.
func (r *run) documentsAt(ctx context.Context, w *walk, paths []string, visit func(db.KnownDocumentsRow) error) error {
	for len(paths) > 0 {
		some := paths[:min(len(paths), page)]
		paths = paths[len(some):]
		rows, err := r.DB.KnownDocuments(ctx, db.KnownDocumentsParams{SourceID: w.ID, Paths: some})
		if err != nil {
			return fatal("looking up documents", err)
		}
		for _, row := range rows {
			if err := visit(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordSkips makes the list of skipped files equal to what this walk left out.
// Only differences are written.
func (r *run) recordSkips(ctx context.Context, w *walk) error {
	rows, err := r.DB.ListSkippedFiles(ctx, w.ID)
	if err != nil {
		return fatal("listing skipped files", err)
	}
	var gone []string
	listed := make(map[string]string, len(rows))
	for _, row := range rows {
		listed[row.Path] = row.Reason
		if _, still := w.skips[row.Path]; !still {
			gone = append(gone, row.Path)
		}
	}
	put := db.PutSkippedFilesParams{SourceID: w.ID}
	for path, reason := range w.skips {
		if was, found := listed[path]; !found || was != reason {
			put.Paths, put.Reasons = append(put.Paths, path), append(put.Reasons, reason)
		}
	}
	if len(put.Paths) == 0 && len(gone) == 0 {
		return nil
	}
	err = r.DB.Tx(ctx, func(q *db.Queries) error {
		if err := q.DeleteSkippedFiles(ctx, db.DeleteSkippedFilesParams{SourceID: w.ID, Paths: gone}); err != nil || len(put.Paths) == 0 {
			return err
		}
		return q.PutSkippedFiles(ctx, put)
	})
	if err != nil {
		return fatal(fmt.Sprintf("listing the skipped files of %s", w.Name), err)
	}
	return nil
}
