package retrieval

import (
	"fmt"
	"slices"
	"strings"
)

// The gate's bounds on lexical evidence, measured with two sets of questions,
// 43 to answer and 20 to deflect.
const (
	// minCoverage is the share of a question's weight that one document has to
	// match.
	minCoverage = 0.5
	// minNamedCoverage is the same when the question names a thing that occurs.
	minNamedCoverage = 0.33
	// unknownPenalty says how far words that occur nowhere raise the bar for the
	// cosine: by this share of what is left above the threshold when all do.
	unknownPenalty = 0.5
)

// evidence is what the gate judges by.
type evidence struct {
	dense    bool     // whether there is a cosine
	cosine   float64  // of the nearest chunk
	coverage float64  // share of the question's weight that the best document matches
	telling  bool     // that document matches more than everyday words
	named    bool     // the question names a thing that occurs
	unknown  float64  // share of the question's weight that occurs nowhere; 0 in a foreign language
	missing  []string // things that the question names and that occur nowhere
}

// judge says whether to deflect, and by which rule, for the log. A question is
// answered when the embedding or the words speak for it, and never when it names
// something that isn't there (RET2, DEC24).
func (e evidence) judge(threshold float64) (deflect bool, why string) {
	bar := threshold + unknownPenalty*e.unknown*(1-threshold)
	switch {
	case len(e.missing) > 0:
		return true, "missing " + strings.Join(e.missing, ", ")
	case e.dense && e.cosine >= bar:
		return false, fmt.Sprintf("cosine %.2f of %.2f", e.cosine, bar)
	case e.telling && e.coverage >= minCoverage:
		return false, fmt.Sprintf("words %.2f of %.2f", e.coverage, minCoverage)
	case e.telling && e.named && e.coverage >= minNamedCoverage:
		return false, fmt.Sprintf("named, words %.2f of %.2f", e.coverage, minNamedCoverage)
	case !e.dense:
		return true, fmt.Sprintf("weak: words %.2f", e.coverage)
	}
	return true, fmt.Sprintf("weak: cosine %.2f of %.2f, words %.2f", e.cosine, bar, e.coverage)
}

// weigh compares what a document matches with the whole question, word by word:
// a word that is an identifier counts once, as much as the rarest of its
// matching parts.
func coverageOf(terms []Term, matched map[*Term]bool) (share float64, telling bool) {
	want, got := map[int]float64{}, map[int]float64{}
	for i := range terms {
		t := &terms[i]
		for _, word := range t.words {
			if t.For == "" {
				want[word] = max(want[word], t.evidence)
			}
			if matched[t] {
				got[word] = max(got[word], t.evidence)
				telling = telling || t.evidence > 0 && !everydayWords[t.Text]
			}
		}
	}
	return ratio(got, want), telling
}

// unknownShare is the part of the question's weight that occurs nowhere. A
// question of everyday words alone may be about anything: it counts as half
// unknown.
func unknownShare(terms []Term) float64 {
	known := map[*Term]bool{}
	for i := range terms {
		known[&terms[i]] = terms[i].Chunks > 0
	}
	share, _ := coverageOf(terms, known)
	if !slices.ContainsFunc(terms, func(t Term) bool { return t.evidence > 0 && !everydayWords[t.Text] }) {
		share = min(share, 0.5)
	}
	return 1 - share
}

func ratio(part, whole map[int]float64) float64 {
	sum, total := 0.0, 0.0
	for word, w := range whole {
		total += w
		sum += part[word]
	}
	if total == 0 {
		return 0
	}
	return sum / total
}
