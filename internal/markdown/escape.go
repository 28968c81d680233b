package markdown

import (
	"strconv"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// EscapeText returns s as HTML that means exactly s, in an element's text and
// in a quoted attribute alike. CR is written as a character reference, because
// the HTML parser turns a raw one into LF (DEC3); NUL, which HTML can't hold,
// becomes U+FFFD.
func EscapeText(s string) string {
	return string(appendAttr(make([]byte, 0, len(s)+len(s)/16), s))
}

// appendAttr appends s as the value of a quoted attribute.
func appendAttr[T string | []byte](dst []byte, s T) []byte { return appendEscaped(dst, s, true) }

// appendText appends s as the text of an element, where quotes need no escape.
func appendText[T string | []byte](dst []byte, s T) []byte { return appendEscaped(dst, s, false) }

// appendEscaped is the one place where text becomes HTML.
func appendEscaped[T string | []byte](dst []byte, s T, quotes bool) []byte {
	start := 0
	for i := 0; i < len(s); i++ {
		var ref string
		switch s[i] {
		case '<':
			ref = "&lt;"
		case '>':
			ref = "&gt;"
		case '&':
			ref = "&amp;"
		case '"':
			ref = "&#34;"
		case '\'':
			ref = "&#39;"
		case '\r':
			ref = "&#13;"
		case 0:
			ref = "\uFFFD"
		default:
			continue
		}
		if !quotes && (s[i] == '"' || s[i] == '\'') {
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = append(dst, ref...)
		start = i + 1
	}
	return append(dst, s[start:]...)
}

// appendUnescaped appends Markdown text with its backslash escapes and
// character references resolved in one pass, so that `\&lt;` stays "&lt;".
func appendUnescaped(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			dst = append(dst, s[i+1])
			i += 2
		case s[i] == '&':
			if text, n := reference(s[i:]); n > 0 {
				dst = append(dst, text...)
				i += n
				continue
			}
			fallthrough
		default:
			dst = append(dst, s[i])
			i++
		}
	}
	return dst
}

// maxReference is longer than the longest HTML entity name with its & and ;.
const maxReference = 40

// reference resolves the character reference at the start of s and returns its
// text and its length in s; 0 when there is none.
func reference(s []byte) ([]byte, int) {
	end := 0
	for i := 1; i < len(s) && i < maxReference; i++ {
		if s[i] == ';' {
			end = i
			break
		}
		if c := s[i]; !util.IsAlphaNumeric(c) && (c != '#' || i != 1) {
			return nil, 0
		}
	}
	if end < 2 {
		return nil, 0
	}
	name := string(s[1:end])
	if name[0] != '#' {
		e, ok := util.LookUpHTML5EntityByName(name)
		if !ok {
			return nil, 0
		}
		return e.Characters, end + 1
	}
	digits, base, most := name[1:], 10, 7
	if digits != "" && digits[0]|0x20 == 'x' {
		digits, base, most = digits[1:], 16, 6
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || len(digits) > most {
		return nil, 0
	}
	r := rune(n)
	if n == 0 || n > utf8.MaxRune || !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	return utf8.AppendRune(nil, r), end + 1
}
