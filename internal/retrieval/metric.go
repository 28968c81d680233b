package retrieval

import (
	"math"
	"slices"
	"time"
)

// Grades are the judgements of one question: how relevant a document is, by
// its name. Documents that aren't named have grade 0.
type Grades map[string]float64

// NDCG is the normalised discounted cumulative gain of the first k ranked
// documents, from 0 to 1, with linear gain grade/log2(1+rank) as trec_eval's
// ndcg_cut computes it (Järvelin and Kekäläinen, TOIS 20(4), 2002). A question
// without relevant documents has 0.
func NDCG(ranked []string, grades Grades, k int) float64 {
	gain := 0.0
	for i, name := range ranked[:min(k, len(ranked))] {
		gain += discounted(grades[name], i)
	}
	ideal := 0.0
	for i, grade := range grades.best(k) {
		ideal += discounted(grade, i)
	}
	if ideal == 0 {
		return 0
	}
	return gain / ideal
}

// ReciprocalRank is 1/rank of the first relevant document among the first k, or
// 0 when there is none. Its mean over questions is MRR@k.
func ReciprocalRank(ranked []string, grades Grades, k int) float64 {
	for i, name := range ranked[:min(k, len(ranked))] {
		if grades[name] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// Recall is the share of the relevant documents that stand among the first k.
func Recall(ranked []string, grades Grades, k int) float64 {
	relevant, found := 0, 0
	for _, grade := range grades {
		if grade > 0 {
			relevant++
		}
	}
	for _, name := range ranked[:min(k, len(ranked))] {
		if grades[name] > 0 {
			found++
		}
	}
	if relevant == 0 {
		return 0
	}
	return float64(found) / float64(relevant)
}

// best are the k highest grades, highest first.
func (g Grades) best(k int) []float64 {
	grades := make([]float64, 0, len(g))
	for _, grade := range g {
		grades = append(grades, grade)
	}
	slices.Sort(grades)
	slices.Reverse(grades)
	return grades[:min(k, len(grades))]
}

func discounted(grade float64, index int) float64 {
	return grade / math.Log2(float64(index+2))
}

// percentile is the nearest-rank percentile p (0 to 100) of durations, which
// get sorted; 0 of none.
func percentile(durations []time.Duration, p float64) time.Duration {
	if len(durations) == 0 {
		return 0
	}
	slices.Sort(durations)
	rank := int(math.Ceil(p / 100 * float64(len(durations))))
	return durations[max(rank, 1)-1]
}
