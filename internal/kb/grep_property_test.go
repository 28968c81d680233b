package kb_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"bor/internal/kb"
)

// naive finds the lines that contain pattern, by folding each line by itself and
// nothing else: what Grep has to agree with, whatever PostgreSQL thinks of case,
// words and letters.
func naive(docs []kb.Document, pattern string) (found []string) {
	for _, d := range docs {
		lines := kb.SplitLines(d.Content)
		for n := 1; n <= lines.Count(); n++ {
			if strings.Contains(kb.Fold(strings.TrimSuffix(lines.Line(n), "\n")), kb.Fold(pattern)) {
				found = append(found, fmt.Sprintf("%s:%d", d.Identity(), n))
			}
		}
	}
	slices.Sort(found)
	return found
}

// Texts and patterns are made of what folds, counts or matches oddly: letters that
// change their length or have several small forms, combining marks, LIKE's and
// quoting's special characters, characters outside the basic plane, line ends
// that are none.
func TestGrepFindsWhatAScanFinds(t *testing.T) {
	t.Parallel()
	alphabet := []string{"a", "A", "i", "I", "İ", "ı", "i\u0307", "ß", "ẞ", "SS", "ss", "σ", "Σ", "ς", "k", "K", "\u212a", "\u212b", "å", "Å", "a\u030a", "\u0301", "ﬁ", "FI", "ŉ", "ʼn",
		"ᾳ", "ΑΙ", "Ꭰ", "ꭰ", "Ა", "ა", "𐐀", "𐐨", "😀", "漢", "字", "%", "_", `\`, "'", `"`, "$1", ".", "*", "[", "]", "(", "|", "^", "-", "--", "/", " ", "  ", "\t", "\r", "\v", "\u2028", "\u00a0", "\u200d", "\ufeff", "0", "9"}
	for seed := range uint64(2) {
		random := rand.New(rand.NewPCG(seed, 7))
		word := func(most int) string {
			var b strings.Builder
			for range 1 + random.IntN(most) {
				b.WriteString(alphabet[random.IntN(len(alphabet))])
			}
			return b.String()
		}
		var docs []kb.Document
		for i := range 40 {
			var text strings.Builder
			for range random.IntN(60) {
				text.WriteString(word(12) + strings.Repeat("\n", random.IntN(3)))
			}
			docs = append(docs, doc(fmt.Sprintf("s/%02d", i), text.String()))
		}
		store, _ := newStore(t, docs...)
		checked, matched := 0, 0
		for checked < 300 {
			pattern := word(6)
			if random.IntN(2) == 0 { // a piece of a text, in another case
				text := docs[random.IntN(len(docs))].Content
				if text == "" {
					continue
				}
				from := random.IntN(len(text))
				for from > 0 && !utf8.RuneStart(text[from]) {
					from--
				}
				pattern, _, _ = strings.Cut(kb.FirstChars(text[from:], 1+random.IntN(8)), "\n")
				if random.IntN(2) == 0 {
					pattern = strings.ToUpper(pattern)
				}
			}
			if pattern == "" {
				continue
			}
			checked++
			path := ""
			if kb.Chars(kb.Fold(pattern)) < kb.MinGrepChars || random.IntN(3) == 0 {
				path = "s"
			}
			_, found := grepLines(t, store, pattern, path, 1000)
			var got []string
			for _, m := range found.Lines {
				got = append(got, fmt.Sprintf("%s:%d", m.Identity(), m.Line))
			}
			slices.Sort(got)
			want := naive(docs, pattern)
			matched += len(want)
			if len(want) <= 1000 && !slices.Equal(got, want) {
				t.Fatalf("seed %d: %q in %q: %d lines, a scan finds %d:\n%v\n%v", seed, pattern, path, len(got), len(want), got, want)
			}
		}
		if matched < 1000 {
			t.Errorf("seed %d: only %d matches were compared", seed, matched)
		}
	}
}
