package retrieval

import (
	"context"
	"fmt"

	"bor/db"
	"bor/internal/lexical"
)

// BM25's constants at their usual values, which are Lucene's and most published
// baselines'; Robertson and Zaragoza ("The Probabilistic Relevance Framework:
// BM25 and Beyond", 2009) give 1.2 to 2 and 0.5 to 0.8.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// scoredPerHit is how many chunks get a BM25 score for each that is wanted.
// Three lose nothing measurable of nDCG@10 against scoring all that hold a
// searched term, several times as many.
const scoredPerHit = 3

// match is a chunk that the lexical side found.
type match struct {
	chunk int64
	score float64 // BM25
	terms []*Term // of the question, that the chunk holds
}

// lexicalSide ranks the chunks that hold any of the searched terms by BM25 over
// all known ones.
func (s *Searcher) lexicalSide(ctx context.Context, terms []Term, state db.SearchStateRow) ([]match, error) {
	arg := db.LexicalCandidatesParams{
		K1: bm25K1, B: bm25B, HowMany: int32(s.options.LexicalChunks), ToScore: int32(scoredPerHit * s.options.LexicalChunks),
		AverageLength: max(float64(state.TermCount)/float64(state.ChunkCount), 1),
	}
	var scored []*Term
	for _, searched := range []bool{true, false} {
		for i := range terms {
			if t := &terms[i]; t.Searched == searched && t.Chunks > 0 && t.Weight > 0 {
				scored = append(scored, t)
				arg.Literals = append(arg.Literals, lexical.Quote(t.Text))
				arg.Weights = append(arg.Weights, t.Weight)
			}
		}
		if searched {
			arg.Searched = int32(len(scored))
		}
	}
	if arg.Searched == 0 {
		return nil, nil
	}
	rows, err := s.db.LexicalCandidates(ctx, arg)
	if err != nil {
		return nil, fmt.Errorf("searching by words: %w", err)
	}
	found := make([]match, len(rows))
	for i, row := range rows {
		found[i] = match{chunk: row.ID, score: row.Score}
		for _, place := range row.Matched {
			found[i].terms = append(found[i].terms, scored[place-1])
		}
	}
	return found, nil
}
