package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fmt"
)

// Code returns exact text as HTML, one string for each line. A line ends at LF,
// which stands inside its line; every other character, CR, VT, FF, NEL and
// U+2028 included, is content of its line (V2). The textContent of all lines
// together, put into the page as HTML, is exactly text.
//
// lang is a name from Lang or any other lexer's name, "" for none. Text over
// MaxColour bytes isn't coloured. Control and invisible characters stand in
// <span class="ctl" data-c="U+202E">, so that a style sheet can mark them and
// copying takes them as they are (V8).
//
// text must be UTF-8 without NUL, which is what the store holds; HTML has no
// way to write anything else.
func Code(text, lang string) []string {
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	var line []byte
	flush := func() {
		if len(line) > 0 {
			lines = append(lines, string(line))
			line = line[:0]
		}
	}
	at := 0
	for _, s := range colour(text, lang) {
		for rest := s.text; rest != ""; {
			piece := rest
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				piece = rest[:i+1]
			}
			from := at
			line = span{s.class, piece}.append(line, func(dst []byte, p string) []byte {
				return appendExact(dst, text, from, from+len(p))
			})
			if piece[len(piece)-1] == '\n' {
				flush()
			}
			at += len(piece)
			rest = rest[len(piece):]
		}
	}
	flush()
	return lines
}

// appendExact appends text[from:to] as HTML with its invisible characters
// marked. It sees the whole text, because a joiner is judged by its neighbours.
func appendExact(dst []byte, text string, from, to int) []byte {
	start := from
	for i := from; i < to; {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if invisible(r, text, i, i+size) {
			dst = appendText(dst, text[start:i])
			dst = fmt.Appendf(dst, `<span class="ctl" data-c="U+%04X">`, r)
			dst = append(appendText(dst, text[i:i+size]), "</span>"...)
			start = i + size
		}
		i += size
	}
	return appendText(dst, text[start:to])
}

// invisible reports whether the rune at text[from:to] is one that a reader
// can't see or would take for another: controls but for tab and LF, format
// characters (bidi controls, zero width, BOM, soft hyphen, tags), line and
// paragraph separators, fillers, and spaces that aren't the space.
//
// Joiners between letters that aren't Latin, and variation selectors behind a
// symbol, are how Persian, Hindi and emoji are written: those stay unmarked.
func invisible(r rune, text string, from, to int) bool {
	switch {
	case r < 0x7F:
		return r < ' ' && r != '\t' && r != '\n'
	case r < 0xA0:
		return true
	case r == '\u200C' || r == '\u200D':
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		after, _ := utf8.DecodeRuneInString(text[to:])
		return !joinable(before) || !joinable(after)
	case unicode.Is(unicode.Variation_Selector, r):
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		keycap := strings.HasPrefix(text[to:], "\u20E3")
		return r > 0xFFFF || !keycap && (before == utf8.RuneError || before < 0xA9)
	case r == '\u3000':
		return false // the space of East Asian text
	}
	return unicode.In(r, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// joinable reports whether a joiner beside r can have a meaning: Arabic, Indic
// and other scripts, emoji with their selectors and modifiers.
func joinable(r rune) bool { return r >= 0x0600 && r != utf8.RuneError && !unicode.Is(unicode.Cf, r) }
