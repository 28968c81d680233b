package lexical

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes spellings of one word equal: case, compatibility forms (ﬁ, ①, full
// width) and accents. Text in other scripts keeps its marks.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = norm.NFKD.String(cases.Fold().String(norm.NFKD.String(s)))
	s = strings.Map(func(r rune) rune {
		if 0x0300 <= r && r <= 0x036F { // combining diacritical marks
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(s)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
