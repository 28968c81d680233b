package retrieval

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"bor/db"
	"bor/internal/lexical"
	"bor/internal/testkit"
)

// benchChunks is 6000 by default, just enough for the vector index; PERF1 speaks
// of 100000 and more.
var benchChunks = flag.Int("chunks", 6000, "chunks in the benchmark's knowledge base")

// BenchmarkHybrid compares a whole search with the bare vector query in it, over
// a generated corpus. It reports both medians and their ratio; the embedding
// takes no time.
func BenchmarkHybrid(b *testing.B) {
	g := newGenerator()
	embedder := &topics{model: "generated"}
	d := testkit.DB(b)
	generation := g.fill(b, d, embedder.Model(), *benchChunks)
	s := New(d, g.embedder(embedder), Options{})

	questions := make([]string, 200)
	for i := range questions {
		questions[i] = g.question()
	}
	var bare, hybrid []time.Duration
	for i := 0; b.Loop(); i++ {
		question := questions[i%len(questions)]
		start := time.Now()
		if _, err := d.Nearest(b.Context(), generation, g.vector(question), 100); err != nil {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(start))
		start = time.Now()
		r, err := s.Search(b.Context(), question)
		if err != nil {
			b.Fatal(err)
		}
		hybrid = append(hybrid, time.Since(start))
		if r.LexicalOnly != "" || len(r.Hits) == 0 {
			b.Fatalf("%q: %d hits, %s", question, len(r.Hits), r.LexicalOnly)
		}
	}
	p50, vector := percentile(hybrid, 50), percentile(bare, 50)
	b.ReportMetric(inMilliseconds(p50), "ms/hybrid-p50")
	b.ReportMetric(inMilliseconds(percentile(hybrid, 95)), "ms/hybrid-p95")
	b.ReportMetric(inMilliseconds(vector), "ms/vector-p50")
	b.ReportMetric(float64(p50)/float64(vector), "hybrid/vector")
	b.ReportMetric(0, "ns/op")
}

// generator makes text whose words are as unevenly common as those of a language
// (Zipf), and vectors in clusters.
type generator struct {
	*rand.Rand
	zipf     *rand.Zipf
	clusters [][]float32
	texts    []string // some of those generated
}

const (
	vocabulary      = 200_000
	vocabularyPrime = 200_003 // mixes the words, so that common ones don't look alike
)

func newGenerator() *generator {
	r := rand.New(rand.NewPCG(1, 2))
	g := &generator{Rand: r, zipf: rand.NewZipf(r, 1.07, 20, vocabulary)}
	for range 200 {
		g.clusters = append(g.clusters, g.noise(1))
	}
	return g
}

func (g *generator) noise(scale float32) []float32 {
	v := make([]float32, dimension)
	for i := range v {
		v[i] = scale * float32(g.NormFloat64())
	}
	return v
}

func (g *generator) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = word(g.zipf.Uint64())
	}
	return strings.Join(words, " ")
}

// question has three to six words of one of the texts.
func (g *generator) question() string {
	words := strings.Fields(g.texts[g.IntN(len(g.texts))])
	from := g.IntN(len(words) - 6)
	return strings.Join(words[from:from+3+g.IntN(4)], " ")
}

// word is the n-th of the vocabulary, in syllables.
func word(n uint64) string {
	w := ""
	for n = n*2654435761%vocabularyPrime + 30; n > 0; n /= 75 {
		w += "bcdfghjklmnprst"[n%15:n%15+1] + "aeiou"[n/15%5:n/15%5+1]
	}
	return w
}

// vector belongs to the cluster of the text's first letters.
func (g *generator) vector(text string) []float32 {
	sum := 0
	for _, c := range []byte(text[:min(len(text), 8)]) {
		sum += int(c)
	}
	v := g.noise(0.7)
	for i, x := range g.clusters[sum%len(g.clusters)] {
		v[i] += x
	}
	return v
}

// embedder gives a vector of g at once.
func (g *generator) embedder(e *topics) *generated { return &generated{e, g} }

type generated struct {
	*topics
	g *generator
}

func (e *generated) Dimension() int { return dimension }

func (e *generated) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return [][]float32{e.g.vector(texts[0])}, nil
}

// fill makes a knowledge base of n chunks, four a document.
func (g *generator) fill(b testing.TB, d *db.DB, model string, n int) (generation int64) {
	b.Helper()
	exec := func(sql string, args ...any) {
		b.Helper()
		if _, err := d.Pool.Exec(b.Context(), sql, args...); err != nil {
			b.Fatal(err)
		}
	}
	generation, err := d.EnsureGeneration(b.Context(), model, dimension)
	if err != nil {
		b.Fatal(err)
	}
	exec("INSERT INTO sources (kind, name, location) VALUES ('local', 'generated', '/generated')")
	exec(`INSERT INTO documents (source_id, path, title, content, file_sha256, file_bytes, line_count, char_count)
		SELECT 1, 'notes/' || i || '.md', 'Note ' || i, '', '', 0, 40, 1000 FROM generate_series(1, $1::int) i`, (n+3)/4)
	const batch = 1000
	for first := 0; first < n; first += batch {
		var texts, terms []string
		var lengths []int32
		var vectors []db.ChunkVector
		for i := first; i < min(first+batch, n); i++ {
			text := g.words(60 + g.IntN(100))
			index := lexical.NewIndex(lexical.Chunk{Path: fmt.Sprintf("generated/notes/%d.md", i/4+1), Text: text})
			texts, terms, lengths = append(texts, text), append(terms, index.Vector), append(lengths, int32(index.Length))
			vectors = append(vectors, db.ChunkVector{ChunkID: int64(i + 1), Vector: g.vector(text)})
		}
		g.texts = append(g.texts, texts[0])
		exec(`INSERT INTO chunks (document_id, position, start_line, end_line, content, terms, term_count)
			SELECT ($4 + i - 1) / 4 + 1, ($4 + i - 1) % 4, 1, 10, t, v::tsvector, l
			FROM unnest($1::text[], $2::text[], $3::int[]) WITH ORDINALITY AS u(t, v, l, i) ORDER BY i`, texts, terms, lengths, first)
		if err := d.PutVectors(b.Context(), generation, vectors); err != nil {
			b.Fatal(err)
		}
	}
	exec("INSERT INTO terms SELECT word, ndoc FROM ts_stat('SELECT terms FROM chunks')")
	exec("UPDATE kb_state SET active_vectors = $1, chunk_count = $2, term_count = (SELECT sum(term_count) FROM chunks)", generation, n)
	if err := d.EnsureVectorIndex(b.Context(), generation); err != nil {
		b.Fatal(err)
	}
	exec("VACUUM ANALYZE chunks")
	return generation
}
