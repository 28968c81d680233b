package retrieval

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"bor/internal/lexical"
)

// Bounds on who counts as named by a question; see nameMatch.
const (
	minNameMatch = 0.7  // at least this much
	nearBestName = 0.95 // of the best one
)

// fileKinds are what people call files, by extension, and how likely they mean
// it: the quadlet for x is its container before its volume.
var fileKinds = map[string]map[string]float64{
	"quadlet":  {"container": 1, "pod": 0.9, "kube": 0.9, "network": 0.7, "volume": 0.7, "image": 0.7, "swap": 0.7, "os": 0.7, "endpoint": 0.7},
	"script":   {"sh": 1, "bash": 1, "py": 1, "pl": 1, "rb": 1, "js": 1, "ps1": 1},
	"template": {"j2": 1, "tmpl": 1, "tpl": 1},
	"config":   {"conf": 1, "cfg": 1, "ini": 1, "toml": 1, "env": 1, "yaml": 0.9, "yml": 0.9, "json": 0.9},
	"unit":     {"service": 1, "timer": 1, "socket": 1},
	"note":     {"md": 1, "markdown": 1, "txt": 1},
}

// kindOf maps a term to the extensions it may mean.
var kindOf = func() map[string]map[string]float64 {
	kinds := map[string]map[string]float64{}
	for word, extensions := range fileKinds {
		for _, t := range lexical.Terms(word) {
			kinds[canonical(t.Text)] = extensions
		}
	}
	return kinds
}()

// anyKind are words for a file of whatever kind.
var anyKind = termSet("file document page content full whole entire complete text")

// canonical is one spelling for all of a group of synonyms.
func canonical(term string) string {
	return slices.Min(append([]string{term}, synonyms[term]...))
}

// namedDocuments are those of the candidates that the question names best, by
// file name or title, best first. Most questions name none.
func namedDocuments(question string, terms []Term, candidates []*Hit) (ids []int64) {
	respelled := map[string]string{}
	for _, t := range terms {
		respelled[t.For] = t.Text
	}
	asked := map[string]bool{}
	for term := range plainTerms(question) {
		if right := respelled[term]; right != "" {
			term = canonical(right)
		}
		if !functionWords[term] && !anyKind[term] {
			asked[term] = true
		}
	}
	var named []*Hit
	for _, h := range candidates {
		if h.NameMatch = nameMatch(asked, h); h.NameMatch >= minNameMatch {
			named = append(named, h)
		}
	}
	slices.SortStableFunc(named, func(a, b *Hit) int { return cmp.Compare(b.NameMatch, a.NameMatch) })
	for _, h := range named {
		if h.NameMatch >= nearBestName*named[0].NameMatch {
			ids = append(ids, h.DocumentID)
		}
	}
	return ids
}

// nameMatch says from 0 to 1 how well the asked terms name a document: the F
// measure with recall weighing twice as much as precision (F2, van Rijsbergen
// 1979). Recall is the share of the terms that its name, folders and kind
// explain, precision the share of its name that the terms ask for.
func nameMatch(asked map[string]bool, h *Hit) float64 {
	extension := path.Ext(h.Path)
	name := strings.TrimSuffix(path.Base(h.Path), extension)
	extension = strings.TrimPrefix(extension, ".")
	around := plainTerms(h.Source + " " + path.Dir(h.Path) + " " + extension)
	best := 0.0
	for _, own := range []map[string]bool{plainTerms(name), plainTerms(h.Title)} {
		explained, wanted := 0.0, 0.0
		for term := range asked {
			switch kind, isKind := kindOf[term][extension]; {
			case own[term]:
				explained++
				wanted++
			case isKind:
				explained += kind
			case around[term]:
				explained += 0.9
			}
		}
		if wanted > 0 {
			recall, precision := explained/float64(len(asked)), wanted/float64(len(own))
			best = max(best, 5*recall*precision/(recall+4*precision))
		}
	}
	return best
}

// plainTerms are the words of a text, those inside identifiers one by one, each
// in its canonical spelling.
func plainTerms(text string) map[string]bool {
	set := map[string]bool{}
	for _, t := range leaves(text) {
		set[canonical(t)] = true
	}
	return set
}

// leaves are the terms of a text's words, those inside identifiers one by one.
func leaves(text string) (terms []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }) {
		parts := lexical.Terms(word)
		if len(parts) > 1 {
			parts = parts[1:] // without the whole
		}
		for _, t := range parts {
			terms = append(terms, t.Text)
		}
	}
	return terms
}
