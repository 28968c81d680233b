package kb

import (
	"context"
	"fmt"
	"time"

	"bor/db"
)

// Row is a document in a table of documents.
type Row struct {
	ID         int64
	Source     string
	Path       string
	Title      string
	Lines      int
	Chunks     int
	Indexed    time.Time
	Summarised bool
	Edited     bool // its summary was written by a person
}

// Orders of a table of documents.
const (
	BySource  = "source"
	ByPath    = "path"
	ByTitle   = "title"
	ByLines   = "lines"
	ByChunks  = "chunks"
	ByIndexed = "indexed"
)

// Query says which documents a table shows.
type Query struct {
	Text   string // in path or title, without regard to case; empty: all
	Source string // empty: all
	Order  string // one of the orders; any other is BySource
	Down   bool   // the other way round
	Skip   int
	Limit  int
}

// Documents gives a page of a table, and how many documents all its pages have.
// A page past the last has neither.
func (s *Store) Documents(ctx context.Context, q Query) (rows []Row, total int, err error) {
	switch q.Order {
	case ByPath, ByTitle, ByLines, ByChunks, ByIndexed:
	default:
		q.Order = BySource
	}
	list, err := s.q.ListDocuments(ctx, db.ListDocumentsParams{Source: Storable(q.Source), Wanted: Storable(q.Text), Sort: q.Order,
		Down: q.Down, HowMany: int32(q.Limit), Skip: int32(q.Skip)})
	if err != nil {
		return nil, 0, fmt.Errorf("listing documents: %w", err)
	}
	for _, row := range list {
		rows = append(rows, Row{ID: row.ID, Source: row.Source, Path: row.Path, Title: row.Title, Lines: int(row.LineCount),
			Chunks: int(row.Chunks), Indexed: row.IndexedAt, Summarised: row.Summarised, Edited: row.SummaryEdited})
		total = int(row.Total)
	}
	return rows, total, nil
}

// Stats are the numbers of the whole knowledge base.
type Stats struct {
	Documents  int
	Chunks     int
	Generation int64
	LastImport time.Time // zero: there was none
}

// Stats counts the knowledge base.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	documents, err := s.q.CountAllDocuments(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("counting documents: %w", err)
	}
	state, err := s.q.KBState(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("reading the state of the knowledge base: %w", err)
	}
	stats := Stats{Documents: int(documents), Chunks: int(state.ChunkCount), Generation: state.Generation}
	if state.LastImportAt != nil {
		stats.LastImport = *state.LastImportAt
	}
	return stats, nil
}
