package retrieval

import (
	"time"
)

// Result is what a search found and how it was judged.
type Result struct {
	Question    string        `json:"question"`
	Hits        []Hit         `json:"hits"` // every document found, best first
	Terms       []Term        `json:"terms"`
	TopCosine   float64       `json:"top_cosine"`   // of the nearest chunk; 0 without a dense side
	Coverage    float64       `json:"coverage"`     // share of the question's weight that the best document matches
	LexicalHits int           `json:"lexical_hits"` // chunks that the lexical side found
	SummaryHits int           `json:"summary_hits"` // documents of Top whose summary was found
	Threshold   float64       `json:"threshold"`    // of the cosine
	Deflected   bool          `json:"deflected"`
	Why         string        `json:"why"`                    // the rule that decided, for the log
	Missing     []string      `json:"missing,omitempty"`      // things that the question names and that occur nowhere
	LexicalOnly string        `json:"lexical_only,omitempty"` // why there was no dense side, for people; empty: there was one
	EmbedTime   time.Duration `json:"embed_ns"`

	topDocs  int
	evidence evidence
	sides    sides
}

// Top are the hits whose documents go whole into a prompt.
func (r Result) Top() []Hit { return r.Hits[:min(r.topDocs, len(r.Hits))] }

// Hit is a document that was found, by its best chunk.
type Hit struct {
	DocumentID int64  `json:"document_id"`
	Source     string `json:"source"`
	Path       string `json:"path"`
	Title      string `json:"title"`
	Lines      int    `json:"lines"` // of the whole document
	Chars      int    `json:"chars"` // of the whole document, in code points

	// The best chunk that is text of the document, by lines counted from 1. When
	// only its summary was found, the range is the whole document.
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Heading   string `json:"heading,omitempty"`

	Score       float64 `json:"score"`             // fused
	Cosine      float64 `json:"cosine"`            // of its nearest chunk; 0 when DenseRank is
	BM25        float64 `json:"bm25"`              // of its best chunk; 0 when LexicalRank is
	DenseRank   int     `json:"dense_rank"`        // among documents, from 1; 0: not found by that side
	LexicalRank int     `json:"lexical_rank"`      // likewise
	NameMatch   float64 `json:"name_match"`        // how well the question names it, 0 to 1
	Summary     bool    `json:"summary,omitempty"` // its summary was found

	best float64 // fused score of its best chunk
}

// Identity names the document everywhere in the product: source/path.
func (h Hit) Identity() string { return h.Source + "/" + h.Path }
