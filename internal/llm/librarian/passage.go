package librarian

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// passage is a part of a document that answers.
type passage struct {
	document document
	lines    lineRange // of the whole document, from 1; zero for all of it
}

// text is the passage's exact text.
func (p passage) text() string {
	lines := splitLines(p.document.text)
	return strings.Join(lines[p.lines.first-p.document.first:p.lines.last-p.document.first+1], "")
}

// Weights in the score of a section.
const (
	contextShare    = 0.5 // of a match in the document's title, path or headings
	identifierScale = 3.0 // of an identifier that matches as a whole
	lengthShare     = 0.5 // how much a section's length counts against it, as b of BM25
	saturation      = 0.9 // how soon repeated matches stop counting, as k1 of BM25
	phraseScale     = 1.5 // of two words that stand together in both
	headingScale    = 1.3 // of a section whose own heading matches
	shapeScale      = 1.3 // of a section that holds the kind of thing asked for: a number, a date
	stepsScale      = 2.0 // of a whole procedure, when it is asked how
	codeScale       = 0.8 // of program text, which repeats a question's words more than it answers
	companion       = 0.5 // of the best score: what another document's section must reach
	second          = 0.8 // of the best score: what another section of the same document must reach
)

// candidate is a section with its counted words.
type candidate struct {
	document int
	section  section
	counts   map[string]float64
	around   map[string]bool
	length   float64
	scale    float64 // of the score, for what the section is
	score    float64
}

// passages finds the sections that answer best, best first, at most limit:
// those of other documents, and a second of the same, only if they are not much
// worse.
func passages(q question, documents []document, limit int) (found []passage) {
	candidates := cut(q, documents)
	idf, mean := statistics(candidates)
	for i := range candidates {
		candidates[i].score = candidates[i].match(q, idf, mean)
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	taken := map[int][]section{}
	for _, c := range candidates {
		least := companion
		if len(taken[c.document]) > 0 {
			least = second
		}
		switch {
		case len(found) == limit || c.score <= 0:
			return found
		case c.score < least*candidates[0].score || len(taken[c.document]) == 2 || overlaps(taken[c.document], c.section):
			continue
		}
		taken[c.document] = append(taken[c.document], c.section)
		d := documents[c.document]
		found = append(found, passage{d, lineRange{d.first + c.section.start, d.first + c.section.end - 1}})
	}
	return found
}

func overlaps(taken []section, s section) bool {
	return slices.ContainsFunc(taken, func(t section) bool { return s.start < t.end && t.start < s.end })
}

// cut makes candidates of all known texts.
func cut(q question, documents []document) (out []candidate) {
	for i, d := range documents {
		if !d.known {
			continue
		}
		lines := splitLines(d.text)
		for _, s := range sections(d.path, lines, q.steps) {
			text := strings.Join(lines[s.start:s.end], "")
			c := candidate{document: i, section: s, counts: map[string]float64{}, around: map[string]bool{}, scale: 1}
			found := terms(text)
			c.length = float64(len(found))
			for _, key := range allKeys(found) {
				c.counts[key]++
			}
			if s.procedure {
				c.scale *= stepsScale
			}
			if kindOf(d.path) == "code" {
				c.scale *= codeScale
			}
			if q.shape != nil && q.shape.MatchString(text) {
				c.scale *= shapeScale
			}
			heading := lines[s.start]
			if s.procedure {
				heading = "# " + d.title
			}
			if announces(heading) && sharesWord(q, heading) {
				c.scale *= headingScale
			}
			for _, t := range terms(d.title + " " + d.path + " " + s.context) {
				for _, key := range t.keys() {
					c.around[key] = true
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// sharesWord reports whether a line has a word of the question that says
// something.
func sharesWord(q question, line string) bool {
	for _, t := range terms(line) {
		for _, part := range t.parts {
			if weight(part) >= 0.5 && slices.Contains(q.keys, part) {
				return true
			}
		}
	}
	return false
}

// statistics gives the inverse document frequency of each key among the
// sections, and their mean length.
func statistics(candidates []candidate) (idf map[string]float64, mean float64) {
	frequency := map[string]float64{}
	for _, c := range candidates {
		mean += c.length
		for key := range c.counts {
			frequency[key]++
		}
	}
	n := float64(len(candidates))
	idf = make(map[string]float64, len(frequency))
	for key, f := range frequency {
		idf[key] = math.Log(1 + (n-f+0.5)/(f+0.5))
	}
	return idf, mean / max(n, 1)
}

// match is BM25 over the question's keys (Robertson and Zaragoza 2009), with
// less for what only the surroundings say.
func (c candidate) match(q question, idf map[string]float64, mean float64) (score float64) {
	for _, key := range q.keys {
		scale := keyWeight(key)
		match := 0.0
		if n := c.counts[key]; n > 0 {
			match = n * (saturation + 1) / (n + saturation*(1-lengthShare+lengthShare*c.length/mean))
		} else if c.around[key] {
			match = contextShare
		}
		score += scale * match * max(idf[key], 0.2)
	}
	return score * c.scale
}

// keyWeight is how much a key says.
func keyWeight(key string) float64 {
	if strings.HasPrefix(key, "=") {
		return identifierScale
	}
	if a, b, phrase := strings.Cut(key, " "); phrase {
		return phraseScale * (weight(a) + weight(b)) / 2
	}
	return weight(key)
}
