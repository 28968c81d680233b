package retrieval

import (
	"math"
	"slices"
	"testing"
)

func TestFuse(t *testing.T) {
	for _, c := range []struct {
		name     string
		rankings []ranking
		want     []int64
	}{
		{"nothing", nil, nil},
		{"one side keeps its order", []ranking{{1, []int64{3, 1, 2}}}, []int64{3, 1, 2}},
		{"both sides beat one", []ranking{{1, []int64{1, 2}}, {1, []int64{3, 2}}}, []int64{2, 1, 3}},
		{"ties go by id", []ranking{{1, []int64{9}}, {1, []int64{4}}}, []int64{4, 9}},
		{"the heavier side wins", []ranking{{1, []int64{1, 2}}, {0.2, []int64{2, 1}}}, []int64{1, 2}},
		{"weight 0 only adds candidates", []ranking{{1, []int64{1}}, {0, []int64{7, 1}}}, []int64{1, 7}},
	} {
		if got, _ := fuse(c.rankings...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFusedScoreIsTheWeightedSumOfReciprocalRanks(t *testing.T) {
	_, score := fuse(ranking{1, []int64{5, 6}}, ranking{0.5, []int64{7, 8, 5}})
	for id, want := range map[int64]float64{5: 1./61 + 0.5/63, 6: 1. / 62, 7: 0.5 / 61, 8: 0.5 / 62} {
		if math.Abs(score[id]-want) > 1e-15 {
			t.Errorf("document %d: %v, want %v", id, score[id], want)
		}
	}
}
