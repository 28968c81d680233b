package verbatim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestReadings(t *testing.T) {
	whole := func(source, path string) Locator { return Locator{Source: source, Path: path} }
	lines := func(source, path string, first, last int) Locator { return Locator{source, path, true, first, last} }
	for _, c := range []struct {
		text string
		want []Locator
	}{
		{"homelab/dns.md", []Locator{whole("homelab", "dns.md")}},
		{"homelab/dns.md 12-40", []Locator{whole("homelab", "dns.md 12-40"), lines("homelab", "dns.md", 12, 40)}},
		{"homelab/dns.md:12-40", []Locator{whole("homelab", "dns.md:12-40"), lines("homelab", "dns.md", 12, 40)}},
		{"homelab/dns.md#12-40", []Locator{whole("homelab", "dns.md#12-40"), lines("homelab", "dns.md", 12, 40)}},
		{"homelab/dns.md#L12-L40", []Locator{whole("homelab", "dns.md#L12-L40"), lines("homelab", "dns.md", 12, 40)}},
		{"homelab/dns.md#L12-40", []Locator{whole("homelab", "dns.md#L12-40"), lines("homelab", "dns.md", 12, 40)}},
		{"homelab/dns.md 12", []Locator{whole("homelab", "dns.md 12"), lines("homelab", "dns.md", 12, 12)}},
		{"homelab/dns.md:12", []Locator{whole("homelab", "dns.md:12"), lines("homelab", "dns.md", 12, 12)}},
		{"homelab/dns.md#L12", []Locator{whole("homelab", "dns.md#L12"), lines("homelab", "dns.md", 12, 12)}},
		{"homelab/dns.md#12", []Locator{whole("homelab", "dns.md#12"), lines("homelab", "dns.md", 12, 12)}},
		{"homelab/dns.md  \t12–40", []Locator{whole("homelab", "dns.md  \t12–40"), lines("homelab", "dns.md", 12, 40)}},
		{"homelab/dns.md#L12–L40", []Locator{whole("homelab", "dns.md#L12–L40"), lines("homelab", "dns.md", 12, 40)}},
		{"homelab/dns.md 012-007", []Locator{whole("homelab", "dns.md 012-007"), lines("homelab", "dns.md", 12, 7)}},
		{"homelab/dns.md:0", []Locator{whole("homelab", "dns.md:0"), lines("homelab", "dns.md", 0, 0)}},
		{"homelab/dns.md:99999999999999999999-1", []Locator{whole("homelab", "dns.md:99999999999999999999-1"), lines("homelab", "dns.md", math.MaxInt32, 1)}},
		{"homelab/a b #1: ü 3", []Locator{whole("homelab", "a b #1: ü 3"), lines("homelab", "a b #1: ü", 3, 3)}},
		{"s/notes:12:3", []Locator{whole("s", "notes:12:3"), lines("s", "notes:12", 3, 3)}},
		{"s/a b 12 13-14", []Locator{whole("s", "a b 12 13-14"), lines("s", "a b 12", 13, 14)}},
		{"s/a#1-2#L3-L4", []Locator{whole("s", "a#1-2#L3-L4"), lines("s", "a#1-2", 3, 4)}},
		{"s/../../etc/passwd:1", []Locator{whole("s", "../../etc/passwd:1"), lines("s", "../../etc/passwd", 1, 1)}},
		// No range: an L without #, a minus sign, other digits, half a range.
		{"s/a L12", []Locator{whole("s", "a L12")}},
		{"s/a:L12", []Locator{whole("s", "a:L12")}},
		{"s/a 1−2", []Locator{whole("s", "a 1−2")}},
		{"s/a ١٢", []Locator{whole("s", "a ١٢")}},
		{"s/a 12-", []Locator{whole("s", "a 12-")}},
		{"s/a 1-2-3", []Locator{whole("s", "a 1-2-3")}},
		{"s/a12-40", []Locator{whole("s", "a12-40")}},
		// The range takes the whole path: what is left names nothing.
		{"s/:12", []Locator{whole("s", ":12")}},
		{"s/ 12", []Locator{whole("s", " 12")}},
		// Surroundings.
		{" `homelab/dns.md:12` \n", []Locator{whole(" `homelab", "dns.md:12` \n"), whole("homelab", "dns.md:12"), lines("homelab", "dns.md", 12, 12)}},
		{"s/a ", []Locator{whole("s", "a "), whole("s", "a")}},
		{"\u00a0s/a", []Locator{whole("\u00a0s", "a"), whole("s", "a")}},
		{"s/a\nb:2", []Locator{whole("s", "a\nb:2"), lines("s", "a\nb", 2, 2)}},
		// No locators.
		{"", nil}, {"``", nil}, {"   ", nil}, {"dns.md", nil}, {"/dns.md", nil}, {"homelab/", nil}, {"12-40", nil}, {"a 1/", nil}, {" / ", nil}, {"` `/x", nil},
		{"s/" + strings.Repeat("p", 2000), nil},
	} {
		if got := Readings(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%.60q reads as %+v, want %+v", c.text, got, c.want)
		}
		if IsLocator(c.text) != (c.want != nil) {
			t.Errorf("IsLocator(%.60q) = %v", c.text, IsLocator(c.text))
		}
	}
}

func TestCanonicalForm(t *testing.T) {
	for want, l := range map[string]Locator{
		"homelab/dns.md":       {Source: "homelab", Path: "dns.md"},
		"homelab/dns.md#12-40": {"homelab", "dns.md", true, 12, 40},
		"homelab/dns.md#12-12": {"homelab", "dns.md", true, 12, 12},
		"s/a b #1:2#3-4":       {"s", "a b #1:2", true, 3, 4},
	} {
		if got := l.String(); got != want {
			t.Errorf("%+v is %q, want %q", l, got, want)
		}
	}
}

func TestLongestLocatorIsOne(t *testing.T) {
	text := strings.Repeat("ü", 120) + "/" + strings.Repeat("ß", 1000) + "#1000000-2000000"
	if got := Readings(text); len(got) != 2 || !got[1].Ranged {
		t.Errorf("%d readings", len(got))
	}
}

func FuzzReadings(f *testing.F) {
	for _, text := range []string{
		"homelab/dns.md", "s/a b 12-40", "s/a:12–13", "s/a#L1-L2", " `s/a` ", "s/notes:12", "/", "s/\x00", "s/a 99999999999999999999",
		"s/a#1-2#3", "s//:1", "a/b\nc", "\xff/\xfe 1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		readings := Readings(text)
		if IsLocator(text) != (len(readings) > 0) {
			t.Fatalf("IsLocator and Readings of %q differ", text)
		}
		for i, l := range readings {
			if l.Source == "" || l.Path == "" || strings.Contains(l.Source, "/") {
				t.Fatalf("%q reads as %+v", text, l)
			}
			if l.Ranged && (i == 0 || i < len(readings)-1) || l.First < 0 || l.Last < 0 {
				t.Fatalf("%q reads as %+v at place %d", text, l, i)
			}
			if !strings.Contains(text, l.Identity()) {
				t.Fatalf("%q gave the identity %q", text, l.Identity())
			}
			// The canonical form reads as itself.
			if !slices.Contains(Readings(l.String()), l) && len(l.String()) < maxLocator && strings.TrimSpace(l.Path) == l.Path {
				t.Fatalf("%q gave %q, which reads as %+v", text, l, Readings(l.String()))
			}
		}
	})
}

func ExampleReadings() {
	for _, l := range Readings("homelab/notes:12") {
		fmt.Println(l)
	}
	// Output:
	// homelab/notes:12
	// homelab/notes#12-12
}
