package retrieval

import (
	"math"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	const threshold = 0.6
	for _, c := range []struct {
		name    string
		e       evidence
		deflect bool
		why     string
	}{
		{"near enough", evidence{dense: true, cosine: 0.6}, false, "cosine 0.60 of 0.60"},
		{"not near, no words", evidence{dense: true, cosine: 0.59}, true, "weak: cosine 0.59 of 0.60, words 0.00"},
		{"unknown words raise the bar", evidence{dense: true, cosine: 0.75, unknown: 1}, true, "weak: cosine 0.75 of 0.80"},
		{"and can be outweighed", evidence{dense: true, cosine: 0.8, unknown: 1}, false, "cosine 0.80 of 0.80"},
		{"words, whatever the cosine", evidence{dense: true, cosine: 0.1, coverage: 0.5, telling: true}, false, "words 0.50 of 0.50"},
		{"too few words", evidence{dense: true, cosine: 0.1, coverage: 0.49, telling: true}, true, "weak"},
		{"everyday words alone", evidence{dense: true, cosine: 0.1, coverage: 1}, true, "weak"},
		{"fewer with a name that occurs", evidence{dense: true, coverage: 0.4, telling: true, named: true}, false, "named, words 0.40"},
		{"missing outweighs everything", evidence{dense: true, cosine: 1, coverage: 1, telling: true, named: true, missing: []string{"Jellyfin", "Plex"}}, true, "missing Jellyfin, Plex"},
		{"words alone, enough", evidence{coverage: 0.7, telling: true}, false, "words 0.70"},
		{"words alone, too few", evidence{cosine: 0.9, coverage: 0.2, telling: true}, true, "weak: words 0.20"},
	} {
		deflect, why := c.e.judge(threshold)
		if deflect != c.deflect || !strings.HasPrefix(why, c.why) {
			t.Errorf("%s: %v, %q", c.name, deflect, why)
		}
	}
}

func TestCoverage(t *testing.T) {
	terms := []Term{
		{Text: "net.ipv4.ip_forward", Chunks: 2, evidence: 4, words: []int{1}},
		{Text: "ipv4", Chunks: 9, evidence: 1, words: []int{1}},
		{Text: "gufoo", evidence: 2.5, words: []int{2}},
		{Text: "gufo", For: "gufoo", Chunks: 3, evidence: 2, words: []int{2}},
		{Text: "behind", Chunks: 3, evidence: 0.5, words: []int{3}},
		{Text: "the", Chunks: 3, words: []int{4}},
	}
	all := map[*Term]bool{}
	for i := range terms {
		all[&terms[i]] = terms[i].Chunks > 0
	}
	for _, c := range []struct {
		name    string
		matched map[*Term]bool
		want    float64
		telling bool
	}{
		{"nothing", nil, 0, false},
		{"a whole identifier", map[*Term]bool{&terms[0]: true, &terms[1]: true}, 4. / 7, true},
		{"a part of it", map[*Term]bool{&terms[1]: true}, 1. / 7, true},
		{"a correction", map[*Term]bool{&terms[3]: true}, 2. / 7, true},
		{"an everyday word tells nothing", map[*Term]bool{&terms[4]: true, &terms[5]: true}, 0.5 / 7, false},
		{"everything", all, 6.5 / 7, true},
	} {
		if got, telling := coverageOf(terms, c.matched); math.Abs(got-c.want) > 1e-12 || telling != c.telling {
			t.Errorf("%s: %v %v, want %v %v", c.name, got, telling, c.want, c.telling)
		}
	}
	if got := unknownShare(terms); math.Abs(got-0.5/7) > 1e-12 {
		t.Errorf("unknown: %v", got)
	}
	for _, c := range []struct {
		name  string
		terms []Term
		want  float64
	}{
		{"no terms", nil, 1},
		{"all unknown", []Term{{Text: "jellyfin", evidence: 5, words: []int{1}}}, 1},
		{"known everyday words", []Term{{Text: "time", Chunks: 4, evidence: 1, words: []int{1}}}, 0.5},
	} {
		if got := unknownShare(c.terms); got != c.want {
			t.Errorf("%s: unknown %v", c.name, got)
		}
	}
}
