package retrieval

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bor/db"
	"bor/internal/llm"
	"bor/internal/llm/librarian"
	"bor/internal/testkit"
)

var notes = map[string]string{
	"owls.md":            "# Owls\n\nThe barn owl hunts by ear.\n\n## Rings\n\nEvery ring has a number.\n",
	"kitchen/pasta.md":   "# Pasta\n\nTen minutes in salted water.\n",
	"sea.md":             "# Sea\n\nThe tide table hangs by the door.\n",
	"units/owl.service":  "[Unit]\nDescription=Counts owls\n\n[Service]\nExecStart=/usr/bin/owl-count --by-night\n",
	"units/rings.timer":  "[Unit]\nDescription=Rings every night\n\n[Timer]\nOnCalendar=03:15\n",
	"scripts/backup.sh":  "#!/bin/sh\nset -e\nrestic backup /srv/notes\n",
	"empty.txt":          "",
	"net/90-router.conf": "net.ipv4.ip_forward = 1\n",
}

func TestHybridResult(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	s := New(base(t, embedder, notes), embedder, Options{TopDocs: 1})
	r := search(t, s, "what number does the ring of an owl have?")

	if r.Deflected || r.LexicalOnly != "" || len(r.Missing) > 0 || r.Why == "" {
		t.Errorf("%+v", r)
	}
	top := r.Top()
	if len(top) != 1 || top[0].Identity() != "notes/owls.md" {
		t.Fatalf("first %v", identities(r.Hits))
	}
	h := top[0]
	if h.Title != "Owls" || h.Lines != 7 || h.Chars != len(notes["owls.md"]) || h.DenseRank == 0 || h.LexicalRank != 1 {
		t.Errorf("%+v", h)
	}
	if h.StartLine < 1 || h.EndLine > 7 || h.StartLine > h.EndLine {
		t.Errorf("lines %d-%d", h.StartLine, h.EndLine)
	}
	if math.Abs(h.Cosine-1) > 0.01 || h.Cosine > r.TopCosine || h.BM25 <= 0 || h.Score <= 0 {
		t.Errorf("cosine %v of %v, bm25 %v, score %v", h.Cosine, r.TopCosine, h.BM25, h.Score)
	}
	if r.LexicalHits == 0 || r.Coverage < 0.99 || r.Threshold != unmeasured.threshold || r.EmbedTime <= 0 {
		t.Errorf("%d by words, coverage %v, threshold %v, embedding %v", r.LexicalHits, r.Coverage, r.Threshold, r.EmbedTime)
	}
	for i, h := range r.Hits[1:] {
		if h.Score > r.Hits[i].Score {
			t.Errorf("%s stands behind %s with less", h.Identity(), r.Hits[i].Identity())
		}
	}
}

// A question without a word of its document finds it by its embedding.
func TestDenseSideAlone(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	d := base(t, embedder, notes)
	embedder.embed = func([]string) ([][]float32, error) { return topicVectors([]string{"pasta"}), nil }
	r := search(t, New(d, embedder, Options{Threshold: 0.3}), "Spaghetti zubereiten")
	if r.Deflected || r.LexicalHits != 0 || r.Hits[0].Path != "kitchen/pasta.md" || r.Hits[0].LexicalRank != 0 || r.Hits[0].DenseRank != 1 {
		t.Errorf("%s; %d by words; first %+v", r.Why, r.LexicalHits, r.Hits[0])
	}
}

func TestThresholds(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	d := base(t, embedder, notes)
	ask := func(o Options) float64 { return search(t, New(d, embedder, o), "tide").Threshold }
	if got := ask(Options{}); got != 0.62 {
		t.Errorf("of an embedder that nobody measured: %v", got)
	}
	if _, err := d.Pool.Exec(t.Context(), "UPDATE vector_generations SET threshold = 0.375"); err != nil {
		t.Fatal(err)
	}
	if got := ask(Options{}); got != 0.375 {
		t.Errorf("calibrated: %v", got)
	}
	if got := ask(Options{Threshold: 0.5}); got != 0.5 {
		t.Errorf("set: %v", got)
	}
	if measured[librarian.NewEmbedder(1).Model()].threshold != librarian.DefaultThreshold {
		t.Error("the librarian's threshold isn't its own")
	}
}

// A document that only its summary found is shown whole, and counted.
func TestSummaryHits(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	d := base(t, embedder, notes)
	if _, err := d.Pool.Exec(t.Context(), `DELETE FROM chunks WHERE position >= 0 AND document_id = (SELECT id FROM documents WHERE path = 'units/rings.timer')`); err != nil {
		t.Fatal(err)
	}
	r := search(t, New(d, embedder, Options{TopDocs: 1}), "show me rings.timer")
	h := r.Hits[0]
	if h.Path != "units/rings.timer" || !h.Summary || r.SummaryHits != 1 || h.StartLine != 1 || h.EndLine != 5 {
		t.Errorf("%d summaries, %+v", r.SummaryHits, h)
	}
	if r := search(t, New(d, embedder, Options{TopDocs: 1}), "how long does pasta take?"); r.SummaryHits != 0 {
		t.Errorf("a Markdown file has no summary: %d", r.SummaryHits)
	}
}

