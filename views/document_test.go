package views

import (
	"strings"
	"testing"
)

func testDocument() Document {
	return Document{Source: "homelab", Path: "notes/ports.md", Title: "Ports", Lines: linesOf("a\nb\nc\n"), First: 12, Last: 14, Total: 5000,
		PreviousURL: "/document?p=1", NextURL: "/document?p=3", RawURL: "/document/raw?x", RenderedURL: "/document?r", Summary: "Which port is what.",
		Origin: &Link{Text: "On the forge", URL: "https://example.org/x"}, Meta: []Fact{{Name: "Source", Value: "homelab"}, {Name: "Revision", Value: "e41b", Mono: true}}}
}

func TestCodeView(t *testing.T) {
	d := testDocument()
	d.Lines[1].Hit = true
	root := dom(t, DocumentViewer(DocumentPage{Shell: testShell(), Document: d}))
	for id, class := range map[string]string{"L12": "line", "L13": "line hit", "L14": "line"} {
		if n := byID(t, root, id); attr(n, "class") != class || attr(n, "data-n") != id[1:] {
			t.Errorf("%s: %v", id, n.Attr)
		}
	}
	got := words(byTag(root, "article")[0])
	for _, want := range []string{"Ports", "homelab/notes/ports.md · lines 12–14 of 5000", "Rendered", "Copy", "Raw", "On the forge", "Which port is what.", "Source homelab", "Revision e41b", "← Lines before", "Lines after →"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if copies := byClass(root, "doc-copy"); len(copies) != 1 || attr(copies[0], "data-copy") != d.RawURL {
		t.Error("Copy doesn't fetch the exact bytes")
	}
	if n := len(byClass(root, "pager")); n != 2 {
		t.Errorf("%d pagers", n)
	}
	d.PreviousURL, d.NextURL, d.First, d.Last, d.Total = "", "", 1, 1, 1
	d.Title = ""
	root = dom(t, DocumentContent(d))
	if len(byClass(root, "pager")) != 0 || !strings.Contains(words(root), "homelab/notes/ports.md · 1 line") || words(byTag(root, "h1")[0]) != "notes/ports.md" {
		t.Error("a short document pages, or counts wrong")
	}
}

func TestOtherDocuments(t *testing.T) {
	d := testDocument()
	d.Rendered = "<h2>Ports</h2>"
	root := dom(t, DocumentContent(d))
	if len(byClass(root, "doc-rendered")) != 1 || len(byTag(root, "h2")) != 1 || len(byClass(root, "doc-code")) != 0 {
		t.Error("rendered view")
	}
	root = dom(t, DocumentContent(Document{Source: "s", Path: "empty.txt"}))
	if got := words(root); !strings.Contains(got, "empty document") || !strings.Contains(got, "This document is empty.") {
		t.Errorf("empty: %q", got)
	}
	root = dom(t, DocumentContent(Document{Source: "s", Path: "gone.md", Gone: true}))
	if got := words(root); !strings.Contains(got, "This document isn’t there") || !strings.Contains(got, "s/gone.md no longer exists") || len(byTag(root, "button")) != 0 {
		t.Errorf("gone: %q", got)
	}
	if got := words(dom(t, DocumentContent(Document{Source: "s", Path: "a.png", Image: &Figure{Width: 3, Height: 2}}))); !strings.Contains(got, "3 × 2 pixels") || !strings.Contains(got, "This is an image whose file") {
		t.Errorf("image: %q", got)
	}
}

func TestCards(t *testing.T) {
	for name, c := range map[string]struct {
		card Card
		want string
	}{
		"read":    {Card{Read: &ReadCard{Identity: "a/b", Range: "lines 12–13 of 20", Lines: linesOf("x\ny\n"), Truncated: "(cut)", OpenURL: "/document?x"}}, "a/b · lines 12–13 of 20 (cut) Open x y"},
		"window":  {Card{Read: &ReadCard{Identity: "a/b", Range: "from line 9"}}, "a/b · from line 9 Open No lines in this window."},
		"grep":    {Card{Grep: &GrepCard{Pattern: "gu", Count: "1 of 1", Matches: []GrepMatch{{Identity: "a/b", Number: 3, Text: "gufo", URL: "/document?x#L3"}}}}, "“gu” · 1 of 1 a/b:3 gufo"},
		"list":    {Card{List: &ListCard{Path: "a", Rows: []ListRow{{Path: "a/n/", Count: 2}, {Path: "a/b", Title: "B", URL: "/document?x"}, {Path: "a/1/", Count: 1}}, More: 4}}, "a a/n/ · 2 documents a/b B a/1/ · 1 document and 4 more"},
		"show":    {Card{Show: &ShowCard{Locator: "a/b#1-2", URL: "#t1-f0"}}, "The exact text of a/b#1-2 stands in the answer. Go there"},
		"nothing": {Card{}, "The call brought nothing to show."},
		"generic": {Card{Text: "whatever\n<it> was"}, "whatever <it> was"},
	} {
		root := dom(t, StepCard(c.card))
		if got := words(root); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	page := dom(t, StepPage(CardPage{Shell: testShell(), Card: Card{Title: "Read a/b", Text: "x"}, Back: "/c/7#t1"}))
	if words(byTag(page, "h1")[0]) != "Read a/b" || !strings.Contains(words(page), "Back to the chat") {
		t.Error("a card's page")
	}
}
