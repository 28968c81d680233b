package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"bor/internal/llm"
)

// filled is a knowledge base of enough chunks for several batches, made with the
// bench's first embedder; the bench then has another one.
func filled(t *testing.T) (b *bench, old int64) {
	t.Helper()
	b = newBench(t)
	for i := range 12 {
		b.write(fmt.Sprintf("n%02d.md", i), strings.Repeat(fmt.Sprintf("## Part\n\n%s\n\n", strings.Repeat("words of a note ", 14)), 25))
	}
	b.run(Options{}, "added=12")
	old = b.active()
	b.model.Embedder = renamed{b.model.Embedder}
	return b, old
}

func (b *bench) active() (generation int64) {
	b.t.Helper()
	if err := b.db.Pool.QueryRow(b.t.Context(), "SELECT active_vectors FROM kb_state").Scan(&generation); err != nil {
		b.t.Fatal(err)
	}
	return generation
}

// searchable tells whether a generation answers, with as many chunks as are asked for.
func (b *bench) searchable(ctx context.Context, generation int64) error {
	vectors, err := b.model.Embedder.Embed(ctx, []string{"a note"})
	if err != nil {
		return err
	}
	near, err := b.db.Nearest(ctx, generation, vectors[0], 20)
	if err == nil && len(near) != 20 {
		err = fmt.Errorf("%d chunks found", len(near))
	}
	return err
}