func TestNothingToSearch(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	empty := New(testkit.DB(t), embedder, Options{})
	r := search(t, empty, "where is the owl?")
	if !r.Deflected || r.Why != "knowledge base empty" || len(r.Hits) != 0 {
		t.Errorf("%+v", r)
	}
	if notice, err := empty.Notice(t.Context()); err != nil || notice != "" {
		t.Errorf("an empty knowledge base has nothing to embed: %q, %v", notice, err)
	}
	embedder.embed = func([]string) ([][]float32, error) { t.Error("embedded nothing"); return nil, nil }
	s := New(base(t, &topics{model: "topics"}, notes), embedder, Options{})
	for _, blank := range []string{"", " \n\t "} {
		if r := search(t, s, blank); !r.Deflected || r.Why != "no question" {
			t.Errorf("%q: %+v", blank, r)
		}
	}
}

// Whatever is typed, it is a question and never a statement to the database.
func TestHostileQuestions(t *testing.T) {
	t.Parallel()
	s := New(base(t, librarian.NewEmbedder(dimension), notes), librarian.NewEmbedder(dimension), Options{})
	long := strings.Repeat("owl:* & !ring | 'tide' <-> pasta ", 500)
	for _, q := range []string{
		"'", "''", `\`, `\'`, "a'b\\c", "' | & ! <-> :* ( ) \"", "!!!", "owl & ", "owl | | ring", "(((", ":*", "owl:*A", "<2>", "'; DROP TABLE chunks; --",
		"\x00", "owl\x00ring", "\xff\xfe", "owl \xc3(", "%", "%_%", "_", "owl%", `"`, `"owl`, "`rm -rf`", "{owl}", "{\"a\": 1}", "$1", "{,}", "NULL",
		"\u202eowl", "🦉", "\u0301", "ﬁ", "İ", "ß", "日本語の質問", "한국어", "ไทย", "\ufeffowl", strings.Repeat("a", 16000), strings.Repeat("a.b-c_d/", 2000), long[:16000],
		strings.Repeat("é", 5000), strings.Repeat("Owl Ring Tide ", 1000), strings.Repeat("x1 ", 5000), strings.Repeat("\"q\" ", 4000),
	} {
		r, err := s.Search(t.Context(), q)
		if err != nil {
			t.Errorf("%.40q: %v", q, err)
		}
		if strings.ContainsRune(r.Question, 0) {
			t.Errorf("%.40q: NUL is left", q)
		}
	}
}

func TestOtherVectorsAreNotMixed(t *testing.T) {
	t.Parallel()
	d := base(t, &topics{model: "topics"}, notes)
	for _, c := range []struct {
		name     string
		embedder llm.Embedder
		want     string
	}{
		{"another model", &topics{model: "tropics"}, "was embedded with topics (19 numbers), but tropics (19 numbers) is configured"},
		{"another dimension", &wide{topics{model: "topics"}}, "but topics (20 numbers) is configured"},
	} {
		r := search(t, New(d, c.embedder, Options{}), "what number does the ring have?")
		if !strings.Contains(r.LexicalOnly, c.want) || !strings.Contains(r.LexicalOnly, "bor reembed") {
			t.Errorf("%s: %q", c.name, r.LexicalOnly)
		}
		if r.Deflected || r.TopCosine != 0 || r.EmbedTime != 0 || r.Hits[0].Path != "owls.md" || r.Hits[0].DenseRank != 0 {
			t.Errorf("%s: %s, first %+v", c.name, r.Why, r.Hits[0])
		}
		if notice, err := New(d, c.embedder, Options{}).Notice(t.Context()); err != nil || notice != r.LexicalOnly {
			t.Errorf("%s: notice %q, %v", c.name, notice, err)
		}
		if r := search(t, New(d, c.embedder, Options{}), "how do I bake sourdough?"); !r.Deflected || !strings.HasPrefix(r.Why, "weak: words") {
			t.Errorf("%s: %s", c.name, r.Why)
		}
	}
	if _, err := d.Pool.Exec(t.Context(), "UPDATE kb_state SET active_vectors = NULL"); err != nil {
		t.Fatal(err)
	}
	if r := search(t, New(d, &topics{model: "topics"}, Options{}), "tide table"); !strings.Contains(r.LexicalOnly, "no embeddings yet") || r.Deflected {
		t.Errorf("%q, %s", r.LexicalOnly, r.Why)
	}
}

// wide has one dimension more.
type wide struct{ topics }

func (*wide) Dimension() int { return len(topicWords) + topicNoise + 1 }

// Vectors that are replaced between reading which ones serve and searching them
// cost the question nothing.
func TestVectorsReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	d := base(t, embedder, notes)
	embedder.embed = func(texts []string) ([][]float32, error) {
		next, err := d.EnsureGeneration(t.Context(), "next", 19)
		if err == nil {
			err = d.Activate(t.Context(), next)
		}
		return topicVectors(texts), err
	}
	r := search(t, New(d, embedder, Options{}), "what number does the ring have?")
	if !strings.Contains(r.LexicalOnly, "embedded with next") || r.Hits[0].Path != "owls.md" {
		t.Errorf("%q, %v", r.LexicalOnly, identities(r.Hits))
	}
}

