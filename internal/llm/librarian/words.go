package librarian

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// term is a word or an identifier of a text.
type term struct {
	text  string   // lower case, as it was written
	parts []string // stems of its parts: one for a word, more for an identifier
	upper bool     // written with a capital letter or a digit
}

// compound is the term's spelling without separators, the same for ip_forward,
// ipForward and ip-forward.
func (t term) compound() string { return strings.Join(t.parts, "") }

// identifier reports whether the term is more than a plain word.
func (t term) identifier() bool { return len(t.parts) > 1 }

// keys are what a term is found by: its stems, and its joint spelling.
func (t term) keys() []string {
	if t.identifier() {
		return append(slices.Clone(t.parts), "="+t.compound())
	}
	return t.parts
}

// allKeys are the keys of terms, and the pairs of neighbours of which neither
// carries only grammar.
func allKeys(list []term) (keys []string) {
	before := ""
	for _, t := range list {
		keys = append(keys, t.keys()...)
		now := t.parts[0]
		if len(t.parts) > 1 || weight(now) < 0.1 {
			now = ""
		}
		if before != "" && now != "" {
			keys = append(keys, before+" "+now)
		}
		before = now
	}
	return keys
}

// terms finds the terms of a text: letters and digits, held together by the
// signs that identifiers, paths and addresses use inside.
func terms(text string) []term {
	var found []term
	for text != "" {
		start := strings.IndexFunc(text, isWordRune)
		if start < 0 {
			break
		}
		text = text[start:]
		end := termLength(text)
		found = append(found, newTerm(text[:end]))
		text = text[end:]
	}
	return found
}

// termLength is the number of bytes of the term that text begins with.
func termLength(text string) int {
	end := 0
	for i, r := range text {
		switch {
		case isWordRune(r):
			end = i + utf8.RuneLen(r)
		case end != i || !strings.ContainsRune("._-/:@", r):
			return end
		}
	}
	return end
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func newTerm(s string) term {
	t := term{text: strings.ToLower(s)}
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !isWordRune(r) }) {
		for _, part := range camelParts(word) {
			t.parts = append(t.parts, stem(strings.ToLower(part)))
		}
	}
	t.upper = strings.IndexFunc(s, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }) >= 0
	return t
}

// camelParts splits at a capital after a small letter, and before the last
// capital of several: ipForward, HTTPServer.
func camelParts(word string) (parts []string) {
	runes := []rune(word)
	start := 0
	for i := 1; i < len(runes); i++ {
		hump := unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i-1])
		last := i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i+1])
		if hump || last {
			parts = append(parts, string(runes[start:i]))
			start = i
		}
	}
	return append(parts, string(runes[start:]))
}

// stem cuts the commonest English endings, so that backup, backups and backed
// meet. It is light on purpose: a wrong stem is the same on both sides.
func stem(w string) string {
	for _, r := range w {
		if r >= utf8.RuneSelf || unicode.IsDigit(r) {
			return w
		}
	}
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	switch {
	case len(w) > 5 && strings.HasSuffix(w, "ing"):
		w = undouble(w[:len(w)-3])
	case len(w) > 4 && strings.HasSuffix(w, "ed"):
		w = undouble(w[:len(w)-2])
	}
	if len(w) > 4 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
	}
	return w
}

// undouble makes one letter of a doubled consonant: mapping → map.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
