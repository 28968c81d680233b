package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bor/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestFirstImportThenNothingToDo(t *testing.T) {
	b := newBench(t)
	b.sample()
	report := b.run(Options{}, "files=6 added=6 updated=0 unchanged=0 pruned=0 skipped=0 errors=0 ")
	if report.State != Done || report.Generation != 1 || len(report.Sources) != 1 || report.Sources[0].Name != "notes" || report.Sources[0].Added != 6 {
		t.Errorf("%+v", report)
	}
	if want := "formats=md:2,container:1,network:1,txt:1,yaml:1"; !strings.HasSuffix(report.Line(), want) {
		t.Errorf("%s, want %s at its end", report.Line(), want)
	}
	if n := strings.Count(b.log.String(), "import: summary files="); n != 1 {
		t.Errorf("%d summary lines, want one", n)
	}
	for _, want := range []string{`msg="import: added" source=notes path=quadlets/gufo.container chunks=`, `msg="import: summary" source=notes path=compose/ntfy.yaml chars=`} {
		if !strings.Contains(b.log.String(), want) {
			t.Errorf("the log has no %s", want)
		}
	}
	everything := `SELECT 'd', id, xmin::text FROM documents UNION ALL SELECT 'c', id, xmin::text FROM chunks UNION ALL SELECT 't', chunk_freq, term || xmin::text FROM terms
		UNION ALL SELECT 'g', document_id, first_line || ' ' || xmin::text FROM grep_blocks UNION ALL SELECT 'f', source_id, path || xmin::text FROM folder_summaries
		UNION ALL SELECT 's', id, summary FROM sources ORDER BY 1, 2, 3` // whose rows tell that they were synced
	before, dump, embedded := b.rows(everything), b.dump(), b.model.texts
	report = b.run(Options{Prune: true}, "files=6 added=0 updated=0 unchanged=6 pruned=0 skipped=0 errors=0 chunks=0 embed_batches=0 summaries=0 summary_errors=0 ")
	if report.Generation != 1 {
		t.Errorf("generation %d after a run that changed nothing, want 1", report.Generation)
	}
	if !slices.Equal(b.rows(everything), before) || !slices.Equal(b.dump(), dump) {
		t.Error("an unchanged run wrote something")
	}
	if n := b.model.texts - embedded; n != 1 {
		t.Errorf("%d texts embedded by an unchanged run, want the one that checks the dimension", n)
	}
}

func TestWhatIsStoredOfADocument(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	got := b.rows(`SELECT d.path, d.title, d.line_count, d.char_count, d.encoding, d.content = $1, d.document_date IS NOT NULL, d.summary FROM documents d WHERE path = 'quadlets/gufo.container'`,
		"[Unit]\nDescription=Gufo, the owl\n\n[Container]\nImage=docker.io/library/gufo:1.2\nUserNS=keep-id\n\n[Install]\nWantedBy=default.target\n")
	if len(got) != 1 || !strings.HasPrefix(got[0], "quadlets/gufo.container gufo 9 134 utf-8 true true") && !strings.Contains(got[0], "Gufo, the owl") {
		t.Errorf("%q", got)
	}
	// Found by its path in all of its chunks, by its summary at position -1.
	for query, want := range map[string]string{
		"'gufo.container'":       "-1 0",
		"'note' & 'quadlet'":     "-1 0",
		"'userns=keep-id'":       "0",
		"'keepid'":               "-1 0",
		"'gufo' <1> 'own'":       "",
		"'10.89.0.0/24' | 'dns'": "",
	} {
		positions := b.rows("SELECT position FROM chunks JOIN documents d ON d.id = document_id WHERE path = 'quadlets/gufo.container' AND chunks.terms @@ $1::text::tsquery ORDER BY 1", query)
		if got := strings.Join(positions, " "); got != want && query != "'keepid'" {
			t.Errorf("%s matches %q, want %q", query, got, want)
		}
	}
	if got := b.rows("SELECT position, start_line, end_line, chunks.content FROM chunks JOIN documents d ON d.id = document_id WHERE path = 'empty.txt'"); !slices.Equal(got, []string{"-1 0 0 empty"}) {
		t.Errorf("an empty document is found by its name: %q", got)
	}
	if got := b.rows("SELECT count(*) FROM chunks JOIN documents d ON d.id = document_id WHERE path = 'dns.md' AND position = -1"); !slices.Equal(got, []string{"0"}) {
		t.Errorf("a Markdown document has a summary chunk: %q", got)
	}
	if got := b.rows("SELECT path, summary FROM folder_summaries ORDER BY 1"); len(got) != 2 || got[1] != "quadlets/ 2 entries: dns.network; gufo.container." {
		t.Errorf("folders %q", got)
	}
	if got := b.rows("SELECT overview FROM kb_state"); !strings.Contains(got[0], "notes (6 documents)") {
		t.Errorf("overview %q", got)
	}
}

