package retrieval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bor/db"
	"bor/internal/testkit"
)

// chunksOf stores one document with a chunk for each text of a tsvector, whose
// lengths are given beside them. Chunk ids count from 1.
func chunksOf(t *testing.T, vectors []string, lengths []int) *db.DB {
	t.Helper()
	d := testkit.DB(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := d.Pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO sources (kind, name, location) VALUES ('local', 'notes', '/notes')")
	exec("INSERT INTO documents (source_id, path, title, content, file_sha256, file_bytes, line_count, char_count) VALUES (1, 'a.md', 'A', '', '', 0, 1, 1)")
	for i, v := range vectors {
		exec("INSERT INTO chunks (document_id, position, start_line, end_line, content, terms, term_count) VALUES (1, $1, 1, 1, '', $2::text::tsvector, $3)", i, v, lengths[i])
	}
	return d
}

// A tsvector's number of positions comes out of ts_rank exactly, up to the 255
// that PostgreSQL keeps.
func TestTermFrequenciesAreExact(t *testing.T) {
	t.Parallel()
	var vectors []string
	var lengths []int
	for n := 1; n <= 255; n++ {
		var positions []string
		for p := 1; p <= n; p++ {
			positions = append(positions, fmt.Sprint(p))
		}
		vectors, lengths = append(vectors, "other:1 x:"+strings.Join(positions, ",")), append(lengths, 1)
	}
	d := chunksOf(t, vectors, lengths)
	// With b = 0 and a huge k1 the score is the frequency itself.
	rows, err := d.LexicalCandidates(t.Context(), db.LexicalCandidatesParams{
		K1: 1e9, B: 0, AverageLength: 1, Literals: []string{"'x'", "'absent'"}, Weights: []float64{1, 1}, Searched: 1, ToScore: 300, HowMany: 300,
	})
	if err != nil || len(rows) != 255 {
		t.Fatal(len(rows), err)
	}
	for i, row := range rows {
		if want := float64(255 - i); math.Abs(row.Score-want) > 1e-3 || row.ID != int64(want) {
			t.Errorf("chunk %d: frequency %v", row.ID, row.Score)
		}
		if len(row.Matched) != 1 || row.Matched[0] != 1 {
			t.Errorf("chunk %d: matched %v", row.ID, row.Matched)
		}
	}
}

func TestBM25(t *testing.T) {
	t.Parallel()
	vectors := []string{"owl:1,4 ring:2", "owl:1", "ring:1,2,3 tide:9", "tide:1,2", "pasta:1"}
	lengths := []int{10, 40, 20, 5, 25} // 20 on average
	s := New(chunksOf(t, vectors, lengths), &topics{model: "topics"}, Options{})
	terms := []Term{{Text: "owl", Chunks: 2, Weight: 1.5, Searched: true}, {Text: "ring", Chunks: 2, Weight: 2, Searched: true}, {Text: "tide", Chunks: 2, Weight: 0.5}, {Text: "gone", Weight: 9}}
	found, err := s.lexicalSide(t.Context(), terms, db.SearchStateRow{ChunkCount: 5, TermCount: 100})
	if err != nil {
		t.Fatal(err)
	}
	// Robertson and Zaragoza 2009, 3.15, with a length of at least half the average.
	part := func(weight, frequency, length float64) float64 {
		return weight * frequency * (1.2 + 1) / (frequency + 1.2*(1-0.75+0.75*max(length/20, 0.5)))
	}
	for i, want := range []struct {
		chunk int64
		score float64
		terms string
	}{
		{1, part(1.5, 2, 10) + part(2, 1, 10), "owl ring"},
		{3, part(2, 3, 20) + part(0.5, 1, 20), "ring tide"},
		{2, part(1.5, 1, 40), "owl"}, // chunk 4 has only a term that brings no candidates
	} {
		if i >= len(found) {
			t.Fatalf("%d found", len(found))
		}
		var names []string
		for _, term := range found[i].terms {
			names = append(names, term.Text)
		}
		if got := found[i]; got.chunk != want.chunk || math.Abs(got.score-want.score) > 1e-6 || strings.Join(names, " ") != want.terms {
			t.Errorf("%d: chunk %d, %v, %v; want %+v", i, got.chunk, got.score, names, want)
		}
	}
	if len(found) != 3 {
		t.Errorf("%d found", len(found))
	}
}

// What holds the heaviest searched terms is scored, with it some equals, the
// shortest first.
func TestOnlyTheBestCandidatesAreScored(t *testing.T) {
	t.Parallel()
	vectors := []string{"a:1,2,3", "b:1,2,3"}
	lengths := []int{9, 9}
	for i := range 8 {
		vectors, lengths = append(vectors, "a:1 b:2"), append(lengths, 20-i)
	}
	d := chunksOf(t, vectors, lengths)
	for _, c := range []struct {
		score int32
		want  []int64
	}{
		{1, []int64{10, 9, 8, 7, 6}},
		{2, []int64{10, 9, 8, 7, 6, 5, 4, 3}},
		{9, []int64{10, 9, 8, 7, 6, 5, 4, 3, 1}}, // a weighs more than b
	} {
		rows, err := d.LexicalCandidates(t.Context(), db.LexicalCandidatesParams{
			K1: bm25K1, B: bm25B, AverageLength: 9, Literals: []string{"'a'", "'b'"}, Weights: []float64{2, 1}, Searched: 2, ToScore: c.score, HowMany: 20,
		})
		var got []int64
		for _, row := range rows {
			got = append(got, row.ID)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d to score: %v, %v", c.score, got, err)
		}
	}
}

func TestIDFFallsAndStaysPositive(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int64{0, 1, 10, 50, 99, 100} {
		weight := idf(n, 100)
		if weight <= 0 || weight >= last {
			t.Errorf("%d of 100: %v after %v", n, weight, last)
		}
		last = weight
	}
}
