package verbatim

import "testing"

func TestMatch(t *testing.T) {
	block := func(path, locator string, start, end, asked, total int) Block {
		return Block{Source: "s", Path: path, Locator: locator, StartLine: start, EndLine: end, AskedEnd: asked, TotalLines: total, Text: locator}
	}
	blocks := []Block{
		block("a", "s/a", 1, 30, 50, 50), // whole, capped
		block("a", "s/a#5-9", 5, 9, 0, 50),
		block("b", "s/b#3-4", 3, 4, 0, 10),
		block("notes:12", "s/notes:12", 1, 2, 0, 2),
		block("notes", "s/notes#12-12", 12, 12, 0, 20),
		block("old", "s/old#L1-L7", 1, 7, 0, 7), // written by another program
	}
	for asked, want := range map[string]string{
		"s/a":          "s/a",
		"`s/a`":        "s/a",
		"s/a#1-50":     "s/a",
		"s/a 1-999":    "s/a",
		"s/a#L5-L9":    "s/a#5-9",
		"s/a 5–9":      "s/a#5-9",
		"s/a#6-9":      "", // two blocks of the document
		"s/b":          "s/b#3-4",
		"s/b 9":        "s/b#3-4",
		"s/b:99":       "s/b#3-4",
		"s/notes:12":   "s/notes:12",
		"s/notes:12:1": "s/notes:12",
		"s/notes#L12":  "s/notes#12-12",
		"s/old":        "s/old#L1-L7",
		"s/old 1-7":    "s/old#L1-L7",
		"s/c":          "",
		"t/a":          "",
		"a":            "",
		"":             "",
	} {
		got, ok := Match(blocks, asked)
		if ok != (want != "") || got.Locator != want {
			t.Errorf("%q finds %q, want %q", asked, got.Locator, want)
		}
	}
	if _, ok := Match(nil, "s/a"); ok {
		t.Error("found a block in none")
	}
}
