package ingest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bor/db"
	"bor/internal/chunk"
	"bor/internal/llm"
	"bor/internal/llm/librarian"
	"bor/internal/registry"
	"bor/internal/source"
	"bor/internal/testkit"

	"github.com/jackc/pgx/v5"
)

const dimension = 16

// model is the librarian with a finger on it.
type model struct {
	llm.Embedder
	llm.Completer
	mu     sync.Mutex
	embed  func(texts []string) error // before each call; may be nil
	answer func(llm.Request) (string, error)
	texts  int
}

func newModel() *model {
	return &model{Embedder: librarian.NewEmbedder(dimension), Completer: librarian.New()}
}

func (m *model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.texts += len(texts)
	if m.embed != nil {
		if err := m.embed(texts); err != nil {
			return nil, err
		}
	}
	return m.Embedder.Embed(ctx, texts)
}

func (m *model) Complete(ctx context.Context, req llm.Request) (string, error) {
	if m.answer != nil {
		return m.answer(req)
	}
	return m.Completer.Complete(ctx, req)
}

// bench is a database, a folder and an importer for them.
type bench struct {
	t     *testing.T
	db    *db.DB
	dir   string
	model *model
	log   bytes.Buffer
	*Importer
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, db: testkit.DB(t), dir: t.TempDir(), model: newModel()}
	b.Importer = b.importer()
	return b
}

