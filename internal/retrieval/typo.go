package retrieval

import (
	"slices"
	"strings"
	"unicode"
)

// isTypo reports whether word may be a misspelling of known: one edit for words
// of five letters or more, two from eleven on, the first letter right. In words
// under seven letters no letter stands for another one: train isn't trail.
// Digits are never mistyped: 10.20.10.54 isn't 10.20.10.53, and ipv6 isn't ipv4.
func isTypo(word, known string) bool {
	a, b := []rune(word), []rune(known)
	shorter := min(len(a), len(b))
	if len(a) < 5 || shorter < 4 || a[0] != b[0] || digits(word) != digits(known) {
		return false
	}
	distance := editDistance(a, b)
	if shorter >= 11 {
		return distance <= 2
	}
	return distance <= 1 && (len(a) >= 7 || len(a) != len(b) || isSwap(a, b))
}

// isSwap tells whether two words of one length have the same letters.
func isSwap(a, b []rune) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
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
