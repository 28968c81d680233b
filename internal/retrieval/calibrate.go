package retrieval

import (
	"cmp"
	"math"
	"slices"
)

// proposeThreshold is the cosine at which the gate errs least on the outcomes,
// questions to answer and questions to deflect counting alike. Where several
// thresholds err the same, as when words decide everything, it is the one that
// parts the cosines best, in the middle of the widest gap. 0 when there is no
// cosine or only one sort of questions.
func proposeThreshold(outcomes []Outcome) float64 {
	var cosines []float64
	sorts := map[bool]int{}
	for _, o := range outcomes {
		if o.evidence.dense {
			cosines = append(cosines, o.evidence.cosine)
			sorts[o.Answer]++
		}
	}
	if sorts[true] == 0 || sorts[false] == 0 {
		return 0
	}
	slices.Sort(cosines)
	type candidate struct{ threshold, gate, alone, gap float64 }
	var candidates []candidate
	for i := range cosines[1:] {
		c := candidate{threshold: (cosines[i] + cosines[i+1]) / 2, gap: cosines[i+1] - cosines[i]}
		for _, o := range outcomes {
			if !o.evidence.dense {
				continue
			}
			cost := 1 / float64(sorts[o.Answer])
			if deflect, _ := o.evidence.judge(c.threshold); deflect == o.Answer {
				c.gate += cost
			}
			if (o.evidence.cosine < c.threshold) == o.Answer {
				c.alone += cost
			}
		}
		candidates = append(candidates, c)
	}
	best := slices.MinFunc(candidates, func(a, b candidate) int {
		return cmp.Or(compareRoughly(a.gate, b.gate), compareRoughly(a.alone, b.alone), cmp.Compare(b.gap, a.gap))
	})
	return math.Round(best.threshold*1000) / 1000
}

// denseWeights are those that are tried.
var denseWeights = []float64{0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5}

// proposeDenseWeight is the weight of the dense side that ranks the outcomes'
// right documents highest, by nDCG@10; of equals the largest, which listens to
// both sides most. 0 when there is nothing to weigh.
func proposeDenseWeight(outcomes []Outcome) (best float64) {
	bestSum := 0.0
	for _, w := range denseWeights {
		sum := 0.0
		for _, o := range outcomes {
			if o.Answer && len(o.sides.dense.documents) > 0 {
				sum += o.quality(o.sides.fused(w)).NDCG10
			}
		}
		if sum > 0 && compareRoughly(sum, bestSum) >= 0 {
			best, bestSum = w, sum
		}
	}
	return best
}

// compareRoughly compares sums that may differ by rounding.
func compareRoughly(a, b float64) int {
	if math.Abs(a-b) < 1e-9 {
		return 0
	}
	return cmp.Compare(a, b)
}
