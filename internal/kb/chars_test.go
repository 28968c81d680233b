package kb

import "testing"

func TestCharactersAreCodePoints(t *testing.T) {
	const family = "👩‍👩‍👧" // five code points
	for _, c := range []struct {
		text        string
		n           int
		first, last string
	}{
		{"abc", 0, "", ""},
		{"abc", 2, "ab", "bc"},
		{"abc", 3, "abc", "abc"},
		{"abc", 9, "abc", "abc"},
		{"", 3, "", ""},
		{"äöü", 2, "äö", "öü"},
		{"e\u0301x", 1, "e", "x"},
		{family, 1, "👩", "👧"},
		{family + "!", 5, family, "\u200d👩\u200d👧!"},
	} {
		if got := FirstChars(c.text, c.n); got != c.first {
			t.Errorf("FirstChars(%q, %d) = %q, want %q", c.text, c.n, got, c.first)
		}
		if got := lastChars(c.text, c.n); got != c.last {
			t.Errorf("lastChars(%q, %d) = %q, want %q", c.text, c.n, got, c.last)
		}
	}
	if Chars(family) != 5 {
		t.Errorf("Chars = %d, want 5", Chars(family))
	}
}

func TestStorable(t *testing.T) {
	for text, want := range map[string]string{"plain ü": "plain ü", "a\x00b": "a\uFFFDb", "a\xffb": "a\uFFFDb"} {
		if got := Storable(text); got != want {
			t.Errorf("Storable(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestIdentity(t *testing.T) {
	d := Document{Source: "homelab", Path: "a/b #1.md"}
	if d.Identity() != "homelab/a/b #1.md" {
		t.Errorf("identity is %q", d.Identity())
	}
	for identity, want := range map[string][2]string{
		"homelab/a/b #1.md": {"homelab", "a/b #1.md"},
		"x//y":              {"x", "/y"},
	} {
		source, path, ok := SplitIdentity(identity)
		if !ok || source != want[0] || path != want[1] {
			t.Errorf("SplitIdentity(%q) = %q, %q, %v", identity, source, path, ok)
		}
	}
	for _, bad := range []string{"", "/", "a", "a/", "/a"} {
		if source, path, ok := SplitIdentity(bad); ok {
			t.Errorf("SplitIdentity(%q) = %q, %q", bad, source, path)
		}
	}
}
