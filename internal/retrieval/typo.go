package retrieval

import (
	"strings"
	"unicode"
)

// isTypo reports whether word may be a misspelling of known: one edit for words
// of five letters or more, two from nine on, the first letter right. Digits are
// never mistyped: 10.20.10.54 isn't 10.20.10.53, and ipv6 isn't ipv4. Shorter
// words are too near to too many others.
func isTypo(word, known string) bool {
	a, b := []rune(word), []rune(known)
	allowed := 0
	switch shorter := min(len(a), len(b)); {
	case shorter >= 9:
		allowed = 2
	case len(a) >= 5 && shorter >= 4:
		allowed = 1
	}
	if allowed == 0 || a[0] != b[0] || digits(word) != digits(known) {
		return false
	}
	return editDistance(a, b) <= allowed
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// editDistance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours, no place edited twice (Damerau, CACM
// 7(3), 1964).
func editDistance(a, b []rune) int {
	before := make([]int, len(b)+1) // two rows up, one row up, this row
	above := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
