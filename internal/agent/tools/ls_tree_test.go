package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/kb/kbtest"
	"bor/internal/testkit"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// rowCounter counts the rows that queries bring from the database.
type rowCounter struct{ rows, queries atomic.Int64 }

func (c *rowCounter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (c *rowCounter) TraceQueryEnd(_ context.Context, _ *pgx.Conn, d pgx.TraceQueryEndData) {
	c.queries.Add(1)
	c.rows.Add(d.CommandTag.RowsAffected())
}

// newTree makes a knowledge base of 10 000 documents whose paths an SQL
// expression over n makes, and a store that counts what it reads.
func newTree(t *testing.T, path string) (*kb.Store, *pgxpool.Pool, *rowCounter) {
	t.Helper()
	pool := testkit.DB(t).Pool
	kbtest.Source(t, pool, "big", "Ten thousand files.")
	if _, err := pool.Exec(t.Context(), `INSERT INTO documents (source_id, path, title, content, file_sha256, file_bytes, line_count, char_count)
		SELECT s.id, p, 'About ' || p, '', sha256(p::bytea), 0, 0, 0 FROM sources s, LATERAL (SELECT `+path+` AS p FROM generate_series(0, 9999) n) paths`); err != nil {
		t.Fatal(err)
	}
	config := pool.Config()
	counter := &rowCounter{}
	config.ConnConfig.Tracer = counter
	counted, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(counted.Close)
	if err := counted.Ping(t.Context()); err != nil { // what a new connection asks isn't counted
		t.Fatal(err)
	}
	return kb.NewStore(counted), pool, counter
}

// level lists one level and holds it against the bounds: 200 rows, 33 KB, and no
// more rows from the database than it shows.
func level(t *testing.T, store *kb.Store, counter *rowCounter, path string) (agent.ListCard, string) {
	t.Helper()
	counter.rows.Store(0)
	counter.queries.Store(0)
	arguments, _ := json.Marshal(map[string]string{"path": path})
	got := call(t, list{store}, string(arguments))
	var card agent.ListCard
	if err := json.Unmarshal(got.Card, &card); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(got.Text, "\n"); n > 201 || len(got.Text) > 33<<10 || len(got.Card) > 80<<10 {
		t.Errorf("%q: %d lines, %d bytes, a card of %d", path, n, len(got.Text), len(got.Card))
	}
	if rows := counter.rows.Load(); rows > 2*maxRows+3 || counter.queries.Load() > 6 {
		t.Errorf("%q: %d rows read for %d shown, in %d queries", path, rows, len(card.Rows), counter.queries.Load())
	}
	return card, got.Text
}

// walk lists every level that can be reached and gives their number, and the
// number of documents that were listed or counted as not listed.
func walk(t *testing.T, store *kb.Store, counter *rowCounter, path string) (levels, documents int) {
	t.Helper()
	card, _ := level(t, store, counter, path)
	levels = 1
	for _, row := range card.Rows {
		if !strings.HasSuffix(row.Path, "/") {
			documents++
			continue
		}
		n, below := walk(t, store, counter, row.Path)
		if below != row.Documents && card.Path != "" {
			t.Errorf("%s says %d documents and holds %d", row.Path, row.Documents, below)
		}
		levels, documents = levels+n, documents+below
	}
	if card.More > 0 && !slices.ContainsFunc(card.Rows, func(r agent.ListRow) bool { return strings.HasSuffix(r.Path, "/") }) {
		documents += card.More
	}
	return levels, documents
}

func TestLsOfTenThousandDocuments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path   string // SQL over n
		levels int
		root   string // rows of the source's listing: the first and the last, and how many
	}{
		"flat": {"format('notes/n%s.md', lpad(n::text, 4, '0'))", 3,
			"folder: big/notes/ | documents: 10000 … folder: big/notes/ | documents: 10000 (1)"},
		"deep": {"format('a/b/c/d/%s/e/f/g/h%s/i/n%s.md', n % 10, n % 100 / 10, n)", 3 + 10 + 100,
			"folder: big/a/b/c/d/ | documents: 10000 … folder: big/a/b/c/d/ | documents: 10000 (1)"},
		"mixed": {"CASE WHEN n < 100 THEN format('top%s.md', n) WHEN n < 5000 THEN format('wide/f%s/n%s', n % 150, n) ELSE format('p%s/q/r%s/n%s', n % 20, n % 7, n) END", 2 + 20 + 140 + 1 + 150,
			"folder: big/p0/q/ | documents: 250 … source: big | path: top99.md | title: About top99.md (121)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, _, counter := newTree(t, c.path)
			if _, text := level(t, store, counter, ""); text != "source: big | documents: 10000 | summary: Ten thousand files.\n" {
				t.Errorf("the sources: %q", text)
			}
			levels, documents := walk(t, store, counter, "")
			if levels != c.levels || documents != 10000 {
				t.Errorf("%d levels with %d documents, want %d with 10000", levels, documents, c.levels)
			}
			_, text := level(t, store, counter, "big")
			rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if got := fmt.Sprintf("%s … %s (%d)", rows[0], rows[len(rows)-1], len(rows)); got != c.root {
				t.Errorf("%s, want %s", got, c.root)
			}
		})
	}
}

