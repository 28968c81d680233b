package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"bor/db"
	"bor/internal/lexical"
)

// Weights of a term, against another one that is as rare. In ranking, synonyms
// brought 0.01 nDCG@10 on questions about code; less weight for everyday words
// and more for named things cost 0.003 and brought nothing.
const (
	synonymShare     = 0.5  // another spelling of a word of the question, in ranking
	everydayEvidence = 0.35 // an everyday word, for the gate
	correctedShare   = 0.8  // a corrected word, for the gate
)

// Bounds on what a question may cost.
const (
	maxTerms     = 64 // looked at; further ones are passed over
	maxCorrected = 12 // unknown terms that are looked up as misspellings
	// maxCandidates is how many chunks the rarest terms may bring before further
	// terms only score what is there already. What is left out is commoner than
	// what is in, so it could seldom lift a chunk that has none of the others
	// into the first ranks.
	maxCandidates = 1000
)

// Term is one term of a question, and what the knowledge base knows of it.
type Term struct {
	Text     string  `json:"term"`
	For      string  `json:"for,omitempty"` // the question's spelling, when Text is another one of it
	Chunks   int64   `json:"chunks"`        // that hold it
	Weight   float64 `json:"weight"`        // in ranking
	Searched bool    `json:"searched"`      // brings candidates; others only score them

	evidence float64 // weight for the gate
	words    []int   // of the question that it stands for
}

// idf is the weight of a term that n of total chunks hold: Lucene's form of the
// weight in BM25, which is never negative (Robertson and Zaragoza 2009,
// equation 3.3, with 1 added inside the logarithm).
func idf(n, total int64) float64 {
	return math.Log(1 + (float64(total-n)+0.5)/(float64(n)+0.5))
}

// questionTerms looks the question's terms up, adds other spellings of them, and
// decides which of them bring candidates.
func (s *Searcher) questionTerms(ctx context.Context, question string, chunks int64) ([]Term, error) {
	words := lexical.Terms(question)
	words = words[:min(len(words), maxTerms)]
	known, err := s.chunkFrequencies(ctx, words)
	if err != nil {
		return nil, err
	}
	var terms []Term
	corrected := 0
	for _, w := range words {
		t := newTerm(w.Text, known[w.Text], chunks, w.Positions)
		at := len(terms)
		terms = append(terms, t)
		for _, other := range synonyms[w.Text] {
			if known[other] > 0 && !slices.ContainsFunc(words, func(w lexical.Term) bool { return w.Text == other }) {
				terms = append(terms, t.spelled(other, known[other], chunks, synonymShare))
			}
		}
		found := t.Chunks > 0 || len(terms) > at+1
		if found || functionWords[t.Text] || everydayWords[t.Text] || corrected == maxCorrected {
			continue
		}
		corrected++
		right, err := s.correction(ctx, t.Text)
		if err != nil {
			return nil, err
		}
		if right.ChunkFreq > 0 {
			correct := t.spelled(right.Term, right.ChunkFreq, chunks, 1)
			terms[at].evidence = correct.evidence / correctedShare
			terms = append(terms, correct)
		}
	}
	plan(terms, chunks)
	return terms, nil
}

// chunkFrequencies gives the number of chunks of each known term and of each of
// their synonyms.
func (s *Searcher) chunkFrequencies(ctx context.Context, words []lexical.Term) (map[string]int64, error) {
	var texts []string
	for _, w := range words {
		texts = append(append(texts, w.Text), synonyms[w.Text]...)
	}
	rows, err := s.db.ChunkFrequencies(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("looking up the question's terms: %w", err)
	}
	known := map[string]int64{}
	for _, row := range rows {
		known[row.Term] = row.ChunkFreq
	}
	return known, nil
}

// newTerm is a term that n of all chunks hold.
func newTerm(text string, n, chunks int64, words []int) Term {
	t := Term{Text: text, Chunks: n, Weight: idf(n, chunks), words: words}
	switch {
	case functionWords[text]:
	case everydayWords[text]:
		t.evidence = everydayEvidence * t.Weight
	default:
		t.evidence = t.Weight
	}
	return t
}

// spelled is t in another spelling, which n of all chunks hold.
func (t Term) spelled(text string, n, chunks int64, share float64) Term {
	other := newTerm(text, n, chunks, t.words)
	other.For = t.Text
	other.Weight *= share
	other.evidence = min(other.evidence, t.evidence)
	return other
}

// correction is the known term that an unknown one may be a misspelling of;
// ChunkFreq is 0 when there is none.
func (s *Searcher) correction(ctx context.Context, word string) (db.Term, error) {
	similar, err := s.db.SimilarTerms(ctx, db.SimilarTermsParams{Word: word, HowMany: 20})
	if err != nil {
		return db.Term{}, fmt.Errorf("looking up how %q may be spelled: %w", word, err)
	}
	for _, row := range similar {
		if isTypo(word, row.Term) {
			return row, nil
		}
	}
	return db.Term{}, nil
}

// plan decides what each term is used for. Words of asking score nothing while
// there are others, nor do inflections of stop words (owns: own). Candidates come
// by the rarest terms: by none that is in over a tenth of the chunks while there
// is a rarer one (DEC23), and by no further one once there are enough. A tenth of
// a small knowledge base is cheap to search and telling: leaving such terms out
// lost 0.04 nDCG@10 with 6000 chunks.
func plan(terms []Term, chunks int64) {
	var telling, asking []*Term
	for i := range terms {
		switch t := &terms[i]; {
		case t.Chunks == 0:
		case askingWords[t.Text], len(lexical.Terms(t.Text)) == 0:
			asking = append(asking, t)
		default:
			telling = append(telling, t)
		}
	}
	if len(telling) > 0 {
		for _, t := range asking {
			t.Weight = 0
		}
		asking = nil
	}
	order := append(telling, asking...)
	slices.SortStableFunc(order, func(a, b *Term) int { return cmp.Compare(a.Chunks, b.Chunks) })
	common := max(chunks/10, maxCandidates)
	candidates := int64(0)
	for i, t := range order {
		candidates += t.Chunks
		if i > 0 && (t.Chunks > common || candidates > maxCandidates) {
			return
		}
		t.Searched = true
	}
}
