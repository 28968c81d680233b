package kb

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// Fold is text without differences of case, by Unicode's full case folding: ß
// is ss, Σ and ς are σ, K (Kelvin) is k. Two texts match case-insensitively when
// their folded forms are equal. Text is not normalised otherwise.
//
// The folded form may be longer or shorter than the text, in bytes and in
// characters, so an offset in one means nothing in the other. Unfold maps it
// back; what makes that possible is that folding works character by character:
// Fold(a+b) == Fold(a)+Fold(b) wherever a ends in a whole character. Line ends
// stay where they are.
func Fold(text string) string {
	if ascii(text) {
		return strings.ToLower(text)
	}
	return oneCherokee(cases.Fold().String(text))
}

// Unfold maps a byte offset in Fold(text) to the byte offset in text of the
// character that the folded byte came from. The end maps to the end.
func Unfold(text string, offset int) int {
	start := 0
	for len(text) > 0 {
		half := len(text) / 2
		for half > 0 && !utf8.RuneStart(text[half]) {
			half--
		}
		if half == 0 { // one character is left, or two of unequal size
			_, half = utf8.DecodeRuneInString(text)
		}
		folded := len(Fold(text[:half]))
		if offset < folded {
			if half == len(text) {
				return start
			}
			text = text[:half]
			continue
		}
		offset -= folded
		start += half
		text = text[half:]
	}
	return start
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// oneCherokee finishes the folding of Cherokee, whose small letters fold to
// capitals: the folder of golang.org/x/text swaps the two instead.
func oneCherokee(folded string) string {
	if !strings.ContainsFunc(folded, smallCherokee) {
		return folded
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xAB70 && r <= 0xABBF:
			return r - 0xAB70 + 0x13A0
		case r >= 0x13F8 && r <= 0x13FD:
			return r - 8
		}
		return r
	}, folded)
}

func smallCherokee(r rune) bool {
	return r >= 0xAB70 && r <= 0xABBF || r >= 0x13F8 && r <= 0x13FD
}
