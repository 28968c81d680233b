package ingest

import (
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/agent/tools"
	"bor/internal/kb"
	"bor/internal/markdown"
	"bor/internal/verbatim"
)

// TestHugeFilesAreStoredOrNamed: files at the edge of what is taken are stored as they are, and what is past it
// stops nothing (REL3).
func TestHugeFilesAreStoredOrNamed(t *testing.T) {
	b := newBench(t)
	b.Importer.Scope.MaxFileBytes = 10 << 20
	b.Importer.Chunks.MaxChars = 4000
	unique := &strings.Builder{} // a tsvector holds at most 1 MB
	for i := 0; unique.Len() < 5<<20; i++ {
		fmt.Fprintf(unique, "unique%dword ", i)
	}
	files := map[string]string{
		"line.txt":   strings.Repeat("one line that goes on, ", 10<<20/23),
		"lines.txt":  strings.Repeat("a line of many\r\n", 100_000),
		"unique.txt": unique.String(),
	}
	for path, text := range files {
		b.write(path, text)
	}
	b.write("over.txt", strings.Repeat("x", 10<<20+1))
	b.write("good.md", "# Good\n")
	b.run(Options{}, "added=4 updated=0 unchanged=0 pruned=0 skipped=1 errors=0 ")
	for path, text := range files {
		lines := strings.Count(text, "\n")
		if !strings.HasSuffix(text, "\n") {
			lines++
		}
		if got := b.rows("SELECT content = $2, line_count FROM documents WHERE path = $1", path, text); !slices.Equal(got, []string{fmt.Sprintf("true %d", lines)}) {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := b.rows("SELECT chunk_freq FROM terms WHERE term = 'unique200000word'"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("a word in the middle of many: %q", got)
	}
	report, err := b.Run(t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, Options{Prune: true})
	if err != nil || !strings.Contains(report.Line(), "unchanged=4 pruned=0 skipped=1 ") {
		t.Errorf("run again: %s, %v", report.Line(), err)
	}
}

// breaks are what other programs end lines at, and what lies around ends; only LF ends a line here.
var breaks = []string{"\n", "\n", "\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029", "\x1c", "\x1e", "\n\n", " \n", "\t", "\u00a0", "\ufeff", "e\u0301", "😀", "</pre>", "&amp;", "## ", "- ", "```", "---", "[Unit]", "key: "}

// TestLineNumbersAgree: line n of a file is the same for the chunk that a search finds, for grep, for what the
// model reads, for the viewer, and for the block that is shown and copied (REL3).
func TestLineNumbersAgree(t *testing.T) {
	b := newBench(t)
	random := rand.New(rand.NewPCG(1, 2))
	texts := map[string][]string{} // the lines by path, with their ends
	for i, name := range []string{"a.md", "b.txt", "c.container", "d.yaml", "e.json", "f.py", "g.md", "h.txt"} {
		var text strings.Builder
		if i%2 == 1 {
			text.WriteString("\ufeff")
		}
		for word := range 120 {
			fmt.Fprintf(&text, "w%dx%d", i, word)
			for range 1 + random.IntN(3) {
				text.WriteString(breaks[random.IntN(len(breaks))])
			}
		}
		if i%3 == 0 {
			text.WriteString("no end")
		}
		b.write(name, text.String())
		texts[name] = slices.DeleteFunc(strings.SplitAfter(text.String(), "\n"), func(s string) bool { return s == "" })
	}
	b.write("wide.txt", "\xff\xfea\x00\r\x00\n\x00(\x20b\x00\n\x00c\x00") // UTF-16: U+2028 ends no line either
	texts["wide.txt"] = []string{"a\r\n", "\u2028b\n", "c"}
	b.run(Options{}, "added=9 updated=0 unchanged=0 pruned=0 skipped=0 errors=0 ")

	store := kb.NewStore(b.db.Pool)
	for path, lines := range texts {
		identity := "notes/" + path
		doc, err := store.ByIdentity(t.Context(), identity)
		if err != nil || doc.Content != strings.Join(lines, "") || doc.Lines != len(lines) {
			t.Fatalf("%s: %d lines, want %d, %v", path, doc.Lines, len(lines), err)
		}
		b.chunksLieIn(path, lines)
		viewer := markdown.Code(doc.Content, markdown.Lang(path))
		if len(viewer) != len(lines) {
			t.Fatalf("%s: the viewer has %d lines, want %d", path, len(viewer), len(lines))
		}
		for i, line := range lines {
			n, one := i+1, 1
			if got := plainText(viewer[i]); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(line, "\n") {
				t.Errorf("%s:%d: the viewer shows %q, want %q", path, n, got, line)
			}
			block, err := verbatim.Resolver{Store: store}.Answer(false).Show(t.Context(), identity, &n, &one)
			if err != nil || block.Text != line || block.StartLine != n {
				t.Errorf("%s:%d: the block is %q, %v, want %q", path, n, block.Text, err, line)
			}
			reader := tools.New(store, func(string) string { return "" })(agent.Turn{})[1]
			call, err := reader.Prepare(t.Context(), fmt.Sprintf(`{"path":%q,"offset":%d,"limit":1}`, identity, n))
			if err != nil {
				t.Fatal(err)
			}
			result, err := call.Run(t.Context())
			if _, text, _ := strings.Cut(result.Text, fmt.Sprintf("\nlines: %d-%d of %d\n", n, n, len(lines))); err != nil || text != line {
				t.Errorf("%s:%d: the model reads %q, %v, want %q", path, n, result.Text, err, line)
			}
			if word := regexp.MustCompile(`w\d+x\d+`).FindString(line); word != "" {
				b.grepFinds(store, identity, word, n)
			}
		}
	}
}

// plainText is the text of a line of HTML.
func plainText(line string) string {
	return html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(line, ""))
}

// grepFinds expects a word, which may begin a longer one, first in line n of a document.
func (b *bench) grepFinds(store *kb.Store, identity, word string, n int) {
	b.t.Helper()
	found, err := store.Grep(b.t.Context(), word, kb.Scope{}, 1)
	if err != nil || len(found.Lines) == 0 || found.Lines[0].Identity() != identity || found.Lines[0].Line != n || !strings.Contains(found.Lines[0].Text, word) {
		b.t.Errorf("%s:%d: grep %s finds %+v, %v", identity, n, word, found.Lines, err)
	}
}

// chunksLieIn expects each chunk of a document to lie in the lines that it names, from the first of them to the last.
func (b *bench) chunksLieIn(path string, lines []string) {
	b.t.Helper()
	rows, err := b.db.Pool.Query(b.t.Context(), `SELECT c.start_line, c.end_line, c.content FROM chunks c JOIN documents d ON d.id = document_id
		WHERE d.path = $1 AND c.position >= 0`, path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer rows.Close()
	count := 0
	for ; rows.Next(); count++ {
		var first, last int
		var text string
		if err := rows.Scan(&first, &last, &text); err != nil {
			b.t.Fatal(err)
		}
		if first < 1 || last > len(lines) || first > last {
			b.t.Errorf("%s: a chunk names lines %d to %d of %d", path, first, last, len(lines))
			continue
		}
		in := strings.Join(lines[first-1:last], "")
		at := strings.Index(in, text)
		if end := at + len(text); at < 0 || at >= len(lines[first-1]) || end <= len(in)-len(lines[last-1]) {
			b.t.Errorf("%s: lines %d to %d are %q, the chunk is %q", path, first, last, in, text)
		}
	}
	if rows.Err() != nil || count == 0 {
		b.t.Errorf("%s: %d chunks, %v", path, count, rows.Err())
	}
}
