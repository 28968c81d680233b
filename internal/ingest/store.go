package ingest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"bor/db"
	"bor/internal/kb"
	"bor/internal/registry"
	"bor/internal/source"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// store writes one document in one transaction: its row, chunks, vectors, terms,
// grep blocks and the totals.
func (r *run) store(ctx context.Context, w *walk, out outcome) error {
	var id int64
	err := r.write(ctx, func(q *db.Queries) (err error) {
		id, err = r.put(ctx, q, w.Source, out)
		return err
	})
	if err != nil {
		return err
	}
	w.seen.add(id)
	chunks := len(out.document.pieces)
	if out.file.id == 0 {
		r.Log.Info("import: added", "source", w.Name, "path", out.Path, "chunks", chunks)
		r.event(w, out.Path, func(c *Counts) { c.Added++; c.Chunks += chunks })
	} else {
		r.Log.Info("import: updated", "source", w.Name, "path", out.Path, "chunks", chunks)
		r.event(w, out.Path, func(c *Counts) { c.Updated++; c.Chunks += chunks })
	}
	return nil
}

// write runs fn in a transaction that holds the run. An error of the file's own
// data comes back as it is, any other ends the run.
func (r *run) write(ctx context.Context, fn func(*db.Queries) error) error {
	err := r.DB.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.HoldRun(ctx, r.runID); errors.Is(err, pgx.ErrNoRows) {
			return errLostClaim
		} else if err != nil {
			return err
		}
		return fn(q)
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (strings.HasPrefix(pg.Code, "22") || strings.HasPrefix(pg.Code, "54")) {
		return err // data exception, limit exceeded
	}
	return fatal("writing to the database", err)
}

// put writes a document and what belongs to it.
func (r *run) put(ctx context.Context, q *db.Queries, p registry.Source, out outcome) (id int64, err error) {
	doc := out.document
	var dropped db.DropChunksRow
	if id = out.file.id; id == 0 {
		if id, err = q.InsertDocument(ctx, r.row(p, out)); err != nil {
			return 0, err
		}
	} else {
		if dropped, err = q.DropChunks(ctx, db.DropChunksParams{DocumentID: id}); err != nil {
			return 0, err
		}
		if err := q.UpdateDocument(ctx, updated(id, r.row(p, out))); err != nil {
			return 0, err
		}
	}
	if out.image != nil {
		if err := putImage(ctx, q, id, out.image); err != nil {
			return 0, err
		}
	}
	if err := q.PutGrepBlocks(ctx, grepRows(id, out.Text)); err != nil {
		return 0, err
	}
	change, err := putChunks(ctx, q, r.generation, id, doc, dropped)
	if err != nil {
		return 0, err
	}
	return id, q.ChangeKB(ctx, change)
}

// putChunks writes chunks of a document in the place of those that were dropped. It
// gives what that changes of the totals.
func putChunks(ctx context.Context, q *db.Queries, generation, id int64, doc *document, dropped db.DropChunksRow) (db.ChangeKBParams, error) {
	change := db.ChangeKBParams{Chunks: int64(len(doc.pieces)) - dropped.Chunks, Terms: -dropped.TermCount}
	chunks, terms, counts := chunkRows(id, doc.pieces)
	ids, err := q.InsertChunks(ctx, chunks)
	if err != nil {
		return change, err
	}
	if err := q.CountTerms(ctx, db.CountTermsParams{Terms: terms, Counts: counts}); err != nil {
		return change, err
	}
	vectors := make([]db.ChunkVector, len(ids))
	for i, chunk := range ids {
		vectors[i] = db.ChunkVector{ChunkID: chunk, Vector: doc.vectors[i]}
	}
	for _, n := range chunks.TermCounts {
		change.Terms += int64(n)
	}
	return change, q.PutVectors(ctx, generation, vectors)
}

// row is a document's row.
func (r *run) row(p registry.Source, out outcome) db.InsertDocumentParams {
	f, doc := out.file, out.document
	row := db.InsertDocumentParams{
		SourceID: p.ID, Path: f.Path, Kind: kb.KindText, Title: doc.title, Content: f.Text,
		FileSha256: f.SHA256[:], FileBytes: f.Size, Encoding: string(f.Encoding),
		LineCount: int32(doc.lines), CharCount: int32(kb.Chars(f.Text)), Revision: f.Revision, Summary: doc.summary, SummaryEdited: f.edited, Recipe: r.recipe(p),
	}
	if f.image != nil {
		row.Kind, row.Encoding = kb.KindImage, string(source.UTF8)
	}
	if !f.ModTime.IsZero() {
		row.DocumentDate = &f.ModTime
	}
	return row
}

func updated(id int64, row db.InsertDocumentParams) db.UpdateDocumentParams {
	return db.UpdateDocumentParams{
		ID: id, Path: row.Path, Kind: row.Kind, Title: row.Title, Content: row.Content,
		FileSha256: row.FileSha256, FileBytes: row.FileBytes, Encoding: row.Encoding,
		LineCount: row.LineCount, CharCount: row.CharCount, Revision: row.Revision,
		DocumentDate: row.DocumentDate, Summary: row.Summary, SummaryEdited: row.SummaryEdited, Recipe: row.Recipe,
	}
}

// chunkRows gives the chunks' rows, and in how many of them each term is.
func chunkRows(document int64, pieces []piece) (rows db.InsertChunksParams, terms []string, counts []int64) {
	rows.DocumentID = document
	frequency := map[string]int64{}
	for _, p := range pieces {
		rows.Positions = append(rows.Positions, int32(p.Position))
		rows.StartLines = append(rows.StartLines, int32(p.StartLine))
		rows.EndLines = append(rows.EndLines, int32(p.EndLine))
		rows.Headings = append(rows.Headings, p.Heading)
		rows.Contents = append(rows.Contents, p.Text)
		rows.Vectors = append(rows.Vectors, p.index.Vector)
		rows.TermCounts = append(rows.TermCounts, int32(p.index.Length))
		for _, term := range p.index.Terms {
			frequency[term]++
		}
	}
	terms = slices.Sorted(maps.Keys(frequency))
	for _, term := range terms {
		counts = append(counts, frequency[term])
	}
	return rows, terms, counts
}

func grepRows(document int64, text string) db.PutGrepBlocksParams {
	rows := db.PutGrepBlocksParams{DocumentID: document, FirstLines: []int32{}, Folded: []string{}}
	for _, block := range kb.GrepBlocks(text) {
		rows.FirstLines = append(rows.FirstLines, int32(block.FirstLine))
		rows.Folded = append(rows.Folded, block.Folded)
	}
	return rows
}

// remove deletes a document and all that belongs to it.
func (r *run) remove(ctx context.Context, id int64) error {
	return r.write(ctx, func(q *db.Queries) error {
		gone, err := q.DropChunks(ctx, db.DropChunksParams{DocumentID: id})
		if err != nil {
			return err
		}
		if err := q.DeleteDocument(ctx, id); err != nil {
			return err
		}
		return q.ChangeKB(ctx, db.ChangeKBParams{Chunks: -gone.Chunks, Terms: -gone.TermCount})
	})
}
