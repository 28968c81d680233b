package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bor/internal/fault"
	"bor/internal/llm"
)

func TestTheEmbeddersDimensionIsCheckedFirst(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.model.Embedder = wrong{b.model.Embedder}
	_, err := b.Run(t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, Options{})
	if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.PublicOf(err), fmt.Sprintf("%d numbers, but BOR_EMBEDDING_DIM is %d", dimension, dimension+1)) {
		t.Errorf("%v", err)
	}
	if got := b.rows("SELECT count(*) FROM sources"); got[0] != "0" {
		t.Error("something was registered")
	}
	b.model.Embedder = newModel().Embedder
	b.model.embed = func([]string) error { return errors.New("connection refused") }
	if _, err := b.Run(t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, Options{}); err == nil || !strings.Contains(err.Error(), "before the import: connection refused") {
		t.Errorf("%v", err)
	}
}

// wrong promises another dimension than it has.
type wrong struct{ llm.Embedder }

func (w wrong) Dimension() int { return dimension + 1 }

// renamed is another model.
type renamed struct{ llm.Embedder }

func (renamed) Model() string { return "another" }

func TestAnotherEmbedder(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	old := b.rows("SELECT active_vectors FROM kb_state")
	b.model.Embedder = renamed{b.model.Embedder}
	b.write("dns.md", "# Changed\n")
	report, err := b.Run(t.Context(), []Source{{Dir: b.dir}}, Options{})
	if err != nil || report.Updated != 1 || len(report.Notes) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if got := b.rows("SELECT active_vectors FROM kb_state"); !slices.Equal(got, old) {
		t.Error("incomplete vectors became active")
	}
	// Stopped in between, it goes on later; the old vectors serve until the end.
	ctx, stop := context.WithCancel(t.Context())
	b.model.embed = func(texts []string) error {
		if texts[0] != "dimension" {
			stop()
		}
		return ctx.Err()
	}
	if err := b.Reembed(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	b.model.embed = nil
	var steps []int64
	if err := b.Reembed(t.Context(), func(done, total int64) { steps = append(steps, done, total) }); err != nil {
		t.Fatal(err)
	}
	if n := len(steps); n == 0 || steps[n-2] == 0 || steps[n-2] > steps[n-1] {
		t.Errorf("progress %v", steps)
	}
	if got := b.rows("SELECT model FROM vector_generations"); !slices.Equal(got, []string{"another"}) {
		t.Errorf("generations %q", got)
	}
	b.sound()
	b.run(Options{}, "unchanged=6")
}

func TestEmbedText(t *testing.T) {
	for want, got := range map[string]string{
		"Gufo\nNetwork\nPort=53": embedText("Gufo", "Network", "Port=53", 100),
		"Gufo\nPort=53":          embedText("Gufo", "A long heading", "Port=53", 15),
		"Port=53":                embedText("Gufo", "Network", "Port=53", 7),
		"Port=54":                embedText("", "Port=54", "Port=54", 100),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
