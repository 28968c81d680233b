package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of one term. The bytes are far below what an index entry holds (2704),
// the characters far above any name that a person would search for.
const (
	maxTerm      = 100 // characters
	maxTermBytes = 400
)

// terms adds the terms of one token to out: none, one, or an identifier's
// whole, compounds and parts. The first is the one that stands for the token.
func (t token) terms(out []string) []string {
	return piece(withoutApostrophe(t.text), out)
}

// piece adds a token or a part of one.
func piece(s string, out []string) []string {
	if isIdentifier(s) {
		return identifier(s, out)
	}
	return word(s, out)
}

// isIdentifier tells whether a token has inner structure.
func isIdentifier(s string) bool {
	return strings.ContainsAny(s, connectors) || len(humps(s)) > 1
}

// identifier adds s as a whole, then its parts: at loose connectors, at dots, at
// tight connectors, at changes of case.
func identifier(s string, out []string) []string {
	out = whole(s, out)
	for _, set := range []string{looseConnectors, dotConnector} {
		if parts := split(s, set); len(parts) > 1 {
			if numeric(s) {
				return out // the octets of an address find nothing useful
			}
			for _, part := range parts {
				if !letter(part) {
					out = piece(part, out)
				}
			}
			return out
		}
	}
	var parts []string
	for _, part := range split(s, tightConnectors) {
		parts = append(parts, humps(part)...)
	}
	out = whole(strings.Join(parts, ""), out) // ip_forward, ip-forward and ipForward meet here
	for _, part := range parts {
		if !letter(part) {
			out = word(part, out)
		}
	}
	return out
}

// letter tells whether a part is a single letter or digit, which finds nothing useful.
func letter(part string) bool { return len(part) == 1 }

// split cuts s at connectors; empty parts are dropped.
func split(s, set string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r < utf8.RuneSelf && strings.IndexByte(set, byte(r)) >= 0 })
}

// numeric tells whether s is made of digits and dots: an address or a version.
func numeric(s string) bool { return strings.Trim(s, "0123456789.") == "" }

// humps cuts a name at changes of case: before a capital that follows a small
// letter, and before the last of several capitals when a small letter follows
// (HTTPServer: HTTP, Server). Digits belong to what stands before them.
func humps(s string) []string {
	runes := []rune(s)
	var parts []string
	start := 0
	for i := 1; i < len(runes); i++ {
		if !unicode.IsUpper(runes[i]) {
			continue
		}
		afterSmall := unicode.IsLower(runes[i-1])
		beforeSmall := unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !plural(runes[i:])
		if afterSmall || beforeSmall && i-start > 0 {
			parts = append(parts, string(runes[start:i]))
			start = i
		}
	}
	return append(parts, string(runes[start:]))
}

// plural tells whether what is left is the last capital of an abbreviation and a
// plural s, as in VMs or URLs.
func plural(rest []rune) bool { return len(rest) == 2 && rest[1] == 's' }

// word adds a plain word: stemmed, unless it is a function word or too long, or
// the pairs of a script without spaces.
func word(s string, out []string) []string {
	s = fold(s)
	if strings.ContainsFunc(s, unspaced) {
		return pairs(s, out)
	}
	return plain(s, out)
}

// plain adds a folded word.
func plain(s string, out []string) []string {
	if stopWords[s] {
		return out
	}
	return add(stem(s), out)
}

// whole adds an identifier, or part of one, as it is.
func whole(s string, out []string) []string {
	s = strings.ReplaceAll(fold(s), `\`, "/")
	if strings.ContainsFunc(s, unspaced) {
		return out
	}
	return add(s, out)
}

// pairs adds each two neighbours of a script without spaces; other letters in
// between make words of their own, as does a single character.
func pairs(s string, out []string) []string {
	var run []rune
	flush := func() {
		switch {
		case len(run) == 1:
			out = add(string(run), out)
		case len(run) > 1 && !unspaced(run[0]):
			out = plain(string(run), out)
		default:
			for i := 1; i < len(run); i++ {
				out = add(string(run[i-1:i+1]), out)
			}
		}
		run = run[:0]
	}
	for _, r := range s {
		if len(run) > 0 && unspaced(r) != unspaced(run[0]) && !unicode.IsMark(r) {
			flush()
		}
		run = append(run, r)
	}
	flush()
	return out
}

// add appends a term unless it is empty or too long.
func add(s string, out []string) []string {
	if s == "" || len(s) > maxTermBytes || utf8.RuneCountInString(s) > maxTerm {
		return out
	}
	return append(out, s)
}

// withoutApostrophe drops 's and its kind, then other apostrophes: Gufo's is Gufo,
// isn't is isn (a function word), O'Brien is OBrien.
func withoutApostrophe(s string) string {
	i := strings.LastIndexFunc(s, apostrophe)
	if i < 0 {
		return s
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	switch strings.ToLower(s[i+size:]) {
	case "s", "t", "d", "m", "ll", "re", "ve":
		s = s[:i]
	}
	return strings.NewReplacer("'", "", "’", "").Replace(s)
}
