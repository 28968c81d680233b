package retrieval

import "testing"

// asked is an outcome with only what the proposals look at.
func asked(answer bool, cosine, coverage float64) Outcome {
	return Outcome{Answer: answer, evidence: evidence{dense: true, cosine: cosine, coverage: coverage, telling: true}}
}

func TestProposedThreshold(t *testing.T) {
	for _, c := range []struct {
		name     string
		outcomes []Outcome
		want     float64
	}{
		{"nothing", nil, 0},
		{"only one sort", []Outcome{asked(true, 0.5, 0), asked(true, 0.6, 0)}, 0},
		{"no cosines", []Outcome{{Answer: true}, {Answer: false}}, 0},
		{"between the sorts", []Outcome{asked(true, 0.8, 0), asked(true, 0.7, 0), asked(false, 0.3, 0), asked(false, 0.5, 0)}, 0.6},
		{"words let the low one in", []Outcome{asked(true, 0.8, 0), asked(true, 0.2, 0.9), asked(false, 0.3, 0), asked(false, 0.4, 0)}, 0.6},
		{"an outlier costs one", []Outcome{asked(true, 0.8, 0), asked(true, 0.75, 0), asked(true, 0.1, 0), asked(false, 0.3, 0), asked(false, 0.25, 0)}, 0.525},
		{"words decide everything: parts the cosines", []Outcome{asked(true, 0.5, 1), asked(true, 0.4, 1), missing(0.9), missing(0.2)}, 0.3},
		{"sorts count alike, however many", []Outcome{asked(true, 0.6, 0), asked(true, 0.55, 0), asked(true, 0.5, 0), asked(true, 0.4, 0), asked(false, 0.45, 0)}, 0.475},
	} {
		if got := proposeThreshold(c.outcomes); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func missing(cosine float64) Outcome {
	return Outcome{evidence: evidence{dense: true, cosine: cosine, missing: []string{"Jellyfin"}}}
}

func TestProposedDenseWeight(t *testing.T) {
	names := map[int64]string{1: "right", 2: "b", 3: "c", 4: "d"}
	outcome := func(lexical, dense []int64) Outcome {
		return Outcome{Answer: true, grades: Grades{"right": 1}, names: names, sides: sides{lexical: ranking{1, lexical}, dense: ranking{1, dense}}}
	}
	for _, c := range []struct {
		name     string
		outcomes []Outcome
		want     func(w float64) bool
	}{
		{"nothing", nil, func(w float64) bool { return w == 0 }},
		{"no dense side", []Outcome{outcome([]int64{1}, nil)}, func(w float64) bool { return w == 0 }},
		{"words know better", []Outcome{outcome([]int64{1, 2, 3}, []int64{2, 3, 4, 1})}, func(w float64) bool { return w > 0 && w < 1 }},
		{"embeddings know better", []Outcome{outcome([]int64{2, 3, 4, 1}, []int64{1, 2, 3})}, func(w float64) bool { return w > 1 }},
		{"both the same: the largest", []Outcome{outcome([]int64{1, 2}, []int64{1, 2})}, func(w float64) bool { return w == denseWeights[len(denseWeights)-1] }},
		{"neither finds it", []Outcome{outcome([]int64{2}, []int64{3})}, func(w float64) bool { return w == 0 }},
	} {
		if got := proposeDenseWeight(c.outcomes); !c.want(got) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
