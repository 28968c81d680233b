package ingest

import (
	"context"
	"slices"
	"strings"

	"bor/db"
	"bor/internal/kb"
	"bor/internal/markdown"
	"bor/internal/registry"
	"bor/internal/source"
)

// Bounds of what is kept of the links to one image.
const (
	maxCaptions      = 8
	maxCaptionChars  = 600 // of the text around one link
	captionDocuments = 200 // read at once
)

// captioned is an image document with what the Markdown files of its source say
// where they link to it.
type captioned struct {
	db.ListImageDocumentsRow
	title string   // the first description of a link
	texts []string // around the links, each once
}

// add takes what a link says. The texts differ, and are bounded.
func (c *captioned) add(l markdown.FileLink) {
	if c.title == "" && kb.Chars(l.Description) <= source.MaxTitleChars {
		c.title = l.Description
	}
	around := kb.FirstChars(l.Around, maxCaptionChars)
	if around != "" && len(c.texts) < maxCaptions && !slices.Contains(c.texts, around) {
		c.texts = append(c.texts, around)
	}
}

// captionImages brings titles and texts of a source's images up to date with the
// links to them (ING2). It looks at the documents as they are stored, so it is
// right whichever of the two, image or link, this run has changed.
func (r *run) captionImages(ctx context.Context, p registry.Source) error {
	rows, err := r.DB.ListImageDocuments(ctx, p.ID)
	if err != nil {
		return fatal("listing images", err)
	}
	if len(rows) == 0 {
		return nil
	}
	images := make(map[string]*captioned, len(rows))
	for _, row := range rows {
		images[row.Path] = &captioned{ListImageDocumentsRow: row}
	}
	for after := ""; ; {
		documents, err := r.DB.ImageLinksPage(ctx, db.ImageLinksPageParams{SourceID: p.ID, After: after, HowMany: captionDocuments})
		if err != nil {
			return fatal("reading links to images", err)
		}
		for _, d := range documents {
			after = d.Path
			for _, link := range markdown.FileLinks(d.Content) {
				if to, _, ok := kb.Linked(d.Path, link.Dest); ok && images[to] != nil {
					images[to].add(link)
				}
			}
		}
		if len(documents) < captionDocuments {
			break
		}
	}
	for _, row := range rows {
		if err := r.caption(ctx, p, images[row.Path]); err != nil {
			return err
		}
	}
	return nil
}

// caption stores an image's title and text when they have changed.
func (r *run) caption(ctx context.Context, p registry.Source, c *captioned) error {
	title := c.title
	if title == "" {
		title = imageTitle(c.Path)
	}
	text := kb.FirstChars(strings.Join(c.texts, "\n"), r.Chunks.MaxChars)
	if c.SummaryEdited {
		text = c.Summary
	}
	if title == c.Title && text == c.Summary {
		return nil
	}
	d := &document{title: title, summary: text}
	d.pieces = r.pieces(p, c.Path, d, nil)
	if err := r.embed(ctx, []outcome{{document: d}}); err != nil {
		return fatal("embedding what is said of images", err)
	}
	return r.write(ctx, func(q *db.Queries) error {
		dropped, err := q.DropChunks(ctx, db.DropChunksParams{DocumentID: c.ID})
		if err != nil {
			return err
		}
		if n, err := q.SetCaption(ctx, db.SetCaptionParams{ID: c.ID, Title: title, Summary: text}); err != nil || n == 0 {
			return err
		}
		change, err := putChunks(ctx, q, r.generation, c.ID, d, dropped)
		if err != nil {
			return err
		}
		return q.ChangeKB(ctx, change)
	})
}
