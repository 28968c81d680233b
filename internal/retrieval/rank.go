package retrieval

import (
	"context"
	"fmt"

	"bor/db"
)

// nameWeight is what being named weighs in fusion against being first by words.
const nameWeight = 1

// sides are the rankings that a result was fused from.
type sides struct{ lexical, dense, named ranking }

// fused ranks again with another weight of the dense side.
func (s sides) fused(denseWeight float64) []int64 {
	documents, _ := fuse(s.lexical, ranking{denseWeight, s.dense.documents}, s.named)
	return documents
}

// rank turns both sides' chunks into documents in r.Hits, best first. A document
// ranks on each side by its best chunk there.
func (s *Searcher) rank(ctx context.Context, r *Result, near []db.Near, matches []match, denseWeight float64) error {
	chunks, err := s.chunks(ctx, near, matches)
	if err != nil {
		return err
	}
	hits := map[int64]*Hit{}
	fused := map[int64]float64{} // by chunk
	dense, lexical := ranking{weight: denseWeight}, ranking{weight: 1}
	place := func(id int64, side *ranking, position int) *Hit {
		c, ok := chunks[id]
		if !ok {
			return nil // replaced by an import since
		}
		h := hits[c.DocumentID]
		if h == nil {
			h = newHit(c)
			hits[c.DocumentID] = h
		}
		fused[id] += side.weight / float64(rrfK+position+1)
		h.show(c, fused[id])
		return h
	}
	for i, n := range near {
		if h := place(n.ChunkID, &dense, i); h != nil && h.DenseRank == 0 {
			dense.documents = append(dense.documents, h.DocumentID)
			h.DenseRank, h.Cosine = len(dense.documents), n.Cosine
		}
	}
	var byWords []*Hit // whoever is named by the question is found by its words
	matched := map[int64]map[*Term]bool{}
	for i, m := range matches {
		h := place(m.chunk, &lexical, i)
		if h == nil {
			continue
		}
		if h.LexicalRank == 0 {
			lexical.documents = append(lexical.documents, h.DocumentID)
			h.LexicalRank, h.BM25 = len(lexical.documents), m.score
			byWords = append(byWords, h)
			matched[h.DocumentID] = map[*Term]bool{}
		}
		for _, t := range m.terms {
			matched[h.DocumentID][t] = true
		}
	}
	r.sides = sides{lexical, dense, ranking{nameWeight, namedDocuments(r.Question, r.Terms, byWords)}}
	documents, score := fuse(lexical, dense, r.sides.named)
	for _, id := range documents {
		hits[id].Score = score[id]
		r.Hits = append(r.Hits, *hits[id])
	}
	for _, terms := range matched {
		if coverage, telling := coverageOf(r.Terms, terms); coverage > r.evidence.coverage {
			r.evidence.coverage, r.evidence.telling = coverage, telling
		}
	}
	for _, h := range r.Top() {
		if h.Summary {
			r.SummaryHits++
		}
	}
	return nil
}

// chunks reads where the candidates stand, by id.
func (s *Searcher) chunks(ctx context.Context, near []db.Near, matches []match) (map[int64]db.SearchHitsRow, error) {
	var ids []int64
	for _, n := range near {
		ids = append(ids, n.ChunkID)
	}
	for _, m := range matches {
		ids = append(ids, m.chunk)
	}
	rows, err := s.db.SearchHits(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("reading what was found: %w", err)
	}
	chunks := make(map[int64]db.SearchHitsRow, len(rows))
	for _, row := range rows {
		chunks[row.ID] = row
	}
	return chunks, nil
}

// summaryPosition is where a document's summary stands among its chunks.
const summaryPosition = -1

func newHit(c db.SearchHitsRow) *Hit {
	return &Hit{
		DocumentID: c.DocumentID, Source: c.Source, Path: c.Path, Title: c.Title,
		Lines: int(c.LineCount), Chars: int(c.CharCount), StartLine: min(1, int(c.LineCount)), EndLine: int(c.LineCount),
	}
}

// show makes c the chunk that the hit points to, if it is text and scores best.
func (h *Hit) show(c db.SearchHitsRow, score float64) {
	if c.Position == summaryPosition {
		h.Summary = true
		return
	}
	if score > h.best {
		h.best, h.StartLine, h.EndLine, h.Heading = score, int(c.StartLine), int(c.EndLine), c.Heading
	}
}
