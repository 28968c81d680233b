package retrieval

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"bor/internal/llm"
)

const notesSet = `{"id": "a", "kind": "fact", "question": "what number does the ring of an owl have?", "paths": ["notes/owls.md"], "says": "number"}
{"id": "b", "question": "tide table", "paths": ["sea.md"]}
{"id": "c", "question": "show me the backup script", "expect": "answer", "paths": ["notes/scripts/backup.sh", "notes/sea.md"]}
{"id": "d", "question": "show me the quadlet for Jellyfin", "expect": "deflect"}
{"id": "e", "question": "how do I bake sourdough?", "expect": "deflect"}
{"id": "f", "question": "do parrots like an owl or pasta?", "expect": "answer", "paths": ["notes/owls.md"]}
`

func TestEvalSet(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	s := New(base(t, embedder, notes), embedder, Options{Threshold: 0.9, DenseWeight: 0.5})
	report, err := s.EvalSet(t.Context(), strings.NewReader(notesSet))
	if err != nil {
		t.Fatal(err)
	}
	if report.Embedder != "topics" || report.Threshold != 0.9 || report.DenseWeight != 0.5 || report.ToAnswer != 4 || report.ToDeflect != 2 || len(report.Outcomes) != 6 {
		t.Errorf("%+v", report)
	}
	// f is deflected though it shouldn't be.
	if g := report.Gate; g.Deflected != 3 || g.Right != 2 || math.Abs(g.Precision-2./3) > 1e-12 || g.Recall != 1 {
		t.Errorf("%+v", g)
	}
	for i, want := range []struct {
		id   string
		rank int
		kind string
	}{{"a", 1, "fact"}, {"b", 1, ""}, {"c", 1, ""}, {"d", 0, ""}, {"e", 0, ""}} {
		if o := report.Outcomes[i]; o.ID != want.id || o.Rank != want.rank || o.Kind != want.kind || !o.Right() || o.Took <= 0 {
			t.Errorf("%+v", o)
		}
	}
	if o := report.Outcomes[0]; o.First != "notes/owls.md" || o.Question != "what number does the ring of an owl have?" || o.TopCosine == 0 {
		t.Errorf("%+v", o)
	}
	for _, q := range []Quality{report.Hybrid, report.Lexical, report.Dense} {
		if q.NDCG10 <= 0 || q.NDCG10 > 1 || q.MRR10 <= 0 || q.MRR10 > 1 || q.Recall100 <= 0 || q.Recall100 > 1 {
			t.Errorf("%+v", q)
		}
	}
	if report.Hybrid.MRR10 < 0.75 || report.Latency.P50 <= 0 || report.Latency.P95 < report.Latency.P50 {
		t.Errorf("%+v, %+v", report.Hybrid, report.Latency)
	}

	// What is printed and what is read by programs.
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"questions", "4 to answer, 2 to deflect", "nDCG@10", "precision 0.667", "0.900 in use", "wrong", "f deflected (weak"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	encoded, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var decoded struct {
		ToAnswer int `json:"to_answer"`
		Hybrid   struct {
			NDCG float64 `json:"ndcg_10"`
		}
		Outcomes []struct {
			ID   string
			Rank int
		}
	}
	if err := json.Unmarshal(encoded, &decoded); err != nil || decoded.ToAnswer != 4 || decoded.Hybrid.NDCG != report.Hybrid.NDCG10 || decoded.Outcomes[0].Rank != 1 {
		t.Errorf("%+v, %v", decoded, err)
	}

	// Another configuration of the same questions.
	other, err := New(s.db, embedder, Options{Threshold: 0.05}).EvalSet(t.Context(), strings.NewReader(notesSet))
	if err != nil {
		t.Fatal(err)
	}
	changed := map[string]bool{}
	for _, change := range Compare(report, other).Changes {
		if change.A.ID != change.B.ID {
			t.Errorf("%s against %s", change.A.ID, change.B.ID)
		}
		changed[change.A.ID] = true
	}
	if !changed["f"] || changed["d"] || changed["a"] {
		t.Errorf("changed %v", changed)
	}
}

func TestEvalSetFailures(t *testing.T) {
	t.Parallel()
	embedder := &topics{model: "topics"}
	s := New(base(t, embedder, notes), embedder, Options{})
	if _, err := s.EvalSet(t.Context(), strings.NewReader("nonsense")); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Error(err)
	}
	embedder.embed = func([]string) ([][]float32, error) { return nil, &llm.Error{Public: "down"} }
	_, err := s.EvalSet(t.Context(), strings.NewReader(notesSet))
	if err == nil || !strings.Contains(err.Error(), "question a") || !errors.As(err, new(*llm.Error)) {
		t.Error(err)
	}
}

// Without a dense side there is nothing to propose.
func TestEvalSetByWordsOnly(t *testing.T) {
	t.Parallel()
	s := New(base(t, &topics{model: "topics"}, notes), &topics{model: "other"}, Options{})
	report, err := s.EvalSet(t.Context(), strings.NewReader(notesSet))
	if err != nil {
		t.Fatal(err)
	}
	if report.LexicalOnly == "" || report.ProposedThreshold != 0 || report.ProposedDenseWeight != 0 || report.Dense != (Quality{}) || report.Hybrid.NDCG10 <= 0 {
		t.Errorf("%+v", report)
	}
	var text strings.Builder
	if err := report.WriteText(&text); err != nil || !strings.Contains(text.String(), "no proposal") || !strings.Contains(text.String(), "bor reembed") {
		t.Errorf("%v\n%s", err, text.String())
	}
}
