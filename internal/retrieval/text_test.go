package retrieval

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

func TestTexts(t *testing.T) {
	hits := []Hit{
		{Source: "notes", Path: "owls.md", StartLine: 3, EndLine: 9, Score: 0.0312, Cosine: 0.71234, DenseRank: 2, BM25: 12.345, LexicalRank: 1, NameMatch: 1},
		{Source: "notes", Path: "evil\x1b[2J\u202e.md", StartLine: 1, EndLine: 1, Score: 0.01, Cosine: 0.6, DenseRank: 1},
		{Source: "notes", Path: "rings.timer", StartLine: 1, EndLine: 5, Score: 0.009, BM25: 2, LexicalRank: 2},
	}
	for range 20 {
		hits = append(hits, Hit{Source: "notes", Path: "more.md", StartLine: 1, EndLine: 2, Score: 0.001, Cosine: 0.1, DenseRank: 3})
	}
	found := Result{
		Question: "which ring?\x07", Hits: hits, Why: "words 1.00 of 0.50", TopCosine: 0.71234, Threshold: 0.62, LexicalHits: 2, EmbedTime: 1234 * time.Microsecond,
		Terms: []Term{{Text: "ring", Chunks: 3}, {Text: "rings", For: "rigns", Chunks: 1}},
	}
	nothing := Result{Question: "sourdough", Deflected: true, Why: "weak: words 0.00", LexicalOnly: "There are no embeddings yet."}
	a := Report{
		Embedder: "librarian-v1", Threshold: 0.18, DenseWeight: 0.03, ToAnswer: 2, ToDeflect: 1,
		Hybrid: Quality{0.91, 0.9, 1}, Lexical: Quality{0.9, 0.88, 0.95}, Dense: Quality{0.5, 0.4, 0.75},
		Gate: Gate{2, 1, 0.5, 1}, Latency: Latency{4100 * time.Microsecond, 12 * time.Millisecond}, ProposedThreshold: 0.21, ProposedDenseWeight: 0.05,
		Outcomes: []Outcome{
			{ID: "a", Question: "which ring?", Answer: true, Rank: 1, Why: "words 1.00 of 0.50"},
			{ID: "b", Question: "which \x1b[31mowl?", Answer: true, Deflected: true, Why: "weak: words 0.10"},
			{ID: "c", Question: "sourdough", Deflected: true, Why: "weak: words 0.00"},
		},
	}
	b := a
	b.Threshold, b.Hybrid, b.Gate = 0.1, Quality{0.92, 0.91, 1}, Gate{1, 1, 1, 1}
	b.Outcomes = append([]Outcome{}, a.Outcomes...)
	b.Outcomes[1].Deflected, b.Outcomes[1].Why, b.Outcomes[1].Rank = false, "cosine 0.15 of 0.10", 2
	for name, value := range map[string]interface{ WriteText(w io.Writer) error }{
		"result.txt": found, "deflected.txt": nothing, "report.txt": a, "comparison.txt": Compare(a, b),
	} {
		var text strings.Builder
		if err := value.WriteText(&text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		golden(t, name, text.String())
		for _, r := range text.String() {
			if r < ' ' && r != '\n' || r == '\u202e' {
				t.Errorf("%s: %q reaches the terminal", name, r)
			}
		}
		if err := value.WriteText(full{}); !errors.Is(err, errFull) {
			t.Errorf("%s: a failed write is told as %v", name, err)
		}
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }
