package verbatim

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"bor/internal/kb"
)

func TestClamp(t *testing.T) {
	const total = 218
	for _, c := range []struct {
		ranged      bool
		first, last int
		total       int
		want        string
		why         problem
	}{
		{false, 0, 0, total, "s/p", none},
		{true, 12, 40, total, "s/p#12-40", none},
		{true, 12, 12, total, "s/p#12-12", none},
		{true, 12, 999, total, "s/p#12-218", none},
		{true, 218, 218, total, "s/p#218-218", none},
		{true, 1, 218, total, "s/p", none},
		{true, 1, 999, total, "s/p", none},
		{true, 1, 217, total, "s/p#1-217", none},
		{true, 1, 1, 1, "s/p", none},
		{true, 219, 219, total, "", pastEnd},
		{true, 1, 1, 0, "", pastEnd},
		{true, 0, 5, total, "", badRange},
		{true, -3, 5, total, "", badRange},
		{true, 40, 12, total, "", badRange},
		{true, 400, 399, total, "", badRange},
		{false, 0, 0, 0, "s/p", none},
	} {
		got, why := clamp(Locator{"s", "p", c.ranged, c.first, c.last}, c.total)
		if why != c.why || why == none && got.String() != c.want {
			t.Errorf("%d-%d of %d: %s, %d; want %q, %d", c.first, c.last, c.total, got, why, c.want, c.why)
		}
	}
}

