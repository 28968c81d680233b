package llm

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote decodes a JSON string, quotes included, that is known to be well
// formed. Unlike encoding/json it keeps what isn't valid UTF-8: bytes as they
// are, and lone surrogates in the three bytes that UTF-8 would give them if it
// could, because servers cut characters in two between chunks and only a
// textJoiner can put them together.
func unquote(raw []byte) string {
	if len(raw) < 2 {
		return ""
	}
	raw = raw[1 : len(raw)-1]
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		i++
		switch raw[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			out = appendUnit(out, hex4(raw[i+1:]))
			i += min(4, len(raw)-i-1)
		default:
			out = append(out, raw[i])
		}
	}
	return string(out)
}

// hex4 reads up to four hexadecimal digits.
func hex4(b []byte) (unit rune) {
	for _, c := range b[:min(4, len(b))] {
		if c >= 'A' {
			c += 9 // the low half of 'A' and 'a' is 1
		}
		unit = unit<<4 | rune(c&0xF)
	}
	return unit
}

// appendUnit appends a UTF-16 code unit; one that isn't a surrogate is a
// character.
func appendUnit(out []byte, unit rune) []byte {
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(out, unit)
	}
	return append(out, 0xE0|byte(unit>>12), 0x80|byte(unit>>6)&0x3F, 0x80|byte(unit)&0x3F)
}

// textJoiner makes valid text of pieces that may be cut inside a character. It
// holds an incomplete character back until its rest comes. What stays invalid,
// and NUL, which the database refuses, becomes U+FFFD.
type textJoiner struct{ held string }

func (j *textJoiner) write(s string) string {
	s = j.held + s
	j.held = ""
	if utf8.ValidString(s) && !strings.Contains(s, "\x00") {
		return s
	}
	keep := incomplete(s)
	j.held = s[len(s)-keep:]
	return repair(s[:len(s)-keep])
}

func (j *textJoiner) flush() string {
	s := j.held
	j.held = ""
	return repair(s)
}

// incomplete is the number of bytes at the end of s that more bytes could
// complete to a character: the start of one, or a high surrogate with as much
// as there is of its low one.
func incomplete(s string) int {
	for n := min(len(s), 5); n > 0; n-- {
		if tail := s[len(s)-n:]; canGrow(tail) {
			return n
		}
	}
	return 0
}

func canGrow(tail string) bool {
	switch {
	case len(tail) >= 3 && isHigh(tail):
		rest := tail[3:]
		return rest == "" || rest[0] == 0xED && (len(rest) == 1 || rest[1] >= 0xB0)
	case len(tail) == 2 && tail[0] == 0xED && tail[1]&0xE0 == 0xA0: // two of a surrogate's three bytes
		return true
	}
	return len(tail) < utf8.UTFMax && !utf8.FullRuneInString(tail)
}

// isHigh reports whether s begins with a high surrogate in three bytes, as
// appendUnit writes it.
func isHigh(s string) bool {
	return len(s) >= 3 && s[0] == 0xED && s[1]&0xF0 == 0xA0 && s[2]&0xC0 == 0x80
}

// repair joins surrogate pairs and replaces what isn't text.
func repair(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r != utf8.RuneError || size != 1:
			if r == 0 {
				r = utf8.RuneError
			}
		case isHigh(s[i:]) && len(s) >= i+6 && s[i+3] == 0xED && s[i+4]&0xF0 == 0xB0 && s[i+5]&0xC0 == 0x80:
			r, size = utf16.DecodeRune(unitAt(s[i:]), unitAt(s[i+3:])), 6
		case isSurrogate(s[i:]):
			size = 3
		}
		out.WriteRune(r)
		i += size
	}
	return out.String()
}

func isSurrogate(s string) bool {
	return len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80
}

// unitAt is the surrogate that s begins with.
func unitAt(s string) rune {
	return rune(s[0]&0xF)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)
}
