package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bor/internal/agent"
	"bor/internal/kb"
)

// body is a result's text after the header.
func body(result agent.Result) string {
	_, text, _ := strings.Cut(result.Text, "\nlines: ")
	_, text, _ = strings.Cut(text, "\n")
	return text
}

func TestReadGivesExactText(t *testing.T) {
	t.Parallel()
	text := "\ufeff\r\n\n\tä\u2028b\x0bc\rd  \n</document>\n\nend"
	store, _ := newStore(t, doc("s/p", text), doc("s/dated", "x"))
	reader := newRead(store, noLang, 0, nil)
	if got := call(t, reader, `{"path":"s/p"}`); body(got) != text || got.Truncated || got.Note != "lines 1–6 of 6" {
		t.Errorf("%q, %+v", body(got), got)
	}
	lines := kb.SplitLines(text)
	for n := 1; n <= lines.Count(); n++ {
		reader := newRead(store, noLang, 0, nil)
		got := call(t, reader, fmt.Sprintf(`{"path":"s/p","offset":%d,"limit":1}`, n))
		if body(got) != lines.Line(n) || got.Note != fmt.Sprintf("line %d of 6", n) || got.Read.StartLine != n {
			t.Errorf("line %d is %q, want %q; %+v", n, body(got), lines.Line(n), got)
		}
	}
}

func TestReadHeader(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for want, d := range map[string]kb.Document{
		"Document s/p:\ndate: 2024-05-17 (of the commit)\norigin: commit " + commit + "\norigin: https://github.com/o/n/blob/" + commit + "/p\nlines: 1-1 of 1\nx": {
			Source: "s", Path: "p", Content: "x", Lines: 1, Revision: commit, Remote: "git@github.com:o/n.git", Date: time.Date(2024, 5, 17, 21, 30, 0, 0, time.UTC)},
		"Document s/p:\ndate: unknown\nlines: 1-1 of 1\nx":                     {Source: "s", Path: "p", Content: "x"},
		"Document s/p:\ndate: unknown\norigin: commit abc\nlines: 1-1 of 1\nx": {Source: "s", Path: "p", Content: "x", Revision: "abc"},
		"Document s/p:\ndate: unknown\norigin: commit abc\nlines: 0-0 of 0\n":  {Source: "s", Path: "p", Revision: "abc"},
	} {
		lines := kb.SplitLines(d.Content)
		if got := newRead(nil, noLang, 0, nil).result(d, lines, 1, lines.Count()).Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// At exactly the cap nothing is marked, and the result is the same as without one.
func TestReadCap(t *testing.T) {
	d := kb.Document{Source: "s", Path: "p", Content: "äöü\n12\n\nend"} // 11 characters
	lines := kb.SplitLines(d.Content)
	uncapped := newRead(nil, noLang, 0, nil).result(d, lines, 1, 4)
	if exact := newRead(nil, noLang, 11, nil).result(d, lines, 1, 4); exact.Text != uncapped.Text || exact.Truncated {
		t.Errorf("at the cap: %+v", exact)
	}
	for _, c := range []struct {
		max, first, last int
		text, lines      string
		total, next      int
	}{
		{10, 1, 4, "äöü\n12\n\nen", "1-4", 11, 4},
		{8, 1, 4, "äöü\n12\n\n", "1-3", 11, 4},
		{7, 1, 4, "äöü\n12\n", "1-2", 11, 3},
		{5, 1, 4, "äöü\n1", "1-2", 11, 2},
		{2, 1, 4, "äö", "1-1", 11, 2}, // line 1 can't be read to its end
		{2, 2, 3, "12", "2-2", 4, 3},
		{1, 4, 4, "e", "4-4", 3, 0},
	} {
		r := newRead(nil, noLang, c.max, nil)
		got := r.result(d, lines, c.first, c.last)
		next := fmt.Sprintf("offset=%d", c.next)
		ended := c.text
		if !strings.HasSuffix(ended, "\n") {
			ended += "\n"
		}
		if !strings.Contains(got.Text, "lines: "+c.lines+" of 4\n"+ended+"[…truncated…]\nTRUNCATED: ") ||
			!strings.Contains(got.Text, fmt.Sprintf("TRUNCATED: %d of %d characters are shown. The rest is NOT shown", c.max, c.total)) ||
			!strings.Contains(got.Text, "grep searches the whole document") ||
			strings.Contains(got.Text, "offset=") != (c.next > 0) || c.next > 0 && !strings.Contains(got.Text, next) {
			t.Errorf("cap %d of lines %d-%d:\n%s", c.max, c.first, c.last, got.Text)
		}
		if !got.Truncated || got.CharsShown != c.max || got.CharsTotal != c.total {
			t.Errorf("cap %d: %d of %d", c.max, got.CharsShown, got.CharsTotal)
		}
		card, ok := agent.ParseReadCard(got.Card)
		var shown []string
		for _, line := range card.Lines {
			shown = append(shown, line.Text)
		}
		if !ok || card.Offset != c.first || strings.Join(shown, "\n") != strings.TrimSuffix(c.text, "\n") {
			t.Errorf("cap %d: card %+v, %v", c.max, card, ok)
		}
	}
}

func TestReadRemembersOnlyWhatIsThereToItsEnd(t *testing.T) {
	d := kb.Document{Source: "s", Path: "p", Content: "one\ntwo\nthree\n"}
	lines := kb.SplitLines(d.Content)
	r := newRead(nil, noLang, 6, nil)
	r.result(d, lines, 1, 3) // "one\ntw"
	for _, c := range []struct {
		offset, limit int
		refused       bool
	}{{1, 1, true}, {1, 2, false}, {2, 1, false}, {3, 1, false}} {
		_, _, err := r.window(d, 3, &c.offset, &c.limit)
		if (err != nil) != c.refused {
			t.Errorf("%d lines from %d: %v", c.limit, c.offset, err)
		}
	}
}

func TestReadRefusesEachPlaceInItsOwnWords(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t, doc("s/p", "1\n2\n"), doc("s/known", "x"), kb.Document{Source: "s", Path: "i.png", Kind: kb.KindImage})
	known, err := store.ByIdentity(t.Context(), "s/known")
	if err != nil {
		t.Fatal(err)
	}
	r := newRead(store, noLang, 0, []agent.Document{{Document: known}})
	call(t, r, `{"path":"s/p","offset":2}`)
	for arguments, want := range map[string]string{
		`{"path":" "}`:                           "No path was given",
		`{"path":"p"}`:                           `There is no "p"`,
		`{"path":"s/i.png"}`:                     "is an image",
		`{"path":"s/p","offset":-1}`:             "not a range",
		`{"path":"s/p","limit":-1}`:              "not a range",
		`{"path":"s/p","offset":3}`:              "only 2 lines, so nothing starts at line 3",
		`{"path":"s/known"}`:                     "stands in <documents>",
		`{"path":"s/p","offset":2,"limit":2000}`: "earlier reads in this conversation (lines 2-2)",
		`{"path":"s/p","offset":3000000000}`:     "whole number",
		`{"path":"s/p","offset":2147483647}`:     "starts at line 2147483647",
	} {
		if got := refused(t, r, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: %s", arguments, got)
		}
	}
}
