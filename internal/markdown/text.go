package markdown

import (
	"unicode/utf8"
)

// cleaner turns the pieces of a model's text into whole, safe characters.
// What it returns for a text doesn't depend on where the text was cut.
//
//   - A rune cut in two waits for its rest; a byte that belongs to no rune
//     becomes U+FFFD, one for each byte.
//   - NUL becomes U+FFFD (CommonMark 2.3, DEC26).
//   - CR LF and CR become LF (CommonMark 2.1 counts all three as line endings).
type cleaner struct {
	held []byte // an incomplete rune, or one CR
}

// clean appends the characters of s to dst, as far as they are complete.
func (c *cleaner) clean(dst []byte, s string) []byte {
	in := append(c.held, s...)
	n := len(in) - incomplete(in)
	dst = appendClean(dst, in[:n])
	c.held = append(c.held[:0], in[n:]...)
	return dst
}

// flush appends what was still held back at the end of the text.
func (c *cleaner) flush(dst []byte) []byte {
	dst = appendClean(dst, c.held)
	c.held = nil
	return dst
}

// incomplete counts the bytes at the end of b whose meaning depends on the
// next byte.
func incomplete(b []byte) int {
	if n := len(b); n > 0 && b[n-1] == '\r' {
		return 1
	}
	for k := 1; k < utf8.UTFMax && k <= len(b); k++ {
		tail := b[len(b)-k:]
		if utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return k
			}
			return 0
		}
	}
	return 0
}

func appendClean(dst, b []byte) []byte {
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == 0:
			dst = append(dst, "\uFFFD"...)
			i++
		case c == '\r':
			dst = append(dst, '\n')
			i++
			if i < len(b) && b[i] == '\n' {
				i++
			}
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, size := utf8.DecodeRune(b[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
		}
	}
	return dst
}