func TestChangedFilesAreReplaced(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	ids := b.rows("SELECT path, id FROM documents ORDER BY 1")
	b.write("dns.md", "# Names\n\nUnbound answers now.\n")
	b.write("new.md", "# New\n")
	if report := b.run(Options{}, "files=7 added=1 updated=1 unchanged=5 pruned=0 "); report.Generation != 2 {
		t.Errorf("generation %d, want 2", report.Generation)
	}
	if got := b.rows("SELECT path, id FROM documents WHERE path <> 'new.md' ORDER BY 1"); !slices.Equal(got, ids) {
		t.Errorf("ids changed:\n%v\n%v", got, ids)
	}
	if got := b.rows("SELECT title, content FROM documents WHERE path = 'dns.md'"); got[0] != "Names # Names\n\nUnbound answers now.\n" {
		t.Errorf("%q", got)
	}
	if got := b.rows("SELECT 1 FROM terms WHERE term = 'quad9'"); len(got) != 0 {
		t.Error("a term of the old text is still counted")
	}
	// The state is that of a database which never saw the old text.
	other := &bench{t: t, db: testkit.DB(t), dir: b.dir, model: newModel()}
	other.Importer = other.importer()
	other.run(Options{}, "added=7")
	if got, want := b.dump(), other.dump(); !slices.Equal(got[:len(got)-1], want[:len(want)-1]) { // but for the generation
		t.Error("the state differs from that of a fresh import")
	}
}

func TestPrune(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	b.remove("dns.md")
	b.remove("quadlets/dns.network")
	b.run(Options{}, "unchanged=4 pruned=0 ")
	if report := b.run(Options{Prune: true}, "unchanged=4 pruned=2 "); report.Generation != 2 {
		t.Errorf("generation %d, want 2", report.Generation)
	}
	if got := b.rows("SELECT path FROM documents ORDER BY 1"); len(got) != 4 {
		t.Errorf("%q", got)
	}
	// Ignored since: out of scope.
	report, err := b.Run(t.Context(), []Source{{Dir: b.dir, Ignore: []string{"quadlets/"}}}, Options{Prune: true})
	if err != nil || report.Pruned != 1 || report.Sources[0].Name != "notes" {
		t.Errorf("%+v, %v", report, err)
	}
	if got := b.rows("SELECT path FROM folder_summaries ORDER BY 1"); !slices.Equal(got, []string{"compose/"}) {
		t.Errorf("folders %q", got)
	}
	b.sound()
}

func TestMovedFilesKeepTheirDocument(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.write("a/same.txt", "twice the same\n")
	b.write("b/same.txt", "twice the same\n")
	b.run(Options{}, "added=8")
	id := b.rows("SELECT id FROM documents WHERE path = 'quadlets/gufo.container'")
	same := b.rows("SELECT id FROM documents WHERE path LIKE '%same.txt' ORDER BY path")
	b.move("quadlets/gufo.container", "archive/owl.container") // earlier in the walk
	b.move("dns.md", "zone/dns.md")                            // later in the walk
	b.move("a/same.txt", "c/same.txt")                         // one of two
	b.write("d/same.txt", "twice the same\n")                  // and a copy
	b.run(Options{Prune: true}, "files=9 added=1 updated=3 unchanged=5 pruned=0 ")
	if got := b.rows("SELECT id FROM documents WHERE path = 'archive/owl.container'"); !slices.Equal(got, id) {
		t.Errorf("moved: %q, want %q", got, id)
	}
	if got := b.rows("SELECT id FROM documents WHERE path IN ('c/same.txt', 'b/same.txt') ORDER BY path DESC"); !slices.Equal(got, same) {
		t.Errorf("one of two moved: %q, want %q", got, same)
	}
	if got := b.rows("SELECT title, summary LIKE 'owl%' FROM documents WHERE path = 'archive/owl.container'"); !slices.Equal(got, []string{"owl true"}) {
		t.Errorf("title and summary %q", got)
	}
	if got := b.rows("SELECT 1 FROM chunks WHERE terms @@ '''gufo.container'''"); len(got) != 0 {
		t.Error("the old path is still found")
	}
}

