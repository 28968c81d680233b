package retrieval

import (
	"cmp"
	"slices"
)

// rrfK damps the difference between the first ranks in reciprocal rank fusion.
// Source: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms
// Condorcet and individual Rank Learning Methods", SIGIR 2009, where 60 was
// found by a pilot and hardly mattered.
const rrfK = 60

// ranking is one side's documents, best first, with that side's weight. A
// document stands in it at most once.
type ranking struct {
	weight    float64
	documents []int64
}

// fuse merges rankings by weighted reciprocal rank fusion: a document's score
// is Σ weight/(rrfK + rank) over the rankings that hold it, ranks counted from
// 1. The documents come best first; equal scores are ordered by id, so that the
// same question gives the same answer.
func fuse(rankings ...ranking) (documents []int64, score map[int64]float64) {
	score = map[int64]float64{}
	for _, r := range rankings {
		for i, id := range r.documents {
			if _, seen := score[id]; !seen {
				documents = append(documents, id)
			}
			score[id] += r.weight / float64(rrfK+i+1)
		}
	}
	slices.SortFunc(documents, func(a, b int64) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b))
	})
	return documents, score
}
