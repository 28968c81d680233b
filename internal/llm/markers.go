package llm

import "strings"

// prefixOf tells how text begins: with the whole of the longest marker, or with
// less than a marker, so that more text could still complete one. Both can be
// true at once.
func prefixOf(text string, markers []string) (whole string, partial bool) {
	for _, m := range markers {
		switch {
		case strings.HasPrefix(text, m):
			if len(m) > len(whole) {
				whole = m
			}
		case strings.HasPrefix(m, text):
			partial = true
		}
	}
	return whole, partial
}

// heldBack is the length of the longest end of text that begins marker without
// completing it.
func heldBack(text, marker string) int {
	for n := min(len(marker)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, marker[:n]) {
			return n
		}
	}
	return 0
}
