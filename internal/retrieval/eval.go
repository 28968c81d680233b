package retrieval

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// evalChunks is how many candidates each side gives in an evaluation, so that
// recall@100 speaks of the ranking and not of where a side is cut.
const evalChunks = 100

// Report is how a set of labelled questions went (RET3).
type Report struct {
	Embedder    string  `json:"embedder"`
	LexicalOnly string  `json:"lexical_only,omitempty"` // why the dense side took no part
	Threshold   float64 `json:"threshold"`
	DenseWeight float64 `json:"dense_weight"`

	ToAnswer  int `json:"to_answer"` // questions
	ToDeflect int `json:"to_deflect"`

	// Of the questions to answer, over all documents found; on either side alone too.
	Hybrid  Quality `json:"hybrid"`
	Lexical Quality `json:"lexical"`
	Dense   Quality `json:"dense"`

	Gate    Gate    `json:"gate"`
	Latency Latency `json:"latency"`

	// What these questions speak for; 0 when they can't tell.
	ProposedThreshold   float64 `json:"proposed_threshold"`
	ProposedDenseWeight float64 `json:"proposed_dense_weight"`

	Outcomes []Outcome `json:"outcomes"`
}

// Quality of a ranking: means over questions, 0 to 1.
type Quality struct {
	NDCG10    float64 `json:"ndcg_10"`
	MRR10     float64 `json:"mrr_10"`
	Recall100 float64 `json:"recall_100"`
}

// Gate is how well the gate deflects. A share of nothing is 0.
type Gate struct {
	Deflected int     `json:"deflected"` // questions
	Right     int     `json:"right"`     // of them, that should be
	Precision float64 `json:"precision"` // Right of Deflected
	Recall    float64 `json:"recall"`    // Right of all that should be
}

// Latency of whole searches, embedding included.
type Latency struct {
	P50 time.Duration `json:"p50_ns"`
	P95 time.Duration `json:"p95_ns"`
}

// Outcome is what became of one question.
type Outcome struct {
	ID        string        `json:"id"`
	Kind      string        `json:"kind,omitempty"`
	Question  string        `json:"question"`
	Answer    bool          `json:"expect_answer"`
	Deflected bool          `json:"deflected"`
	Why       string        `json:"why"`
	Rank      int           `json:"rank"`            // of the first right document; 0: not found
	First     string        `json:"first,omitempty"` // document found first
	TopCosine float64       `json:"top_cosine"`
	Coverage  float64       `json:"coverage"`
	Took      time.Duration `json:"took_ns"`

	grades   Grades
	names    map[int64]string // of the documents found, as the grades call them
	sides    sides
	evidence evidence
}

// Right tells whether the gate judged as it should.
func (o Outcome) Right() bool { return o.Answer != o.Deflected }

// EvalSet asks every question of a set, in the format of ReadCases, and measures
// ranking, gate and latency. Errors name the line or the question.
func (s *Searcher) EvalSet(ctx context.Context, set io.Reader) (Report, error) {
	cases, err := ReadCases(set)
	if err != nil {
		return Report{}, err
	}
	wide := *s
	wide.options.DenseChunks = max(s.options.DenseChunks, evalChunks)
	wide.options.LexicalChunks = max(s.options.LexicalChunks, evalChunks)
	report := Report{Embedder: s.embedder.Model()}
	for _, c := range cases {
		start := time.Now()
		result, err := wide.Search(ctx, c.Question)
		if err != nil {
			return Report{}, fmt.Errorf("asking question %s: %w", c.ID, err)
		}
		report.Outcomes = append(report.Outcomes, newOutcome(c, result, time.Since(start)))
		report.LexicalOnly, report.Threshold, report.DenseWeight = result.LexicalOnly, result.Threshold, result.sides.dense.weight
	}
	report.measure()
	return report, nil
}

func newOutcome(c Case, r Result, took time.Duration) Outcome {
	o := Outcome{
		ID: c.ID, Kind: c.Kind, Question: c.Question, Answer: c.Answer, Deflected: r.Deflected, Why: r.Why,
		TopCosine: r.TopCosine, Coverage: r.Coverage, Took: took,
		grades: Grades{}, names: map[int64]string{}, sides: r.sides, evidence: r.evidence,
	}
	for _, path := range c.Paths {
		o.grades[path] = 1
	}
	for i, h := range r.Hits {
		name := h.Identity()
		if _, byPath := o.grades[h.Path]; byPath {
			name = h.Path
		}
		o.names[h.DocumentID] = name
		if o.Rank == 0 && o.grades[name] > 0 {
			o.Rank = i + 1
		}
	}
	if len(r.Hits) > 0 {
		o.First = r.Hits[0].Identity()
	}
	return o
}

// quality of a ranking of documents for the outcome's question.
func (o Outcome) quality(documents []int64) Quality {
	ranked := make([]string, len(documents))
	for i, id := range documents {
		ranked[i] = o.names[id]
	}
	return Quality{NDCG(ranked, o.grades, 10), ReciprocalRank(ranked, o.grades, 10), Recall(ranked, o.grades, 100)}
}

// measure sums the outcomes up.
func (r *Report) measure() {
	var took []time.Duration
	for _, o := range r.Outcomes {
		took = append(took, o.Took)
		if o.Answer {
			r.ToAnswer++
			r.Hybrid.add(o.quality(o.sides.fused(o.sides.dense.weight)))
			r.Lexical.add(o.quality(o.sides.lexical.documents))
			r.Dense.add(o.quality(o.sides.dense.documents))
		} else {
			r.ToDeflect++
		}
		if o.Deflected {
			r.Gate.Deflected++
			if !o.Answer {
				r.Gate.Right++
			}
		}
	}
	for _, q := range []*Quality{&r.Hybrid, &r.Lexical, &r.Dense} {
		q.divide(r.ToAnswer)
	}
	r.Gate.Precision, r.Gate.Recall = shareOf(r.Gate.Right, r.Gate.Deflected), shareOf(r.Gate.Right, r.ToDeflect)
	r.Latency = Latency{percentile(slices.Clone(took), 50), percentile(took, 95)}
	r.ProposedThreshold = proposeThreshold(r.Outcomes)
	r.ProposedDenseWeight = proposeDenseWeight(r.Outcomes)
}

func (q *Quality) add(other Quality) {
	q.NDCG10 += other.NDCG10
	q.MRR10 += other.MRR10
	q.Recall100 += other.Recall100
}

func (q *Quality) divide(n int) {
	if n > 0 {
		q.NDCG10 /= float64(n)
		q.MRR10 /= float64(n)
		q.Recall100 /= float64(n)
	}
}

func shareOf(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
