package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// connectors hold the parts of an identifier together, by what binds loosest.
const (
	looseConnectors = `/\:=@+`
	dotConnector    = `.`
	tightConnectors = `_-`
	connectors      = looseConnectors + dotConnector + tightConnectors
)

// token is a run of text that reads as one word, and where it stands.
type token struct {
	text  string // as written, without connectors at its ends
	start int    // byte offset
}

// tokens calls yield for each token of text, in order.
func tokens(text string, yield func(token)) {
	start := -1
	for i, r := range text {
		switch {
		case wordRune(r), start >= 0 && (r < utf8.RuneSelf && strings.IndexByte(connectors, byte(r)) >= 0 || apostrophe(r)):
			if start < 0 {
				start = i
			}
		default:
			if start >= 0 {
				yield(trimmed(text, start, i))
			}
			start = -1
		}
	}
	if start >= 0 {
		yield(trimmed(text, start, len(text)))
	}
}

// trimmed drops connectors at the token's end; it begins with a letter or digit.
func trimmed(text string, start, end int) token {
	return token{strings.TrimRight(text[start:end], connectors+"'’"), start}
}

// wordRune tells whether r can stand anywhere in a word. Marks belong to the
// letter before them.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

func apostrophe(r rune) bool { return r == '\'' || r == '’' }

// unspaced tells whether r belongs to a script that is written without spaces,
// or where, as in Korean, words carry so many endings that pairs match better.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
