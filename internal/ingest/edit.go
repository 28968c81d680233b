package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"bor/db"
	"bor/internal/fault"
	"bor/internal/kb"
	"bor/internal/registry"
	"bor/internal/source"
)

// MaxSummary is the longest summary, in characters: it is a chunk whole.
func (im *Importer) MaxSummary() int { return im.Chunks.MaxChars }

// EditSummary gives a document the summary that a person wrote. Imports keep it as
// long as the file's content stays. fault.Invalid says what is wrong with the text.
func (im *Importer) EditSummary(ctx context.Context, document int64, text string) error {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	switch n := kb.Chars(text); {
	case text == "":
		return fault.New(fault.Invalid, "Write a summary, or have it made anew: an empty one says nothing.")
	case n > im.MaxSummary():
		return fault.New(fault.Invalid, fmt.Sprintf("The summary has %d characters, and %d is the limit. Shorten it.", n, im.MaxSummary()))
	case kb.Storable(text) != text:
		return fault.New(fault.Invalid, "The summary holds a character that can't be stored, such as NUL. Take it out.")
	}
	doc, err := im.toSummarise(ctx, document)
	if err != nil {
		return err
	}
	return im.setSummary(ctx, doc, text, true)
}

// RemakeSummary lets the model write a document's summary anew, also one that a
// person wrote. fault.Unavailable: the model didn't, and the old one stays.
func (im *Importer) RemakeSummary(ctx context.Context, document int64) (string, error) {
	doc, err := im.toSummarise(ctx, document)
	if err != nil {
		return "", err
	}
	if doc.Kind == kb.KindImage {
		return "", fault.New(fault.Invalid, "An image's summary is made of the text around its links, by a sync. Write one of your own here.")
	}
	r := &run{Importer: im}
	file := file{File: source.File{Path: doc.Path, Text: doc.Content}}
	text := kb.FirstChars(r.summarise(ctx, registry.Source{ID: doc.SourceID, Name: doc.Source}, file, doc.Title), im.MaxSummary())
	if text == "" {
		return "", fault.New(fault.Unavailable, "The model wrote no summary, so the old one stays. The log says why; try again later.")
	}
	return text, im.setSummary(ctx, doc, text, false)
}

func (im *Importer) toSummarise(ctx context.Context, document int64) (db.DocumentToSummariseRow, error) {
	doc, err := im.DB.DocumentToSummarise(ctx, document)
	if errors.Is(err, pgx.ErrNoRows) {
		return doc, fault.New(fault.NotFound, "This document is not in the knowledge base any more.")
	}
	if err != nil {
		return doc, fmt.Errorf("reading a document: %w", err)
	}
	return doc, nil
}

// setSummary stores a summary with its chunk, vector and terms in one transaction,
// in turn with an import that may be going on.
func (im *Importer) setSummary(ctx context.Context, doc db.DocumentToSummariseRow, text string, edited bool) error {
	generation, err := im.DB.EnsureGeneration(ctx, im.Embedder.Model(), im.Embedder.Dimension())
	if err != nil {
		return err
	}
	r := &run{Importer: im}
	d := &document{title: doc.Title, summary: text, lines: int(doc.LineCount)}
	d.pieces = r.pieces(registry.Source{ID: doc.SourceID, Name: doc.Source}, doc.Path, d, nil)
	if err := r.embed(ctx, []outcome{{document: d}}); err != nil {
		return fault.Wrap(fault.Unavailable, "The embedding model didn't answer, so the summary was not changed. Try again later.", err)
	}
	err = im.DB.Tx(ctx, func(q *db.Queries) error {
		if err := q.WriteTurn(ctx); err != nil {
			return err
		}
		n, err := q.SetSummary(ctx, db.SetSummaryParams{ID: doc.ID, Summary: text, Edited: edited, FileSha256: doc.FileSha256, Title: doc.Title})
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "The document has changed meanwhile, so its summary was not. Look at it again.")
		}
		dropped, err := q.DropChunks(ctx, db.DropChunksParams{DocumentID: doc.ID, WholeOnly: true})
		if err != nil {
			return err
		}
		change, err := putChunks(ctx, q, generation, doc.ID, d, dropped)
		if err != nil {
			return err
		}
		return q.ChangeKBWhole(ctx, db.ChangeKBWholeParams(change))
	})
	if err != nil && fault.CodeOf(err) == fault.Internal {
		return fmt.Errorf("storing a summary: %w", err)
	}
	return err
}
