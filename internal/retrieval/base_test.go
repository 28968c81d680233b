package retrieval

import (
	"context"
	"hash/fnv"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bor/db"
	"bor/internal/chunk"
	"bor/internal/ingest"
	"bor/internal/llm"
	"bor/internal/llm/librarian"
	"bor/internal/source"
	"bor/internal/testkit"
	"bor/sample"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const dimension = 768

// sampleBase is a knowledge base that holds the sample homelab.
func sampleBase(t testing.TB) *db.DB {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "homelab")
	if err := sample.Write(dir); err != nil {
		t.Fatal(err)
	}
	return imported(t, librarian.NewEmbedder(dimension), dir)
}

// base is a knowledge base of one source named notes, with the files given by path.
func base(t testing.TB, embedder llm.Embedder, files map[string]string) *db.DB {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "notes")
	for path, text := range files {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return imported(t, embedder, dir)
}

func imported(t testing.TB, embedder llm.Embedder, dir string) *db.DB {
	t.Helper()
	d := testkit.DB(t)
	extensions, names, err := source.ParseExtensions(source.DefaultExtensions)
	if err != nil {
		t.Fatal(err)
	}
	importer := ingest.New(ingest.Config{
		DB: d, Embedder: embedder, Completer: librarian.New(),
		Chunks: chunk.Options{TargetChars: 2000, OverlapChars: 200, MaxChars: 1200},
		Scope:  source.Scope{Extensions: extensions, Names: names, MaxFileBytes: 10 << 20},
		Log:    slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if _, err := importer.Run(t.Context(), []ingest.Source{{Dir: dir}}, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	return d
}

func search(t testing.TB, s *Searcher, question string) Result {
	t.Helper()
	r, err := s.Search(t.Context(), question)
	if err != nil {
		t.Fatalf("%q: %v", question, err)
	}
	return r
}

// identities of the hits, best first.
func identities(hits []Hit) []string {
	var list []string
	for _, h := range hits {
		list = append(list, h.Identity())
	}
	return list
}

// topics is an embedder that knows three topics by a word of the text; any other
// text has a direction of its own.
type topics struct {
	model string
	embed func(texts []string) ([][]float32, error) // instead; may be nil
}

var topicWords = []string{"owl", "pasta", "tide"}

// topicNoise is how many dimensions tell texts without a topic apart.
const topicNoise = 16

func (e *topics) Model() string  { return e.model }
func (e *topics) Dimension() int { return len(topicWords) + topicNoise }

func (e *topics) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if e.embed != nil {
		return e.embed(texts)
	}
	return topicVectors(texts), nil
}

func topicVectors(texts []string) [][]float32 {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, len(topicWords)+topicNoise)
		hash := fnv.New32a()
		hash.Write([]byte(text))
		for j := range topicNoise {
			vectors[i][len(topicWords)+j] = 0.02 * float32(1-2*int(hash.Sum32()>>j&1))
		}
		for j, word := range topicWords {
			if strings.Contains(strings.ToLower(text), word) {
				vectors[i][j] = 1
			}
		}
	}
	return vectors
}
