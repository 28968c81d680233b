package retrieval

import (
	"math"
	"testing"
	"time"
)

func TestMetrics(t *testing.T) {
	log2 := math.Log2
	for _, c := range []struct {
		name             string
		ranked           []string
		grades           Grades
		k                int
		ndcg, rr, recall float64
	}{
		{"first of one", []string{"a", "b"}, Grades{"a": 1}, 10, 1, 1, 1},
		{"second of one", []string{"b", "a"}, Grades{"a": 1}, 10, 1 / log2(3), 0.5, 1},
		{"below the cut", []string{"b", "c", "a"}, Grades{"a": 1}, 2, 0, 0, 0},
		{"nothing found", nil, Grades{"a": 1}, 10, 0, 0, 0},
		{"nothing judged", []string{"a"}, nil, 10, 0, 0, 0},
		{"grade 0 isn't relevant", []string{"a", "b"}, Grades{"a": 0, "b": 1}, 10, 1 / log2(3), 0.5, 1},
		{"graded, wrong order", []string{"b", "a"}, Grades{"a": 3, "b": 1}, 10, (1 + 3/log2(3)) / (3 + 1/log2(3)), 1, 1},
		{"one of two", []string{"x", "b"}, Grades{"a": 1, "b": 1}, 10, (1 / log2(3)) / (1 + 1/log2(3)), 0.5, 0.5},
		{"ideal is cut too", []string{"a"}, Grades{"a": 1, "b": 1, "c": 1}, 1, 1, 1, 1. / 3},
	} {
		for _, m := range []struct {
			what      string
			got, want float64
		}{
			{"nDCG", NDCG(c.ranked, c.grades, c.k), c.ndcg},
			{"reciprocal rank", ReciprocalRank(c.ranked, c.grades, c.k), c.rr},
			{"recall", Recall(c.ranked, c.grades, c.k), c.recall},
		} {
			if math.Abs(m.got-m.want) > 1e-12 {
				t.Errorf("%s: %s = %v, want %v", c.name, m.what, m.got, m.want)
			}
		}
	}
}

func TestPercentileIsByNearestRank(t *testing.T) {
	five := func() []time.Duration { return []time.Duration{50, 10, 40, 20, 30} }
	for _, c := range []struct {
		of   []time.Duration
		p    float64
		want time.Duration
	}{
		{nil, 50, 0}, {five(), 0, 10}, {five(), 20, 10}, {five(), 50, 30}, {five(), 95, 50}, {five(), 100, 50},
	} {
		if got := percentile(c.of, c.p); got != c.want {
			t.Errorf("p%v of %v = %d, want %d", c.p, c.of, got, c.want)
		}
	}
}
