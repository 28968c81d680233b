package ingest

import (
	"context"
	"fmt"
	"strings"

	"bor/internal/chunk"
	"bor/internal/kb"
	"bor/internal/lexical"
	"bor/internal/registry"
	"bor/internal/source"
)

// embedBatch is the number of texts in one call of the embedder.
const embedBatch = 64

// summaryPosition is the place of the chunk that stands for a whole document.
const summaryPosition = -1

// document is a file with everything that is stored of it.
type document struct {
	title   string
	summary string
	lines   int
	pieces  []piece
	vectors [][]float32 // one a piece
}

// piece is a chunk with its side of the lexical index.
type piece struct {
	chunk.Chunk
	index lexical.Index
}

// prepare makes the documents of a group. When the group can't be embedded, each
// document is tried by itself, so that one of them spoils no other.
func (r *run) prepare(ctx context.Context, p registry.Source, files []file) []outcome {
	outs := make([]outcome, len(files))
	for i, f := range files {
		outs[i] = outcome{file: f, document: r.cut(ctx, p, f)}
	}
	err := r.embed(ctx, outs)
	if err != nil && len(outs) == 1 {
		outs[0].err = err
	} else if err != nil {
		for i := range outs {
			outs[i].err = r.embed(ctx, outs[i:i+1])
		}
	}
	return outs
}

// cut makes a document without its vectors.
func (r *run) cut(ctx context.Context, p registry.Source, f file) *document {
	d := &document{lines: kb.SplitLines(f.Text).Count(), summary: f.summary}
	if f.image != nil {
		d.title = imageTitle(f.Path) // until its links are read
		d.pieces = r.pieces(p, f.Path, d, nil)
		return d
	}
	var note string
	if d.title, note = source.Title(f.Path, f.Text); note != "" {
		r.note("%s/%s: %s", p.Name, f.Path, note)
	}
	if d.summary == "" && !isMarkdown(f.Path) && strings.TrimSpace(f.Text) != "" {
		d.summary = r.summarise(ctx, p, f, d.title)
	}
	d.pieces = r.pieces(p, f.Path, d, chunk.Split(f.Path, f.Text, r.Chunks))
	return d
}

// pieces are a document's chunks, after the one that stands for the whole.
func (r *run) pieces(p registry.Source, path string, d *document, chunks []chunk.Chunk) []piece {
	if whole := r.whole(d, len(chunks) == 0); whole != "" {
		chunks = append([]chunk.Chunk{{Position: summaryPosition, StartLine: min(1, d.lines), EndLine: d.lines, Text: whole}}, chunks...)
	}
	pieces := make([]piece, len(chunks))
	for i, c := range chunks {
		pieces[i] = piece{c, lexical.NewIndex(lexical.Chunk{Title: d.title, Path: p.Name + "/" + path, Heading: c.Heading, Text: c.Text})}
	}
	return pieces
}

// whole is the text of the chunk that stands for the document: its summary, or
// its title when there is nothing else to find it by. Empty: it needs none.
func (r *run) whole(d *document, empty bool) string {
	text := d.summary
	if text == "" && empty {
		text = d.title
	}
	return kb.FirstChars(text, r.Chunks.MaxChars)
}

// embed fills in the vectors of documents.
func (r *run) embed(ctx context.Context, outs []outcome) error {
	var texts []string
	for _, out := range outs {
		for _, p := range out.document.pieces {
			texts = append(texts, embedText(out.document.title, p.Heading, p.Text, r.Chunks.MaxChars))
		}
	}
	vectors, err := r.embedTexts(ctx, texts)
	if err != nil {
		return err
	}
	for i := range outs {
		n := len(outs[i].document.pieces)
		outs[i].document.vectors, vectors = vectors[:n], vectors[n:]
	}
	return nil
}

// embedTexts makes a vector of each text, in batches.
func (r *run) embedTexts(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		batch := texts[:min(len(texts), embedBatch)]
		texts = texts[len(batch):]
		got, err := r.Embedder.Embed(ctx, batch)
		if err != nil {
			return nil, err
		}
		if len(got) != len(batch) {
			return nil, fmt.Errorf("the embedding model returned %d vectors for %d texts", len(got), len(batch))
		}
		r.count(func(report *Report) { report.EmbedBatches++ })
		vectors = append(vectors, got...)
	}
	return vectors, nil
}

// embedText is what a chunk's vector is made of: its text, with the document's
// title and the heading before it as far as the embedding model's limit allows.
func embedText(title, heading, text string, limit int) string {
	room := limit - kb.Chars(text)
	var head strings.Builder
	for _, line := range []string{title, heading} {
		if n := kb.Chars(line) + 1; line != "" && n <= room && !strings.HasPrefix(text, line) {
			head.WriteString(line + "\n")
			room -= n
		}
	}
	return head.String() + text
}

func isMarkdown(path string) bool {
	switch formatOf(path) {
	case "md", "markdown", "mdx":
		return true
	}
	return false
}
