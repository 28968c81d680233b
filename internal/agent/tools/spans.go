package tools

import (
	"fmt"
	"slices"
	"strings"
)

// span is a range of lines, both ends included.
type span struct{ first, last int }

// spans are ranges in rising order that neither touch nor overlap.
type spans []span

// add puts a range in; an empty one changes nothing.
func (s spans) add(first, last int) spans {
	if last < first {
		return s
	}
	all := append(slices.Clone(s), span{first, last})
	slices.SortFunc(all, func(a, b span) int { return a.first - b.first })
	merged := all[:1]
	for _, next := range all[1:] {
		if end := &merged[len(merged)-1].last; next.first <= *end+1 {
			*end = max(*end, next.last)
		} else {
			merged = append(merged, next)
		}
	}
	return merged
}

// cover tells whether every line from first to last is in the spans.
func (s spans) cover(first, last int) bool {
	return slices.ContainsFunc(s, func(have span) bool { return have.first <= first && last <= have.last })
}

func (s spans) String() string {
	var parts []string
	for _, have := range s {
		parts = append(parts, fmt.Sprintf("%d-%d", have.first, have.last))
	}
	return strings.Join(parts, ", ")
}