func TestEmbeddingFailures(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	d := base(t, embedder, notes)
	s := New(d, embedder, Options{})
	down := &llm.Error{Public: "the embeddings server is down", Status: 503}
	for _, c := range []struct {
		name  string
		embed func([]string) ([][]float32, error)
		want  string
	}{
		{"down", func([]string) ([][]float32, error) { return nil, down }, down.Public},
		{"none", func([]string) ([][]float32, error) { return nil, nil }, "something other than one vector"},
		{"short", func([]string) ([][]float32, error) { return [][]float32{{1}}, nil }, "something other than one vector"},
	} {
		embedder.embed = c.embed
		if _, err := s.Search(t.Context(), "owl"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	embedder.embed = func([]string) ([][]float32, error) { return nil, down }
	if _, err := s.Search(t.Context(), "owl"); !errors.As(err, new(*llm.Error)) {
		t.Errorf("not the endpoint's error: %v", err)
	}
	embedder.embed = func([]string) ([][]float32, error) { return [][]float32{make([]float32, embedder.Dimension())}, nil }
	if r := search(t, s, "barn owl"); r.Deflected || r.TopCosine != 0 || r.Hits[0].DenseRank != 0 {
		t.Errorf("a vector without a direction: %s, first %+v", r.Why, r.Hits[0])
	}
}

// Each query's failure is told with what was being done.
func TestDatabaseFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ breaks, question, want string }{
		{"ALTER TABLE kb_state RENAME TO gone", "owl", "state of the knowledge base"},
		{"ALTER TABLE terms RENAME COLUMN chunk_freq TO gone", "owl", "question's terms"},
		{"ALTER TABLE chunks RENAME COLUMN terms TO gone", "where is Atlantis?", "what the question names"},
		{"ALTER TABLE chunks RENAME COLUMN terms TO gone", "owl", "searching by words"},
		{"ALTER TABLE documents RENAME COLUMN title TO gone", "owl", "reading what was found"},
		{"ALTER TABLE vectors_1 RENAME COLUMN embedding TO gone", "owl", "searching vectors"},
	} {
		embedder := &topics{model: "topics"}
		d := base(t, embedder, map[string]string{"owls.md": notes["owls.md"]})
		if _, err := d.Pool.Exec(t.Context(), c.breaks); err != nil {
			t.Fatal(err)
		}
		s := New(d, embedder, Options{})
		if _, err := s.Search(t.Context(), c.question); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.breaks, err)
		}
		if _, err := s.Notice(t.Context()); (err != nil) != strings.Contains(c.breaks, "kb_state") {
			t.Errorf("%s: notice: %v", c.breaks, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	embedder := &topics{model: "topics"}
	if _, err := New(base(t, embedder, notes), embedder, Options{}).Search(ctx, "owl"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// An import may replace chunks while a question is being answered.
func TestChunksThatAreGone(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	s := New(base(t, embedder, notes), embedder, Options{})
	r := Result{Question: "owl", topDocs: 2}
	near := []db.Near{{ChunkID: 1 << 40, Cosine: 0.9}}
	if err := s.rank(t.Context(), &r, near, []match{{chunk: 1 << 41, score: 3}}, 1); err != nil || len(r.Hits) != 0 {
		t.Errorf("%v, %v", err, identities(r.Hits))
	}
}

func TestRarestTermsBringCandidates(t *testing.T) {
	term := func(text string, chunks int64) Term { return Term{Text: text, Chunks: chunks, Weight: 1} }
	for _, c := range []struct {
		name   string
		terms  []Term
		chunks int64
		want   []string
	}{
		{"unknown ones bring none", []Term{term("owl", 0), term("ring", 3)}, 100, []string{"ring"}},
		{"all of a small knowledge base", []Term{term("owl", 90), term("ring", 3)}, 100, []string{"owl", "ring"}},
		{"words of asking are passed over", []Term{term("show", 1), term("ring", 3)}, 100, []string{"ring"}},
		{"and what is left of stop words", []Term{term("own", 1), term("ring", 3)}, 100, []string{"ring"}},
		{"unless there is nothing else", []Term{term("show", 1), term("tell", 3)}, 100, []string{"show", "tell"}},
		{"over a tenth, and there is a rarer one", []Term{term("owl", 60_000), term("ring", 3)}, 500_000, []string{"ring"}},
		{"over a tenth, alone", []Term{term("owl", 60_000)}, 500_000, []string{"owl"}},
		{"enough is enough", []Term{term("owl", 1500), term("ring", 100), term("tide", 900)}, 500_000, []string{"ring", "tide"}},
		{"nothing known", []Term{term("owl", 0)}, 100, nil},
	} {
		plan(c.terms, c.chunks)
		var got []string
		for _, t := range c.terms {
			if t.Searched {
				got = append(got, t.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