// importer is another process on the same database and folder.
func (b *bench) importer() *Importer {
	extensions, names, err := source.ParseExtensions(source.DefaultExtensions)
	if err != nil {
		b.t.Fatal(err)
	}
	sources, err := registry.New(registry.Config{DB: b.db, Host: "here"})
	if err != nil {
		b.t.Fatal(err)
	}
	return New(Config{DB: b.db, Embedder: b.model, Completer: b.model, Registry: sources, Workers: 2,
		Chunks: chunk.Options{MaxChars: 300}, Scope: source.Scope{Extensions: extensions, Names: names, MaxFileBytes: 1 << 20},
		Log: slog.New(slog.NewTextHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
}

func (b *bench) write(path, text string) {
	b.t.Helper()
	file := filepath.Join(b.dir, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) remove(path string) {
	b.t.Helper()
	if err := os.Remove(filepath.Join(b.dir, path)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) move(from, to string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(b.dir, to)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(b.dir, from), filepath.Join(b.dir, to)); err != nil {
		b.t.Fatal(err)
	}
}

// run imports the folder as "notes" and expects counts, written as in the
// summary line.
func (b *bench) run(o Options, want string) Report {
	b.t.Helper()
	report, err := b.Run(b.t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, o)
	if err != nil {
		b.t.Fatal(err)
	}
	if !strings.Contains(report.Line(), want) {
		b.t.Errorf("%s\nwant %s", report.Line(), want)
	}
	b.sound()
	return report
}

// empty takes everything back to an empty knowledge base.
func (b *bench) empty() {
	b.t.Helper()
	if _, err := b.db.Pool.Exec(b.t.Context(), "TRUNCATE sources, terms, runs, vector_generations CASCADE; INSERT INTO kb_state DEFAULT VALUES"); err != nil {
		b.t.Fatal(err)
	}
}

// rows gives the result of a query as lines.
func (b *bench) rows(sql string, args ...any) []string {
	b.t.Helper()
	rows, err := b.db.Pool.Query(b.t.Context(), sql, args...)
	if err != nil {
		b.t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		return strings.TrimSuffix(fmt.Sprintln(values...), "\n"), err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return lines
}

// sound compares what is kept with what it is kept of: counts and totals, and
// that nothing is an orphan or without its other half.
func (b *bench) sound() {
	b.t.Helper()
	for what, sql := range map[string]string{
		"terms": `SELECT coalesce(a.term, b.term), a.chunk_freq, b.n FROM terms a
			FULL JOIN (SELECT u.term, count(*) n FROM chunks, unnest(tsvector_to_array(terms)) u(term) GROUP BY 1) b ON a.term = b.term
			WHERE a.chunk_freq IS DISTINCT FROM b.n`,
		"totals": `SELECT chunk_count, term_count, n, s FROM kb_state, (SELECT count(*) n, coalesce(sum(term_count), 0) s FROM chunks) c
			WHERE chunk_count <> n OR term_count <> s`,
		"documents without chunks": `SELECT path FROM documents d WHERE NOT EXISTS (SELECT FROM chunks WHERE document_id = d.id)`,
		"grep blocks":              `SELECT path FROM documents d WHERE (content <> '') <> EXISTS (SELECT FROM grep_blocks WHERE document_id = d.id)`,
		"positions":                `SELECT document_id FROM chunks GROUP BY 1 HAVING max(position) + 1 <> count(*) FILTER (WHERE position >= 0)`,
	} {
		if wrong := b.rows(sql); len(wrong) > 0 {
			b.t.Errorf("%s are wrong: %v", what, wrong[:min(5, len(wrong))])
		}
	}
	var generation int64
	if err := b.db.Pool.QueryRow(b.t.Context(), "SELECT active_vectors FROM kb_state").Scan(&generation); err != nil {
		b.t.Fatal(err)
	}
	if missing, err := b.db.MissingVectors(b.t.Context(), generation, 0, 5); err != nil || len(missing) > 0 {
		b.t.Errorf("chunks without vectors: %v, %v", missing, err)
	}
}

// dump is everything that a run leaves behind, without ids and times.
func (b *bench) dump() []string {
	b.t.Helper()
	var generation int64
	if err := b.db.Pool.QueryRow(b.t.Context(), "SELECT active_vectors FROM kb_state").Scan(&generation); err != nil {
		b.t.Fatal(err)
	}
	return slices.Concat(
		b.rows(`SELECT s.name, d.path, d.kind, d.title, d.content, d.file_sha256, d.file_bytes, d.encoding, d.line_count, d.char_count, d.summary, d.recipe
			FROM documents d JOIN sources s ON s.id = source_id ORDER BY 1, 2`),
		b.rows(`SELECT d.path, c.position, c.start_line, c.end_line, c.heading, c.content, c.terms::text, c.term_count, v.embedding::text
			FROM chunks c JOIN documents d ON d.id = document_id JOIN vectors_`+fmt.Sprint(generation)+` v ON v.chunk_id = c.id ORDER BY 1, 2`),
		b.rows(`SELECT term, chunk_freq FROM terms ORDER BY 1`),
		b.rows(`SELECT d.path, g.first_line, g.folded FROM grep_blocks g JOIN documents d ON d.id = document_id ORDER BY 1, 2`),
		b.rows(`SELECT s.name, f.path, f.summary, f.summary_of FROM folder_summaries f JOIN sources s ON s.id = source_id ORDER BY 1, 2`),
		b.rows(`SELECT name, summary, summary_of FROM sources ORDER BY 1`),
		b.rows(`SELECT path, reason FROM skipped_files ORDER BY 1`),
		b.rows(`SELECT generation, dirty, overview, chunk_count, term_count FROM kb_state`))
}

// sample is a folder with some of everything.
func (b *bench) sample() {
	b.write("dns.md", "# DNS at home\n\nThe resolver sits on port 53 of gufo.\n\n## Upstream\n\nQuad9, by TLS.\n")
	b.write("quadlets/gufo.container", "[Unit]\nDescription=Gufo, the owl\n\n[Container]\nImage=docker.io/library/gufo:1.2\nUserNS=keep-id\n\n[Install]\nWantedBy=default.target\n")
	b.write("quadlets/dns.network", "[Network]\nSubnet=10.89.0.0/24\n")
	b.write("compose/ntfy.yaml", "services:\n  ntfy:\n    image: ntfy\n    ports: [\"8080:80\"]\n")
	b.write("empty.txt", "")
	b.write("long.md", "# Long\n\n"+strings.Repeat("One more line about the backup of the router.\n\n", 40))
}
