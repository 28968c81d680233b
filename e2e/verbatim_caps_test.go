package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"bor/internal/testkit"
)

// lined is a document of n numbered lines.
func lined(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// Files over the limit of a block, ranges in all spellings, documents whose names
// look like ranges (V2–V4, DEC4, DEC9).
func TestVerbatimCapsAndRanges(t *testing.T) {
	long, many := strings.Repeat("0123456789abcdéf", 1<<16), lined(100_000) // 1 MB of characters in a line; 100 000 lines
	files := []awkward{
		trapsNote,
		{path: "long.txt", data: long},
		{path: "long-later.txt", data: "short\n" + strings.Repeat("x", 80_119) + "\nend"},
		{path: "many.txt", data: many},
		{path: "crlf.txt", data: "one\r\ntwo\r\nthree\r\nfour\r\n"},
		{path: "odd.txt", data: "a\rb\u2028c\n\n\nd\v\fe\u0085"},
		{path: "notes.txt", data: lined(30)},
		{path: "named-later-1.txt", data: "the document notes.txt:12\n"},
		{path: "named-later-2.txt", data: "the document notes.txt 3-4\r\n"},
		{path: "nul.txt", data: "a\x00b"},
		{path: "latin1.txt", data: "caf\xe9\n"},
		{path: "half.txt", data: "\xff\xfea"},
		{path: "first\nsecond.txt", data: "a name of two lines\r"},
	}
	model := testkit.NewModel(t)
	database := testkit.EmptyDB(t)
	dir := folder(t, files)
	p := startOn(t, database, options{model: model, sources: map[string]string{"traps": dir}, env: []string{"BOR_SHOW_TEXT_MAX_BLOCKS=0"}})
	report := p.run("import", "--source", dir, "--name", "traps")
	for path, reason := range map[string]string{
		"nul.txt": "the file holds a NUL byte at offset 1", "latin1.txt": "the file is not UTF-8: byte 0xE9 at offset 3",
		"half.txt": "the file is UTF-16 and ends in the middle of a character",
	} {
		if !strings.Contains(report, "path="+path+` reason="`+reason) {
			t.Errorf("the import doesn't say why it skips %s:\n%s", path, report)
		}
	}
	// Folders give no names that end like a range; other kinds of sources may.
	rename(t, database, "named-later-1.txt", "notes.txt:12")
	rename(t, database, "named-later-2.txt", "notes.txt 3-4")

	few := many[:strings.Index(many, "line 1311\n")] // the lines that 12 000 characters hold
	cut := func(text string) string { return string([]rune(text)[:12_000]) }
	cases := []struct {
		place   string // as the model writes it
		locator string
		caption string
		text    string
		copies  string // what the button says
		mark    string // the cut's
		whole   string // the whole document, when the block is cut
	}{
		{"traps/long.txt", "traps/long.txt", "first 12000 of 1048576 characters of line 1", cut(long),
			"Copy the first 12000 of 1048576 characters of line 1", "Cut here by the limit of characters for a block.", long},
		{"traps/long-later.txt 2", "traps/long-later.txt#2-2", "first 12000 of 80120 characters of line 2", strings.Repeat("x", 12_000),
			"Copy the first 12000 of 80120 characters of line 2", "Cut here by the limit of characters for a block.", files[2].data},
		{"traps/many.txt", "traps/many.txt", "lines 1–1310 of 100000", few,
			"Copy lines 1–1310 of 100000", "Cut here by the limit of characters for a block. Lines 1311–100000 are not shown.", many},
		{"traps/many.txt:99998-200000", "traps/many.txt#99998-100000", "lines 99998–100000 of 100000", "line 99998\nline 99999\nline 100000\n", "Copy", "", ""},
		{"traps/crlf.txt 2–3", "traps/crlf.txt#2-3", "lines 2–3 of 4", "two\r\nthree\r\n", "Copy", "", ""},
		{"traps/crlf.txt#L4", "traps/crlf.txt#4-4", "line 4 of 4", "four\r\n", "Copy", "", ""},
		{"`traps/crlf.txt#L1-L2`", "traps/crlf.txt#1-2", "lines 1–2 of 4", "one\r\ntwo\r\n", "Copy", "", ""},
		{"traps/crlf.txt:1-4", "traps/crlf.txt", "lines 1–4 of 4", files[4].data, "Copy", "", ""},
		{"traps/odd.txt:1", "traps/odd.txt#1-1", "line 1 of 4", "a\rb\u2028c\n", "Copy", "", ""},
		{"traps/odd.txt 2-3", "traps/odd.txt#2-3", "lines 2–3 of 4", "\n\n", "Copy", "", ""},
		{"traps/odd.txt:4", "traps/odd.txt#4-4", "line 4 of 4", "d\v\fe\u0085", "Copy", "", ""},
		{"traps/notes.txt:13", "traps/notes.txt#13-13", "line 13 of 30", "line 13\n", "Copy", "", ""},
		{"traps/notes.txt:12", "traps/notes.txt:12", "line 1 of 1", files[7].data, "Copy", "", ""},
		{"traps/notes.txt 3-4", "traps/notes.txt 3-4", "line 1 of 1", files[8].data, "Copy", "", ""},
		{"traps/notes.txt#12", "traps/notes.txt#12-12", "line 12 of 30", "line 12\n", "Copy", "", ""},
	}
	var places []string
	for _, c := range cases {
		places = append(places, c.place)
	}
	model.Queue(testkit.Call("show_text", `{"path":"traps/first\nsecond.txt"}`), testkit.Say(pieces(fenced(places), 40)...))
	v := withClipboard(t, p.url)
	v.ask(trapsQuestion)
	v.settled(0)

	for _, when := range []string{"live", "reloaded"} {
		shown := v.panels()
		if len(shown) != len(cases)+1 {
			t.Fatalf("%s: %d panels, want %d", when, len(shown), len(cases)+1)
		}
		v.watchCopies()
		for i, c := range cases {
			p := shown[i]
			what := when + ", " + c.place
			document, _, _ := strings.Cut(c.locator, "#")
			if p.Locator != c.locator || p.Caption != document+" · "+c.caption || p.CopyLabel != c.copies || p.Cut != c.mark {
				t.Errorf("%s: %+q", what, shownPanel{Locator: p.Locator, Caption: p.Caption, CopyLabel: p.CopyLabel, Cut: p.Cut, Unresolved: p.Unresolved})
			}
			same(t, what+": the code's text", p.Text, c.text)
			same(t, what+": sha256", p.SHA256, hash(c.text))
			if when == "live" {
				same(t, what+": Raw", v.bytes(p.Raw), c.text)
				must(t, v.page.Locator(".verbatim-copy").Nth(i).Press("Enter"))
				same(t, what+": clipboard", v.copied(i+1), c.text)
				if c.whole != "" {
					same(t, what+": Raw of the whole document", v.bytes(p.WholeRaw), c.whole)
				}
			}
		}
		last := shown[len(cases)] // the tool's, below the answer
		same(t, when+": the document with a line end in its name", last.Text, files[12].data)
		same(t, when+": its locator", last.Locator, "traps/first\nsecond.txt")
		same(t, when+": its bytes", v.bytes(last.Raw), files[12].data)
		_, err := v.page.Reload()
		must(t, err)
	}
}

// rename gives an imported document another path.
func rename(t *testing.T, database, from, to string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	must(t, err)
	defer conn.Close(t.Context())
	tag, err := conn.Exec(t.Context(), "UPDATE documents SET path = $2 WHERE path = $1", from, to)
	must(t, err)
	if tag.RowsAffected() != 1 {
		t.Fatalf("%d documents are called %q", tag.RowsAffected(), from)
	}
}