func TestCut(t *testing.T) {
	const abc = "one\ntwo\r\nthree" // 4, 5 and 5 characters
	for name, c := range map[string]struct {
		text                     string
		ranged                   bool
		first, last, max         int
		want                     string
		start, end               int
		asked, lineChars, nlines int
	}{
		"whole":                                 {abc, false, 0, 0, 0, abc, 1, 3, 0, 0, 3},
		"whole, exactly at the cap":             {abc, false, 0, 0, 14, abc, 1, 3, 0, 0, 3},
		"one character over":                    {abc, false, 0, 0, 13, "one\ntwo\r\n", 1, 2, 3, 0, 3},
		"cap at a line end":                     {abc, false, 0, 0, 9, "one\ntwo\r\n", 1, 2, 3, 0, 3},
		"cap before a line's LF":                {abc, false, 0, 0, 8, "one\n", 1, 1, 3, 0, 3},
		"cap at the first line":                 {abc, false, 0, 0, 4, "one\n", 1, 1, 3, 0, 3},
		"first line too long by its LF":         {abc, false, 0, 0, 3, "one", 1, 1, 3, 4, 3},
		"range":                                 {abc, true, 2, 3, 0, "two\r\nthree", 2, 3, 0, 0, 3},
		"range, capped":                         {abc, true, 2, 3, 5, "two\r\n", 2, 2, 3, 0, 3},
		"one line":                              {abc, true, 2, 2, 5, "two\r\n", 2, 2, 0, 0, 3},
		"one line, cut between CR and LF":       {abc, true, 2, 2, 4, "two\r", 2, 2, 2, 5, 3},
		"empty":                                 {"", false, 0, 0, 10, "", 0, 0, 0, 0, 0},
		"only line ends":                        {"\n\n\n", false, 0, 0, 2, "\n\n", 1, 2, 3, 0, 3},
		"characters, not bytes":                 {"äöü€\n😀\n", false, 0, 0, 7, "äöü€\n😀\n", 1, 2, 0, 0, 2},
		"a long line is cut between characters": {"😀😀😀e\u0301", false, 0, 0, 4, "😀😀😀e", 1, 1, 1, 5, 1},
		"a long line after a short one":         {"a\n" + strings.Repeat("b", 50), false, 0, 0, 10, "a\n", 1, 1, 2, 0, 2},
		"other separators don't end lines":      {"a\u2028b\vc\u0085d\rE\nf", false, 0, 0, 10, "a\u2028b\vc\u0085d\rE\n", 1, 1, 2, 0, 2},
		"BOM":                                   {"\ufeffa\n", false, 0, 0, 3, "\ufeffa\n", 1, 1, 0, 0, 1},
	} {
		doc := kb.Document{Source: "s", Path: "p", Title: "T", Revision: "r1", Encoding: "utf-8", Content: c.text}
		at := Locator{"s", "p", c.ranged, c.first, c.last}
		b := cut(doc, kb.SplitLines(c.text), at, c.max)
		if b.Text != c.want || b.StartLine != c.start || b.EndLine != c.end || b.AskedEnd != c.asked ||
			b.LineChars != c.lineChars || b.TotalLines != c.nlines || b.Truncated != (c.asked > 0) {
			t.Errorf("%s: %+v", name, b)
		}
		sum := sha256.Sum256([]byte(c.want))
		if b.Origin != "" {
			t.Errorf("%+v has an origin", b)
		}
		if b.SHA256 != hex.EncodeToString(sum[:]) || b.Locator != at.String() || b.Title != "T" || b.Revision != "r1" || b.Encoding != "" {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

func TestCutSaysWhatWasDecoded(t *testing.T) {
	for encoding, want := range map[string]string{"utf-8": "", "utf-8-bom": "", "utf-16le": "utf-16le", "utf-16be": "utf-16be"} {
		doc := kb.Document{Encoding: encoding, Content: "x"}
		if b := cut(doc, kb.SplitLines("x"), Locator{Source: "s", Path: "p"}, 0); b.Encoding != want {
			t.Errorf("%s: %q", encoding, b.Encoding)
		}
	}
}

func TestCutDatesTheBlock(t *testing.T) {
	late := time.Date(2024, 5, 17, 23, 30, 0, 0, time.FixedZone("west", -3600))
	for want, date := range map[string]time.Time{"": {}, "2024-05-18": late} {
		if b := cut(kb.Document{Date: date}, kb.SplitLines("x"), Locator{Source: "s", Path: "p"}, 0); b.Date != want {
			t.Errorf("%v: %q, want %q", date, b.Date, want)
		}
	}
}

func TestCutOfHugeDocuments(t *testing.T) {
	line := strings.Repeat("x", 1<<20)
	b := cut(kb.Document{}, kb.SplitLines(line), Locator{Source: "s", Path: "p"}, 12_000)
	if len(b.Text) != 12_000 || b.LineChars != 1<<20 || b.EndLine != 1 || b.TotalLines != 1 {
		t.Errorf("1 MB line: %d bytes, %d characters, line %d of %d", len(b.Text), b.LineChars, b.EndLine, b.TotalLines)
	}
	many := strings.Repeat("0123456789\n", 100_000)
	b = cut(kb.Document{}, kb.SplitLines(many), Locator{"s", "p", true, 50_000, 100_000}, 12_000)
	if len(b.Text) != 11_990 || b.StartLine != 50_000 || b.EndLine != 51_089 || b.AskedEnd != 100_000 || b.LineChars != 0 {
		t.Errorf("100 000 lines: %d bytes, lines %d-%d, asked %d", len(b.Text), b.StartLine, b.EndLine, b.AskedEnd)
	}
}

func FuzzCut(f *testing.F) {
	f.Add("one\ntwo\r\nthree", 1, 3, 5)
	f.Add("\n\n\n", 1, 2, 1)
	f.Add("😀😀\ne\u0301", 1, 2, 1)
	f.Add("a\u2028b\x00\xff", 1, 1, 2)
	f.Add("", 1, 1, 1)
	f.Fuzz(func(t *testing.T, text string, first, last, max int) {
		lines := kb.SplitLines(text)
		at, why := clamp(Locator{"s", "p", true, first, last}, lines.Count())
		if why != none {
			return
		}
		b := cut(kb.Document{Source: "s", Path: "p", Content: text}, lines, at, max)
		asked := text
		if at.Ranged {
			asked = lines.Slice(at.First, at.Last)
		}
		if !strings.HasPrefix(asked, b.Text) {
			t.Fatalf("%q is not the beginning of %q", b.Text, asked)
		}
		if b.Truncated != (b.Text != asked) || (b.AskedEnd > 0) != b.Truncated {
			t.Fatalf("%q of %q: %+v", b.Text, asked, b)
		}
		if max > 0 && kb.Chars(b.Text) > max {
			t.Fatalf("%d characters, cap %d", kb.Chars(b.Text), max)
		}
		if b.LineChars == 0 {
			if b.Text != "" && b.Text != lines.Slice(b.StartLine, b.EndLine) {
				t.Fatalf("lines %d-%d are not %q", b.StartLine, b.EndLine, b.Text)
			}
			if b.Truncated && kb.Chars(lines.Slice(b.StartLine, b.EndLine+1)) <= max {
				t.Fatalf("line %d would have fitted", b.EndLine+1)
			}
		} else if b.EndLine != b.StartLine || kb.Chars(b.Text) != max || b.LineChars != kb.Chars(lines.Line(b.StartLine)) {
			t.Fatalf("cut line: %+v", b)
		}
		if got, ok := Match([]Block{b}, b.Locator); !ok || got.Text != b.Text {
			t.Fatalf("%q doesn't find its block", b.Locator)
		}
	})
}

func TestABlockKnowsItsOrigin(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	doc := kb.Document{Source: "s", Path: "p.yml", Content: "1\n2\n3\n4\n", Lines: 4, Revision: commit, Remote: "https://gitlab.com/o/n.git"}
	const page = "https://gitlab.com/o/n/-/blob/" + commit + "/p.yml"
	for want, b := range map[string]Block{
		page:           cut(doc, kb.SplitLines(doc.Content), Locator{Source: "s", Path: "p.yml"}, 0),
		page + "#L2-3": cut(doc, kb.SplitLines(doc.Content), Locator{Source: "s", Path: "p.yml", Ranged: true, First: 2, Last: 3}, 0),
		page + "#L1-2": cut(doc, kb.SplitLines(doc.Content), Locator{Source: "s", Path: "p.yml"}, 5), // what the cap left
	} {
		if b.Origin != want {
			t.Errorf("%q, not %q", b.Origin, want)
		}
	}
}
