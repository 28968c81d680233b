package kb

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestFoldMatchesAcrossCase(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"GUFO.Container", "gufo.container"},
		{"GRÖSSE", "größe"},
		{"ΟΔΟΣ", "οδος"},
		{"ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"},
		{"\u212A\u017F", "ks"}, // Kelvin, long s
		{"ﬃ", "FFI"},
		{"Ǆ", "ǆ"},
		{"Ꭰ", "ꭰ"},
		{"Ᏸ", "ᏸ"},
		{"ПОРТ", "порт"},
	} {
		if Fold(c.a) != Fold(c.b) {
			t.Errorf("%q folds to %q, %q to %q", c.a, Fold(c.a), c.b, Fold(c.b))
		}
	}
}

func TestFoldKeepsWhatDiffersByMoreThanCase(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"é", "e\u0301"}, {"ı", "i"}, {"a\n", "a\r\n"}, {"o", "ö"}, {"\u00a0", " "},
	} {
		if Fold(c.a) == Fold(c.b) {
			t.Errorf("%q and %q fold to the same", c.a, c.b)
		}
	}
}

// Every character agrees with all its case variants, and folding is final.
func TestFoldEveryCharacter(t *testing.T) {
	for r := range rune(unicode.MaxRune) + 1 {
		if !utf8.ValidRune(r) || unicode.SimpleFold(r) == r {
			continue
		}
		folded := Fold(string(r))
		if again := Fold(folded); again != folded {
			t.Errorf("%U folds to %q and that to %q", r, folded, again)
		}
		for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
			if got := Fold(string(v)); got != folded {
				t.Errorf("%U folds to %q, its variant %U to %q", r, folded, v, got)
			}
		}
	}
}

func TestUnfoldFindsTheCharacter(t *testing.T) {
	text := "Straße İx ﬃ END"
	for _, c := range []struct{ pattern, rest string }{
		{"str", "Straße İx ﬃ END"},
		{"sse", "ße İx ﬃ END"},
		{"se", "ße İx ﬃ END"}, // begins inside what ß folds to
		{"x ", "x ﬃ END"},
		{"fi", "ﬃ END"},
		{"end", "END"},
	} {
		at := strings.Index(Fold(text), Fold(c.pattern))
		if at < 0 {
			t.Fatalf("%q not found", c.pattern)
		}
		if got := text[Unfold(text, at):]; got != c.rest {
			t.Errorf("%q begins at %q, want %q", c.pattern, got, c.rest)
		}
	}
	if got := Unfold(text, len(Fold(text))); got != len(text) {
		t.Errorf("the end maps to %d, want %d", got, len(text))
	}
}

func FuzzFold(f *testing.F) {
	for _, text := range append(awkward, "Straße İx ﬃ", "ΟΔΟΣ ς", "ꭰᎠ", "ÀÉ👩‍👩‍👧", "K\u212A") {
		f.Add(text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if !utf8.ValidString(text) {
			return
		}
		folded := Fold(text)
		if Fold(folded) != folded {
			t.Fatalf("%q folds to %q, and that to %q", text, folded, Fold(folded))
		}
		if strings.Count(folded, "\n") != strings.Count(text, "\n") {
			t.Fatalf("folding %q moved its line ends: %q", text, folded)
		}
		at := 0
		for i := range text { // the cut-th character, counted around
			if cut--; cut < 0 {
				at = i
				break
			}
		}
		if got := Fold(text[:at]) + Fold(text[at:]); got != folded {
			t.Fatalf("folded in two parts %q is %q, in one %q", text, got, folded)
		}
		if got := Unfold(text, len(Fold(text[:at]))); got != at {
			t.Fatalf("offset %d of %q comes back as %d", at, text, got)
		}
	})
}
