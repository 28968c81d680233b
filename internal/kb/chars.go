package kb

import (
	"strings"
	"unicode/utf8"
)

// TruncationMark stands where text was cut for a model. It is never part of a
// document's bytes, nor of a block that people see.
const TruncationMark = "[…truncated…]"

// Chars counts the characters of text: Unicode code points, as in every cap,
// count and caption of the product (V2).
func Chars(text string) int { return utf8.RuneCountInString(text) }

// FirstChars is the longest beginning of text that has at most n characters.
func FirstChars(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n <= 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// lastChars is the longest end of text that has at most n characters.
func lastChars(text string, n int) string {
	start := len(text)
	for ; n > 0 && start > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	return text[start:]
}

// Storable is text as PostgreSQL can hold or compare it: NUL and bytes that
// aren't UTF-8 become U+FFFD (DEC26). Names that people, addresses and models
// give pass through it; documents never need to.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
