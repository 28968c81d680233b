// Package kbtest fills the knowledge base of a test with documents, without an
// import: rows as import leaves them, chunks and vectors left out.
package kbtest

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"bor/internal/kb"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Date is the date of every document that Add is given without one.
var Date = time.Date(2024, 5, 17, 21, 30, 0, 0, time.UTC)

// Add stores documents, making their sources as needed. Only Source, Path and
// Content have to be set.
func Add(t testing.TB, pool *pgxpool.Pool, docs ...kb.Document) {
	t.Helper()
	for _, d := range docs {
		add(t, pool, d)
	}
}

func add(t testing.TB, pool *pgxpool.Pool, d kb.Document) {
	t.Helper()
	if d.Kind == "" {
		d.Kind = kb.KindText
	}
	if d.Title == "" {
		d.Title = d.Path
	}
	if d.Encoding == "" {
		d.Encoding = "utf-8"
	}
	if d.Date.IsZero() {
		d.Date = Date
	}
	Source(t, pool, d.Source, "")
	sum := sha256.Sum256([]byte(d.Content))
	var id int64
	err := pool.QueryRow(context.Background(), `
		INSERT INTO documents (source_id, path, kind, title, content, file_sha256, file_bytes, encoding,
		                       line_count, char_count, revision, document_date, summary)
		SELECT id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM sources WHERE name = $1
		RETURNING id`,
		d.Source, d.Path, d.Kind, d.Title, d.Content, sum[:], len(d.Content), d.Encoding,
		kb.SplitLines(d.Content).Count(), kb.Chars(d.Content), d.Revision, d.Date, d.Summary).Scan(&id)
	if err != nil {
		t.Fatalf("adding %s: %v", d.Identity(), err)
	}
	for _, b := range kb.GrepBlocks(d.Content) {
		if _, err := pool.Exec(context.Background(),
			"INSERT INTO grep_blocks (document_id, first_line, folded) VALUES ($1, $2, $3)", id, b.FirstLine, b.Folded); err != nil {
			t.Fatalf("adding %s to the grep index: %v", d.Identity(), err)
		}
	}
}

// Source makes a source; one that exists stays as it is.
func Source(t testing.TB, pool *pgxpool.Pool, name, summary string) {
	t.Helper()
	if _, err := pool.Exec(context.Background(),
		"INSERT INTO sources (kind, name, location, summary) VALUES ('local', $1, '/' || $1, $2) ON CONFLICT (name) DO NOTHING", name, summary); err != nil {
		t.Fatalf("adding source %s: %v", name, err)
	}
}
