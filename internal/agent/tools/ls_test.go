package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/kb"
)

func TestLsStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	var docs []kb.Document
	for i := range 150 {
		docs = append(docs, doc(fmt.Sprintf("s/folder%03d/x", i), ""), doc(fmt.Sprintf("s/file%03d", i), ""))
	}
	store, _ := newStore(t, docs...)
	got := call(t, list{store}, `{"path":"s"}`)
	lines := strings.Split(strings.TrimSuffix(got.Text, "\n"), "\n")
	if len(lines) != 201 || lines[200] != "100 more are not listed (150 folders, 150 documents in all). To narrow, list one of the folders, or grep for a word with the path s/." || got.Note != "150 folders, 150 documents" {
		t.Errorf("%d lines, the last %q; note %q", len(lines), lines[len(lines)-1], got.Note)
	}
	if lines[0] != "folder: s/folder000/ | documents: 1" || lines[199] != "source: s | path: file049 | title: About file049" {
		t.Errorf("from %q to %q", lines[0], lines[199])
	}
	var card agent.ListCard
	if err := json.Unmarshal(got.Card, &card); err != nil || card.Path != "s/" || len(card.Rows) != 200 || card.More != 100 {
		t.Errorf("card: %s with %d rows and %d more, %v", card.Path, len(card.Rows), card.More, err)
	}
	if got := call(t, list{store}, `{"path":" s/folder001/ "}`); got.Note != "1 document" || strings.Contains(got.Text, "more") {
		t.Errorf("%q: %s", got.Note, got.Text)
	}
}

func TestLsOfAnEmptySource(t *testing.T) {
	got := folderResult("s", "s", kb.Listing{})
	if got.Text != "Nothing is here.\n" || got.Note != "0 documents" {
		t.Errorf("%q, %q", got.Text, got.Note)
	}
}

func TestLsKeepsRowsOnOneLine(t *testing.T) {
	got := folderResult("s", "s", kb.Listing{Documents: []kb.Entry{{Path: "p", Title: "two\nlines\t| x"}}, DocumentCount: 1})
	if got.Text != "source: s | path: p | title: two lines | x\n" {
		t.Errorf("%q", got.Text)
	}
}
