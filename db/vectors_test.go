package db_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bor/db"
	"bor/internal/testkit"
)

// chunks makes a document with n chunks and returns their ids.
func chunks(t *testing.T, d *db.DB, n int) []int64 {
	t.Helper()
	var ids []int64
	err := d.Pool.QueryRow(t.Context(), `
		WITH s AS (INSERT INTO sources (kind, name, location) VALUES ('local', 'notes', '/notes') RETURNING id),
		doc AS (INSERT INTO documents (source_id, path, title, content, file_sha256, file_bytes, line_count, char_count)
			SELECT id, 'a.md', 'A', '', '', 0, 0, 0 FROM s RETURNING id),
		c AS (INSERT INTO chunks (document_id, position, start_line, end_line, content, terms, term_count)
			SELECT doc.id, n, 1, 1, '', '', 0 FROM doc, generate_series(1, $1) n RETURNING id)
		SELECT array_agg(id ORDER BY id) FROM c`, n).Scan(&ids)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestNearest(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	gen, err := d.EnsureGeneration(ctx, "m", 2)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := d.EnsureGeneration(ctx, "m", 2); err != nil || same != gen {
		t.Errorf("generation %d, %v; want %d again", same, err, gen)
	}
	id := chunks(t, d, 4)
	if err := d.PutVectors(ctx, gen, []db.ChunkVector{{id[0], []float32{1, 0}}, {id[1], []float32{0, 1e6}}, {id[2], []float32{-1, 0}}}); err != nil {
		t.Fatal(err)
	}
	if err := d.PutVectors(ctx, gen, []db.ChunkVector{{id[0], []float32{1, 1}}}); err != nil { // replaces
		t.Fatal(err)
	}
	near, err := d.Nearest(ctx, gen, []float32{0, 0.5}, 10)
	if err != nil {
		t.Fatal(err)
	}
	want := []db.Near{{id[1], 1}, {id[0], 0.7071}, {id[2], 0}}
	if len(near) != len(want) {
		t.Fatalf("%v, want %v", near, want)
	}
	for i := range want {
		if near[i].ChunkID != want[i].ChunkID || near[i].Cosine-want[i].Cosine > 1e-3 || want[i].Cosine-near[i].Cosine > 1e-3 {
			t.Errorf("place %d: %v, want %v", i+1, near[i], want[i])
		}
	}
	if missing, err := d.MissingVectors(ctx, gen, 0, 10); err != nil || !slices.Equal(missing, id[3:]) {
		t.Errorf("missing %v, %v; want %v", missing, err, id[3:])
	}
	for name, v := range map[string][]float32{"another length": {1, 2, 3}, "no direction": {0, 0}} {
		if err := d.PutVectors(ctx, gen, []db.ChunkVector{{id[3], v}}); err == nil {
			t.Errorf("%s was stored", name)
		}
	}
	if _, err := d.EnsureGeneration(ctx, "huge", db.MaxDimension+1); err == nil {
		t.Error("a dimension that no index holds was accepted")
	}
	if _, err := d.EnsureGeneration(ctx, "largest", db.MaxDimension); err != nil {
		t.Error(err)
	}
}

func TestActivateDropsOtherGenerations(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	old, err := d.EnsureGeneration(ctx, "old", 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Activate(ctx, old); err != nil {
		t.Fatal(err)
	}
	next, err := d.EnsureGeneration(ctx, "next", 3)
	if err != nil {
		t.Fatal(err)
	}
	if state, err := d.KBState(ctx); err != nil || *state.ActiveVectors != old {
		t.Errorf("%+v, %v: a generation is active before it is told so", state, err)
	}
	if err := d.Activate(ctx, next); err != nil {
		t.Fatal(err)
	}
	if state, err := d.KBState(ctx); err != nil || *state.ActiveVectors != next {
		t.Errorf("%+v, %v; want generation %d", state, err, next)
	}
	if _, err := d.Nearest(ctx, old, []float32{1, 0}, 1); err == nil {
		t.Error("the old generation's table is still there")
	}
	if err := d.Activate(ctx, 12345); err == nil {
		t.Error("a generation that doesn't exist was activated")
	}
	if _, err := d.Nearest(ctx, next, []float32{1, 0, 0}, 1); err != nil {
		t.Errorf("a refused activation dropped the active vectors: %v", err)
	}
}

// clustered makes vectors around some centres, as texts about some subjects have.
func clustered(r *rand.Rand, n, dim int) [][]float32 {
	centres := make([][]float32, 40)
	for i := range centres {
		centres[i] = make([]float32, dim)
		for j := range dim {
			centres[i][j] = float32(r.NormFloat64())
		}
	}
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = slices.Clone(centres[r.IntN(len(centres))])
		for j := range dim {
			vectors[i][j] += float32(r.NormFloat64())
		}
	}
	return vectors
}

// TestTheIndexFindsWhatAnExactScanFinds: recall of the first 100, after deletions too.
func TestTheIndexFindsWhatAnExactScanFinds(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	const n, dim, k = 2000, 64, 100
	r := rand.New(rand.NewPCG(1, 2))
	gen, err := d.EnsureGeneration(ctx, "m", dim)
	if err != nil {
		t.Fatal(err)
	}
	ids := chunks(t, d, n)
	rows := make([]db.ChunkVector, n)
	for i, v := range clustered(r, n, dim) {
		rows[i] = db.ChunkVector{ChunkID: ids[i], Vector: v}
	}
	if err := d.PutVectors(ctx, gen, rows); err != nil {
		t.Fatal(err)
	}
	questions := clustered(r, 20, dim)
	for i := range questions {
		questions[i] = rows[r.IntN(n)].Vector
	}
	search := func() [][]db.Near {
		found := make([][]db.Near, len(questions))
		for i, q := range questions {
			if found[i], err = d.Nearest(ctx, gen, q, k); err != nil {
				t.Fatal(err)
			}
			if len(found[i]) != k || !slices.IsSortedFunc(found[i], func(a, b db.Near) int { return int(1e9 * (b.Cosine - a.Cosine)) }) {
				t.Fatalf("%d found, sorted or not; want %d", len(found[i]), k)
			}
		}
		return found
	}
	exact := search()
	if err := db.EnsureVectorIndexFrom(d, ctx, gen, n); err != nil {
		t.Fatal(err)
	}
	var indexed bool
	if err := d.Pool.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", fmt.Sprintf("vectors_%d_hnsw", gen)).Scan(&indexed); err != nil || !indexed {
		t.Fatalf("no index, %v", err)
	}
	if _, err := d.Pool.Exec(ctx, "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	hits := 0
	for i, found := range search() {
		for _, f := range found {
			if slices.ContainsFunc(exact[i], func(e db.Near) bool { return e.ChunkID == f.ChunkID }) {
				hits++
			}
		}
	}
	if recall := float64(hits) / float64(len(questions)*k); recall < 0.98 {
		t.Errorf("recall@%d %.3f, want 0.98", k, recall)
	}
	// Half of the rows go: the index must still give k of those that are left.
	if _, err := d.Pool.Exec(ctx, "DELETE FROM chunks WHERE id % 2 = 0"); err != nil {
		t.Fatal(err)
	}
	search()
}

func TestErrorsOfVectorsSayWhatWasTried(t *testing.T) {
	d := testkit.DB(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, ensure := d.EnsureGeneration(ctx, "m", 2)
	_, nearest := d.Nearest(ctx, 1, []float32{1, 0}, 1)
	_, missing := d.MissingVectors(ctx, 1, 0, 1)
	_, direction := d.Nearest(t.Context(), 1, []float32{0, 0}, 1)
	for want, err := range map[string]error{
		"making the table for vectors of m":  ensure,
		"searching vectors":                  nearest,
		"looking for chunks without vectors": missing,
		"building the index over vectors":    d.EnsureVectorIndex(ctx, 1),
		"switching to the new vectors":       d.Activate(ctx, 1),
		"storing vectors":                    d.PutVectors(ctx, 1, nil),
		"which has no direction":             direction,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestASmallGenerationHasNoIndex(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	gen, err := d.EnsureGeneration(ctx, "m", 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.EnsureVectorIndex(ctx, gen); err != nil {
		t.Fatal(err)
	}
	var indexes int
	if err := d.Pool.QueryRow(ctx, "SELECT count(*) FROM pg_indexes WHERE tablename = $1", fmt.Sprintf("vectors_%d", gen)).Scan(&indexes); err != nil || indexes != 1 {
		t.Errorf("%d indexes, %v; want the primary key alone", indexes, err)
	}
}

// Every dimension up to the largest can be stored, indexed and searched; the refusal
// of any other says which setting to change.
func TestDimensions(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	const n = 60
	ids := chunks(t, d, n)
	r := rand.New(rand.NewPCG(3, 4))
	for _, dim := range []int{1, 64, 768, 2000, db.MaxDimension} {
		gen, err := d.EnsureGeneration(ctx, "m", dim)
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]db.ChunkVector, n)
		for i, v := range clustered(r, n, dim) {
			rows[i] = db.ChunkVector{ChunkID: ids[i], Vector: v}
		}
		if err := d.PutVectors(ctx, gen, rows); err != nil {
			t.Errorf("%d dimensions: %v", dim, err)
			continue
		}
		if err := db.EnsureVectorIndexFrom(d, ctx, gen, n); err != nil {
			t.Errorf("an index of %d dimensions: %v", dim, err)
		}
		if count, err := d.CountVectors(ctx, gen); err != nil || count != n {
			t.Errorf("%d dimensions: %d vectors, %v", dim, count, err)
		}
		near, err := d.Nearest(ctx, gen, rows[7].Vector, 5)
		if err != nil || len(near) != 5 || near[0].Cosine < 0.999 {
			t.Errorf("%d dimensions: %v, %v", dim, near, err)
		}
	}
	for _, dim := range []int{0, -1, db.MaxDimension + 1} {
		if _, err := d.EnsureGeneration(ctx, "m", dim); err == nil || !strings.Contains(err.Error(), "BOR_EMBEDDING_DIM") || !strings.Contains(err.Error(), "1 to 4000") {
			t.Errorf("%d dimensions: %v", dim, err)
		}
	}
	if _, err := d.CountVectors(ctx, 12345); err == nil {
		t.Error("vectors of a generation that doesn't exist were counted")
	}
}