// While new vectors are made, the old ones are the active ones and answer; another
// import or reembed is refused; then the new ones are active and the old are gone.
func TestReembedServesTheOldVectorsMeanwhile(t *testing.T) {
	t.Parallel()
	b, old := filled(t)
	other := newModel()
	var once sync.Once
	calls := 0
	b.model.embed = func(texts []string) error { // under the model's lock
		if texts[0] == "dimension" {
			return nil
		}
		calls++
		var err error
		once.Do(func() {
			im := b.importer()
			im.Embedder, im.Completer = other, other
			_, importing := im.Run(t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, Options{})
			reembedding := im.Reembed(t.Context(), nil)
			for what, got := range map[string]error{"import": importing, "reembed": reembedding} {
				var running *RunningError
				if !errors.As(got, &running) {
					err = errors.Join(err, fmt.Errorf("an %s meanwhile: %w", what, got))
				}
			}
		})
		if now := b.active(); now != old {
			err = errors.Join(err, fmt.Errorf("the vectors of %d are active already", now))
		}
		vector := make([]float32, dimension)
		vector[0] = 1
		if near, e := b.db.Nearest(t.Context(), old, vector, 20); e != nil || len(near) != 20 {
			err = errors.Join(err, e, fmt.Errorf("the old vectors give %d chunks", len(near)))
		}
		return err
	}
	var done, total int64
	err := b.Reembed(t.Context(), func(d, of int64) {
		if d < done || d > of {
			t.Errorf("progress %d of %d after %d", d, of, done)
		}
		done, total = d, of
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls < 3 || done != total || fmt.Sprint(total) != b.rows("SELECT count(*) FROM chunks")[0] {
		t.Errorf("%d calls, %d of %d", calls, done, total)
	}
	b.model.embed = nil
	if s := b.status(); s.State != Done || !s.Reembeds() {
		t.Errorf("the run isn't told as what it was: %+v", s)
	}
	if now := b.active(); now == old {
		t.Error("the old vectors are still active")
	} else if err := b.searchable(t.Context(), now); err != nil {
		t.Error(err)
	}
	if got := b.rows("SELECT to_regclass($1)::text", fmt.Sprintf("vectors_%d", old)); got[0] != "<nil>" {
		t.Errorf("the old table is still there: %v", got)
	}
	if got := b.rows("SELECT report->'notes' FROM runs ORDER BY id DESC LIMIT 1")[0]; got != "<nil>" {
		t.Errorf("what the last run leaves to be read says %s", got)
	}
	b.sound()
}

// A reembed that dies, with all its connections, leaves the old vectors; imports in
// between change, add and remove documents; the next one makes what is missing and
// no more.
func TestReembedGoesOnAfterItWasKilled(t *testing.T) {
	t.Parallel()
	b, old := filled(t)
	first := b.model.Embedder.(renamed).Embedder
	batches := 0
	b.Workers = 1
	b.model.embed = func(texts []string) error {
		if texts[0] == "dimension" {
			return nil
		}
		if batches++; batches == 3 {
			_, err := b.db.Pool.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
			return err
		}
		return nil
	}
	if err := b.Reembed(t.Context(), nil); err == nil {
		t.Fatal("it survived the loss of its claim")
	}
	b.model.embed = nil
	b.db.Pool.Reset() // no dead connection for what is asked next
	if now := b.active(); now != old {
		t.Fatalf("the vectors of %d are active, of %d before", now, old)
	}
	// A process with the old settings imports.
	b.model.Embedder = first
	b.write("n00.md", "# Changed\n\nanother text\n")
	b.write("new.md", "# New\n\na new text\n")
	b.remove("n01.md")
	report, err := b.Run(t.Context(), []Source{{Dir: b.dir, Name: "notes"}}, Options{Prune: true})
	if err != nil || report.Added != 1 || report.Updated != 1 || report.Pruned != 1 {
		t.Fatalf("%s, %v", report.Line(), err)
	}
	if err := b.searchable(t.Context(), old); err != nil {
		t.Error(err)
	}
	b.model.Embedder = renamed{first}
	before := b.model.texts
	var begun int64 = -1
	if err := b.Reembed(t.Context(), func(done, _ int64) {
		if begun < 0 {
			begun = done
		}
	}); err != nil {
		t.Fatal(err)
	}
	chunks := b.rows("SELECT count(*) FROM chunks")[0]
	if made := b.model.texts - before - 1; fmt.Sprint(int64(made)+begun) != chunks || begun == 0 {
		t.Errorf("%d vectors were there, %d were made, of %s", begun, made, chunks)
	}
	if got := b.rows("SELECT model FROM vector_generations"); !slices.Equal(got, []string{"another"}) {
		t.Errorf("generations %q", got)
	}
	b.sound()
	if got := b.rows("SELECT count(*) FROM chunks c JOIN documents d ON d.id = c.document_id WHERE d.path IN ('n00.md', 'new.md')"); got[0] == "0" {
		t.Error("what was imported in between isn't there")
	}
}

// As many requests go on at once as are allowed, no more, and not one by one.
func TestReembedKeepsTheModelBusy(t *testing.T) {
	t.Parallel()
	b, _ := filled(t)
	gate := &gated{Embedder: b.model.Embedder, arrived: make(chan struct{}), open: make(chan struct{})}
	b.Importer = b.importer()
	b.Embedder, b.Workers = gate, 3
	finished := make(chan error, 1)
	go func() { finished <- b.Reembed(t.Context(), nil) }()
	for range 3 {
		<-gate.arrived
	}
	close(gate.open)
	go func() {
		for range gate.arrived {
		}
	}()
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
	close(gate.arrived)
	if gate.most != 3 {
		t.Errorf("%d requests at once", gate.most)
	}
	b.sound()
}

// gated holds requests until its gate opens, and counts how many are under way.
type gated struct {
	llm.Embedder
	arrived, open chan struct{}
	mu            sync.Mutex
	now, most     int
}

func (g *gated) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if texts[0] == "dimension" {
		return g.Embedder.Embed(ctx, texts)
	}
	g.mu.Lock()
	g.now++
	g.most = max(g.most, g.now)
	g.mu.Unlock()
	g.arrived <- struct{}{}
	<-g.open
	defer func() { g.mu.Lock(); g.now--; g.mu.Unlock() }()
	return g.Embedder.Embed(ctx, texts)
}