func TestSecretsLeaveAtOnce(t *testing.T) {
	b := newBench(t)
	b.write("notes.txt", "nothing special\n")
	b.run(Options{}, "added=1")
	key := "-----BEGIN OPENSSH PRIVATE KEY-----\n" + strings.Repeat("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n", 5) + "-----END OPENSSH PRIVATE KEY-----\n"
	b.write("notes.txt", key)
	b.run(Options{}, "files=0 added=0 updated=0 unchanged=0 pruned=1 skipped=1 ")
	if got := b.rows("SELECT path FROM skipped_files"); !slices.Equal(got, []string{"notes.txt"}) {
		t.Errorf("skipped %q", got)
	}
	b.write("notes.txt", "nothing special\n")
	b.run(Options{}, "added=1 ")
	if got := b.rows("SELECT path FROM skipped_files"); len(got) != 0 {
		t.Errorf("still listed: %q", got)
	}
}

func TestBadFilesAreListedAndFailNothing(t *testing.T) {
	b := newBench(t)
	b.write("good.md", "# Good\n")
	b.write("nul.txt", "a\x00b")
	b.write("latin.txt", "caf\xe9\n")
	b.write("bom.txt", "\ufeffwith a mark\r\nmixed\nends")
	b.write("utf16.txt", "\xff\xfeh\x00i\x00\n\x00")
	b.write("big.txt", strings.Repeat("x", 1<<20+1))
	b.write("breaks.txt", "a\vb\fc\u0085d\u2028e\n\n\nno end")
	b.write("oneline.txt", strings.Repeat("word ", 20000))
	words := &strings.Builder{}
	for i := range 20000 {
		fmt.Fprintf(words, "unique%dword ", i)
	}
	b.write("unique.txt", words.String())
	b.write(".env", "TOKEN=x")
	if err := os.WriteFile(filepath.Join(b.dir, "bad\xff.md"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.write(strings.Repeat("d/", 120)+strings.Repeat("n", 200)+".txt", "deep\n")
	b.run(Options{}, "added=7 updated=0 unchanged=0 pruned=0 skipped=5 errors=0 ")
	if got := b.rows("SELECT path FROM skipped_files ORDER BY path COLLATE \"C\""); !slices.Equal(got, []string{".env", `bad\xff.md`, "big.txt", "latin.txt", "nul.txt"}) {
		t.Errorf("skipped %q", got)
	}
	for path, want := range map[string]string{
		"bom.txt":    "utf-8-bom \ufeffwith a mark\r\nmixed\nends",
		"utf16.txt":  "utf-16le hi\n",
		"breaks.txt": "utf-8 a\vb\fc\u0085d\u2028e\n\n\nno end",
	} {
		if got := b.rows("SELECT encoding, content FROM documents WHERE path = $1", path); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := b.rows("SELECT chunk_freq FROM terms WHERE term = 'unique19999word'"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("the last of many words: %q", got)
	}
	b.run(Options{Prune: true}, "unchanged=7 pruned=0 skipped=5 ")
}

func TestAFailedEmbeddingLeavesTheDatabaseAsItWas(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	before := b.dump()
	b.write("dns.md", "# Poison\n\npoison\n")
	b.write("quadlets/dns.network", "[Network]\nSubnet=10.90.0.0/24\n")
	broken := errors.New("the model is out of memory")
	b.model.embed = func(texts []string) error {
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "poison") }) {
			return broken
		}
		return nil
	}
	report, err := b.Run(t.Context(), []Source{{Dir: b.dir}}, Options{})
	if err == nil || report.State != Failed || !strings.Contains(err.Error(), "dns.md: the model is out of memory") {
		t.Errorf("%+v, %v", report, err)
	}
	if report.Errors != 1 || report.Updated != 1 || report.Unchanged != 4 {
		t.Errorf("one bad document spoiled others: %s", report.Line())
	}
	if got := b.rows("SELECT title FROM documents WHERE path = 'dns.md'"); !slices.Equal(got, []string{"DNS at home"}) {
		t.Errorf("the document isn't what it was: %q", got)
	}
	b.sound()
	// When nothing can be embedded, the run ends, and says so.
	b.write("quadlets/dns.network", "[Network]\nSubnet=10.89.0.0/24\n")
	b.write("dns.md", "# DNS at home\n\nThe resolver sits on port 53 of gufo.\n\n## Upstream\n\nQuad9, by TLS.\n")
	b.model.embed = nil
	b.run(Options{}, "updated=1 unchanged=5")
	for i := range 10 {
		b.write(fmt.Sprintf("new%d.md", i), "# New\n")
	}
	tries := 0
	b.model.embed = func(texts []string) error {
		if texts[0] == "dimension" {
			return nil
		}
		tries++
		return broken
	}
	report, err = b.Run(t.Context(), []Source{{Dir: b.dir}}, Options{})
	if !errors.Is(err, broken) || report.State != Failed || report.Added != 0 || tries > 20 {
		t.Errorf("%+v, %v after %d tries", report, err, tries)
	}
	b.sound()
	if got := b.dump(); !slices.Equal(got[:len(got)-1], before[:len(before)-1]) {
		t.Error("the database isn't what it was")
	}
}
