package kb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bor/db"

	"github.com/jackc/pgx/v5"
)

const (
	// MinGrepChars is the shortest pattern, in characters, to search the whole
	// knowledge base for: the index holds runs of three (DEC22). Callers ask for
	// a narrower scope with shorter ones.
	MinGrepChars = 3

	grepCountTo    = 1000    // counting stops here (DEC22)
	grepBatchBytes = 1 << 20 // of folded text in memory at a time, or one block
	grepClipChars  = 200     // of a line, around the match
)

// Scope is the part of the knowledge base that Grep searches; the zero Scope is
// all of it.
type Scope struct {
	source   *int64
	document *int64
	folder   string
}

// Match is a line that contains the pattern.
type Match struct {
	Source string
	Path   string
	Line   int
	Text   string // without its line end, clipped around the match
}

// Identity names the match's document.
func (m Match) Identity() string { return m.Source + "/" + m.Path }

// Matches is the result of Grep.
type Matches struct {
	Lines []Match // the first ones, by source, path and line
	Total int     // of matching lines
	More  bool    // counting stopped at Total
}

// Scope finds what path names: nothing (all), a document, a source, or a folder
// in a source. A document goes before a folder of the same name. ErrNotFound
// when it is none of them, ErrImage when it is a document without text.
func (s *Store) Scope(ctx context.Context, path string) (Scope, error) {
	if path == "" {
		return Scope{}, nil
	}
	switch doc, err := s.ByIdentity(ctx, path); {
	case err == nil && doc.Kind == KindImage:
		return Scope{}, ErrImage
	case err == nil:
		return Scope{document: &doc.ID}, nil
	case !errors.Is(err, ErrNotFound):
		return Scope{}, err
	}
	source, folder, _ := strings.Cut(path, "/")
	id, prefix, err := s.folder(ctx, source, folder)
	if err != nil {
		return Scope{}, err
	}
	return Scope{source: &id, folder: prefix}, nil
}

// Grep finds the lines in scope that contain pattern, without regard to case
// (Fold), and returns the first limit of them and how many there are. The
// pattern is literal text inside one line: an empty one, or one with a line
// end, matches nothing. When counting stopped early, the lines are the first of
// those that were looked at.
func (s *Store) Grep(ctx context.Context, pattern string, scope Scope, limit int) (Matches, error) {
	folded := Fold(Storable(pattern))
	if folded == "" || strings.Contains(folded, "\n") {
		return Matches{}, nil
	}
	var found Matches
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		g := grep{q: s.q.WithTx(tx), pattern: folded, limit: limit}
		if err := g.run(ctx, scope); err != nil {
			return err
		}
		found = g.found
		return nil
	})
	if err != nil {
		return Matches{}, fmt.Errorf("searching for text: %w", err)
	}
	return found, nil
}

// grep is one search in one snapshot of the database.
type grep struct {
	q       *db.Queries
	pattern string // folded
	limit   int
	found   Matches
}

func (g *grep) run(ctx context.Context, scope Scope) error {
	blocks, err := g.find(ctx, scope)
	if err != nil {
		return err
	}
	for len(blocks) > 0 && !g.found.More {
		n, bytes := 0, int64(0)
		for n < len(blocks) && (n == 0 || bytes+blocks[n].Bytes <= grepBatchBytes) {
			bytes += blocks[n].Bytes
			n++
		}
		if err := g.batch(ctx, blocks[:n]); err != nil {
			return err
		}
		blocks = blocks[n:]
	}
	return nil
}

// find lists the blocks that hold the pattern, by the index when it helps.
func (g *grep) find(ctx context.Context, scope Scope) ([]db.GrepFindBlocksRow, error) {
	by := db.GrepFindBlocksParams{
		Pattern: likePattern(g.pattern), SourceID: scope.source, DocumentID: scope.document,
		Folder: scope.folder, HowMany: grepCountTo + 1,
	}
	if scope.document == nil && Chars(g.pattern) >= MinGrepChars {
		return g.q.GrepFindBlocks(ctx, by)
	}
	rows, err := g.q.GrepScanBlocks(ctx, db.GrepScanBlocksParams(by))
	found := make([]db.GrepFindBlocksRow, len(rows))
	for i, row := range rows {
		found[i] = db.GrepFindBlocksRow(row)
	}
	return found, err
}

// batch reads the folded text of a few blocks and counts their matching lines.
func (g *grep) batch(ctx context.Context, blocks []db.GrepFindBlocksRow) error {
	type key struct {
		document int64
		line     int32
	}
	var want db.GrepReadBlocksParams
	for _, b := range blocks {
		want.DocumentIds = append(want.DocumentIds, b.DocumentID)
		want.FirstLines = append(want.FirstLines, b.FirstLine)
	}
	rows, err := g.q.GrepReadBlocks(ctx, want)
	if err != nil {
		return err
	}
	folded := make(map[key]string, len(rows))
	for _, row := range rows {
		folded[key{row.DocumentID, row.FirstLine}] = row.Folded
	}
	for _, b := range blocks {
		for _, n := range matchingLines(folded[key{b.DocumentID, b.FirstLine}], g.pattern) {
			if g.found.Total == grepCountTo {
				g.found.More = true
				return nil
			}
			g.found.Total++
			if len(g.found.Lines) < g.limit {
				if err := g.show(ctx, b, int(b.FirstLine)+n); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// show adds a match with its line's real text.
func (g *grep) show(ctx context.Context, b db.GrepFindBlocksRow, line int) error {
	text, err := g.q.GrepLine(ctx, db.GrepLineParams{ID: b.DocumentID, Line: int32(line)})
	if err != nil {
		return err
	}
	g.found.Lines = append(g.found.Lines, Match{
		Source: b.Source, Path: b.Path, Line: line, Text: clip(strings.TrimSuffix(text, "\r"), g.pattern),
	})
	return nil
}

// matchingLines are the indexes, from 0, of the lines of text that contain
// pattern. Each counts once.
func matchingLines(text, pattern string) []int {
	var lines []int
	for line := 0; ; line++ {
		at := strings.Index(text, pattern)
		if at < 0 {
			return lines
		}
		line += strings.Count(text[:at], "\n")
		lines = append(lines, line)
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return lines
		}
		text = text[at+end+1:]
	}
}

// clip is the part of a long line around the first match of the folded pattern,
// cut at characters and marked where it was cut.
func clip(line, pattern string) string {
	if Chars(line) <= grepClipChars {
		return line
	}
	at := Unfold(line, max(0, strings.Index(Fold(line), pattern)))
	lead := max(0, grepClipChars-Chars(pattern)) / 2
	start := at - len(lastChars(line[:at], lead))
	shown := FirstChars(line[start:], grepClipChars)
	if Chars(shown) < grepClipChars {
		shown = lastChars(line, grepClipChars)
		start = len(line) - len(shown)
	}
	if start+len(shown) < len(line) {
		shown += "…"
	}
	if start > 0 {
		shown = "…" + shown
	}
	return shown
}