func TestLsOfMoreThanItsBoundsHold(t *testing.T) {
	t.Parallel()
	store, _, counter := newTree(t, "format('wide/f%s/n', n)")
	card, text := level(t, store, counter, "big/wide")
	if len(card.Rows) != 200 || card.More != 9800 || !strings.HasSuffix(text,
		"9800 more are not listed (10000 folders in all). To narrow, list one of the folders, or grep for a word with the path big/wide/.\n") {
		t.Errorf("%d rows, %d more: …%s", len(card.Rows), card.More, text[len(text)-200:])
	}
	long, _, counter := newTree(t, "repeat(n::text || '-', 150)")
	card, text = level(t, long, counter, "big")
	if len(card.Rows) < 30 || card.More != 10000-len(card.Rows) || !strings.HasSuffix(text,
		"more are not listed (10000 documents in all). To narrow, grep for a word with the path big/.\n") {
		t.Errorf("%d rows, %d more: …%s", len(card.Rows), card.More, text[len(text)-200:])
	}
}

func TestLsShowsFolderSummaries(t *testing.T) {
	t.Parallel()
	store, pool := newStore(t, doc("s/ops/disk/full.md", ""), doc("s/ops/disk/smart.md", ""), doc("s/web/caddy/Caddyfile", ""), doc("s/web/x/y", ""))
	for path, summary := range map[string]string{
		"ops/": "not shown: nothing but disk is in it", "ops/disk/": "When disks\nfill up.", "web/": strings.Repeat("ü ", 200),
	} {
		if _, err := pool.Exec(t.Context(), "INSERT INTO folder_summaries (source_id, path, summary, summary_of) SELECT id, $1, $2, '' FROM sources", path, summary); err != nil {
			t.Fatal(err)
		}
	}
	got := call(t, list{store}, `{"path":"s"}`)
	want := "folder: s/ops/disk/ | documents: 2 | summary: When disks fill up.\n" +
		"folder: s/web/ | documents: 2 | summary: " + strings.Repeat("ü ", 59) + "ü…\n"
	if got.Text != want || got.Note != "2 folders" {
		t.Errorf("%s\n%s\nwant\n%s", got.Note, got.Text, want)
	}
	if !strings.Contains(string(got.Card), `{"path":"s/ops/disk/","documents":2,"summary":"When disks fill up."}`) {
		t.Errorf("card: %s", got.Card)
	}
}

func TestLsNamesTheClosestFolders(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t, doc("homelab/quadlets/web/caddy.container", ""), doc("homelab/quadlets/gufo.container", ""), doc("homelab/dns.md", ""), doc("archive/old/x", ""))
	for path, want := range map[string]string{
		"homelab/quadlts":      "The closest: homelab/quadlets/, ",
		"quadlets":             "The closest: homelab/quadlets/, ",
		"homelap":              "The closest: homelab/",
		"homelab/quadlets/wbe": "The closest: homelab/quadlets/, homelab/quadlets/web/",
		"homelab/dns.md":       "is a document, not a folder",
		"homelab/dns.md/":      "is a document, not a folder",
		"\x00\xff%_":           "lists the sources.",
	} {
		arguments, _ := json.Marshal(map[string]string{"path": path})
		if got := refused(t, list{store}, string(arguments)); !strings.Contains(got, want) {
			t.Errorf("%q: %s", path, got)
		}
	}
}
