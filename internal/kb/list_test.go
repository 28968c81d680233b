package kb_test

import (
	"slices"
	"testing"

	"bor/internal/kb"
	"bor/internal/kb/kbtest"
	"bor/internal/testkit"
)

func TestATableOfDocuments(t *testing.T) {
	d := testkit.DB(t)
	for _, doc := range []kb.Document{
		{Source: "lab", Path: "a/ÄPFEL.md", Title: "Zeta", Content: "1\n2\n3\n"},
		{Source: "lab", Path: "b_1%.md", Title: "alpha", Content: "1\n"},
		{Source: "blog", Path: "c.md", Title: "Mid", Content: "1\n2\n"},
	} {
		kbtest.Add(t, d.Pool, doc)
	}
	s := kb.NewStore(d.Pool)
	for name, c := range map[string]struct {
		query kb.Query
		want  []string
		total int
	}{
		"all, by source":     {kb.Query{}, []string{"c.md", "a/ÄPFEL.md", "b_1%.md"}, 3},
		"the other way":      {kb.Query{Down: true}, []string{"a/ÄPFEL.md", "b_1%.md", "c.md"}, 3},
		"by path":            {kb.Query{Order: kb.ByPath}, []string{"a/ÄPFEL.md", "b_1%.md", "c.md"}, 3},
		"by title":           {kb.Query{Order: kb.ByTitle}, []string{"b_1%.md", "c.md", "a/ÄPFEL.md"}, 3},
		"by lines, down":     {kb.Query{Order: kb.ByLines, Down: true}, []string{"a/ÄPFEL.md", "c.md", "b_1%.md"}, 3},
		"of a source":        {kb.Query{Source: "lab"}, []string{"a/ÄPFEL.md", "b_1%.md"}, 2},
		"in any case":        {kb.Query{Text: "äpfel"}, []string{"a/ÄPFEL.md"}, 1},
		"in titles":          {kb.Query{Text: "ALPH"}, []string{"b_1%.md"}, 1},
		"no wildcards":       {kb.Query{Text: "%"}, []string{"b_1%.md"}, 1},
		"no single ones":     {kb.Query{Text: "_"}, []string{"b_1%.md"}, 1},
		"a page":             {kb.Query{Order: kb.ByPath, Skip: 1, Limit: 1}, []string{"b_1%.md"}, 3},
		"past the last page": {kb.Query{Skip: 9}, nil, 0},
		"bytes of no text":   {kb.Query{Text: "\xff\x00"}, nil, 0},
	} {
		if c.query.Limit == 0 {
			c.query.Limit = 10
		}
		rows, total, err := s.Documents(t.Context(), c.query)
		var got []string
		for _, r := range rows {
			got = append(got, r.Path)
			if r.Lines == 0 || r.Indexed.IsZero() || r.ID == 0 {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if err != nil || total != c.total || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q of %d, %v", name, got, total, err)
		}
	}
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Documents != 3 || !stats.LastImport.IsZero() {
		t.Errorf("%+v, %v", stats, err)
	}
	d.Close()
	if _, _, err := s.Documents(t.Context(), kb.Query{}); err == nil {
		t.Error("a database that is away has a table")
	}
	if _, err := s.Stats(t.Context()); err == nil {
		t.Error("a database that is away has numbers")
	}
}
