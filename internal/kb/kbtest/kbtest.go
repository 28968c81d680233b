// Package kbtest fills the knowledge base of a test with documents, without an
// import: rows as import leaves them, chunks and vectors left out.
package kbtest

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"bor/internal/kb"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Date is the date of every document that Add is given without one.
var Date = time.Date(2024, 5, 17, 21, 30, 0, 0, time.UTC)

// Add stores documents, making their sources as needed. Only Source, Path and
// Content have to be set; a document whose Image has a type gets bytes for it,
// Bytes of its identity.
func Add(t testing.TB, pool *pgxpool.Pool, docs ...kb.Document) {
	t.Helper()
	made := map[string]bool{}
	var batch pgx.Batch
	for i, d := range docs {
		if !made[d.Source] {
			Source(t, pool, d.Source, "")
			remote(t, pool, d)
			made[d.Source] = true
		}
		add(&batch, d)
		if d.Image.Type != "" {
			addImage(&batch, d)
		}
		if batch.Len() < 500 && i < len(docs)-1 {
			continue
		}
		if err := pool.SendBatch(context.Background(), &batch).Close(); err != nil {
			t.Fatalf("adding documents up to %s: %v", d.Identity(), err)
		}
		batch = pgx.Batch{}
	}
}

func add(batch *pgx.Batch, d kb.Document) {
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
	sum := sha256.Sum256([]byte(d.Content))
	var lines []int32
	var folded []string
	for _, b := range kb.GrepBlocks(d.Content) {
		lines, folded = append(lines, int32(b.FirstLine)), append(folded, b.Folded)
	}
	batch.Queue(`
		WITH document AS (
			INSERT INTO documents (source_id, path, kind, title, content, file_sha256, file_bytes, encoding,
			                       line_count, char_count, revision, document_date, summary)
			SELECT id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM sources WHERE name = $1
			RETURNING id
		)
		INSERT INTO grep_blocks (document_id, first_line, folded)
		SELECT id, l, f FROM document, unnest($14::int[], $15::text[]) AS b (l, f)`,
		d.Source, d.Path, d.Kind, d.Title, d.Content, sum[:], len(d.Content), d.Encoding,
		kb.SplitLines(d.Content).Count(), kb.Chars(d.Content), d.Revision, d.Date, d.Summary, lines, folded)
}

// remote makes a document's source a git one if it has an address.
func remote(t testing.TB, pool *pgxpool.Pool, d kb.Document) {
	t.Helper()
	if d.Remote == "" {
		return
	}
	if _, err := pool.Exec(context.Background(), "UPDATE sources SET kind = 'git', location = $2 WHERE name = $1", d.Source, d.Remote); err != nil {
		t.Fatalf("making source %s one of git: %v", d.Source, err)
	}
}

// Bytes are what Add stores for an image; they are no image.
func Bytes(identity string) []byte { return []byte("the bytes of " + identity) }

func addImage(batch *pgx.Batch, d kb.Document) {
	bytes := Bytes(d.Identity())
	sum := sha256.Sum256(bytes)
	batch.Queue("INSERT INTO images (sha256, media_type, width, height, bytes) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
		sum[:], d.Image.Type, d.Image.Width, d.Image.Height, bytes)
	batch.Queue("UPDATE documents d SET image_sha256 = $1 FROM sources s WHERE s.id = d.source_id AND s.name = $2 AND d.path = $3", sum[:], d.Source, d.Path)
}

// Source makes a source; one that exists stays as it is.
func Source(t testing.TB, pool *pgxpool.Pool, name, summary string) {
	t.Helper()
	if _, err := pool.Exec(context.Background(),
		"INSERT INTO sources (kind, name, location, summary) VALUES ('local', $1, '/' || $1, $2) ON CONFLICT (name) DO NOTHING", name, summary); err != nil {
		t.Fatalf("adding source %s: %v", name, err)
	}
}
