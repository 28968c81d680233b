package handlers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/net/html"

	"bor/internal/kb"
	"bor/internal/kb/kbtest"
)

// library serves documents to a signed-in client.
func library(t *testing.T, docs ...kb.Document) (*site, *http.Client) {
	s := newSite(t, answerer{"text"}, nil)
	kbtest.Add(t, s.db.Pool, docs...)
	return s, s.signedIn()
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// hits are the numbers of the marked lines.
func hits(t *testing.T, page string) (numbers []string) {
	for _, n := range find(t, page, "class", "hit") {
		numbers = append(numbers, attr(n, "data-n"))
	}
	return numbers
}

const awkward = "a\r\nb\t\u00e4 \u202e\n<script>alert(1)</script> & `x`\n"

func TestRawIsTheDocumentsBytes(t *testing.T) {
	s, c := library(t, kb.Document{Source: "lab", Path: "odd \"name\"/größe & more.txt", Content: awkward})
	q := url.Values{"source": {"lab"}, "path": {"odd \"name\"/größe & more.txt"}}.Encode()
	got := s.get(c, "/document/raw?"+q)
	if got.status != 200 || got.body != awkward || got.header.Get("Content-Type") != "text/plain; charset=utf-8" ||
		got.header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || got.header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.HasPrefix(got.header.Get("Content-Disposition"), "inline; filename*=utf-8''gr%C3%B6%C3%9Fe") {
		t.Errorf("%d %q, %v", got.status, got.body, got.header)
	}
	if got := s.get(c, "/document/raw?source=lab&path=gone"); got.status != http.StatusNotFound || !strings.Contains(got.body, "not in the knowledge base") {
		t.Errorf("one that isn't there gives %d", got.status)
	}
}

func TestDocumentPages(t *testing.T) {
	var long strings.Builder
	for n := range 4500 {
		fmt.Fprintf(&long, "line %d\n", n+1)
	}
	s, c := library(t, kb.Document{Source: "lab", Path: "long.conf", Content: long.String(), Title: "A <b>long</b> one"}, kb.Document{Source: "lab", Path: "empty.txt"})
	for query, want := range map[string]struct{ first, last, previous, next, hits string }{
		"":                    {"1", "2000", "", "2", ""},
		"&page=2":             {"2001", "4000", "1", "3", ""},
		"&page=3":             {"4001", "4500", "2", "", ""},
		"&lines=2100-2101":    {"2001", "4000", "1", "3", "2100 2101"},
		"&lines=4500":         {"4001", "4500", "2", "", "4500"},
		"&lines=4499-9999":    {"4001", "4500", "2", "", "4499 4500"},
		"&lines=3-3&page=3":   {"1", "2000", "", "2", "3"},
		"&page=4":             {"1", "2000", "", "2", ""},
		"&page=x&lines=9-3":   {"1", "2000", "", "2", ""},
		"&lines=9999-10000":   {"1", "2000", "", "2", ""},
		"&lines=-1":           {"1", "2000", "", "2", ""},
		"&lines=1-%00%ff&x=y": {"1", "2000", "", "2", ""},
	} {
		body := s.get(c, "/document?source=lab&path=long.conf"+query).body
		lines := find(t, body, "class", "line")
		if len(lines) == 0 || attr(lines[0], "data-n") != want.first || attr(lines[len(lines)-1], "data-n") != want.last {
			t.Errorf("%q shows %d lines", query, len(lines))
		}
		if got := strings.Join(hits(t, body), " "); got != want.hits {
			t.Errorf("%q marks %q", query, got)
		}
		for rel, page := range map[string]string{"prev": want.previous, "next": want.next} {
			links := find(t, body, "rel", rel)
			if (page == "") != (len(links) == 0) || page != "" && attr(links[0], "href") != "/document?page="+page+"&path=long.conf&source=lab" {
				t.Errorf("%q: %s leads to %v", query, rel, links)
			}
		}
	}
	if body := s.get(c, "/document?source=lab&path=empty.txt").body; !strings.Contains(body, "This document is empty.") {
		t.Errorf("the empty one is %s", body)
	}
	if body := s.get(c, "/document?source=lab&path=long.conf").body; strings.Contains(body, "<b>long") || !strings.Contains(body, "<title>A &lt;b&gt;long") {
		t.Error("the title isn't escaped")
	}
}

func TestMarkdownIsRenderedUnlessLinesAreAsked(t *testing.T) {
	text := "# Notes\n\nSee [dns](../dns.md#Which-port), [conf](etc/a b.conf#L3), [up](../../x.md), [out](https://example.org/), [in](#notes), [script](java&#115;cript:alert(1)).\n"
	date := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, c := library(t, kb.Document{Source: "lab", Path: "notes/a.md", Content: text, Title: "Notes", Date: date, Revision: "abc123", Encoding: "utf-16le", Summary: "What <i>it</i> says."})
	page := s.get(c, "/document?source=lab&path=notes/a.md")
	links := map[string]string{}
	for _, n := range find(t, page.body, "class", "doc-rendered") {
		for d := range n.Descendants() {
			if d.Data == "a" && d.FirstChild != nil {
				links[d.FirstChild.Data] = attr(d, "href")
			}
		}
	}
	for text, want := range map[string]string{
		"dns": "/document?path=dns.md&source=lab#d-which-port", "in": "#d-notes", "out": "https://example.org/",
	} {
		if links[text] != want {
			t.Errorf("%s leads to %q, not %q", text, links[text], want)
		}
	}
	for _, refused := range []string{"up", "script"} {
		if to, is := links[refused]; is {
			t.Errorf("%s leads to %q", refused, to)
		}
	}
	for _, part := range []string{"abc123", "2026-03-01 12:00 UTC", "decoded from UTF-16LE", "What &lt;i&gt;it&lt;/i&gt; says."} {
		if !strings.Contains(page.body, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	for _, query := range []string{"&lines=3", "&view=lines", "&page=1"} {
		if body := s.get(c, "/document?source=lab&path=notes/a.md"+query).body; len(find(t, body, "class", "doc-rendered")) != 0 || len(find(t, body, "class", "line")) != 3 {
			t.Errorf("%s doesn't show lines", query)
		}
	}
}

func TestOriginLinksLeadToTheIndexedLines(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	s, c := library(t, kb.Document{Source: "notes", Path: "a.md", Content: "# A\n\nb\n", Revision: commit, Remote: "https://github.com/o/notes.git"},
		kb.Document{Source: "lab", Path: "a.conf", Content: "x"})
	for query, want := range map[string]string{
		"source=notes&path=a.md":           "https://github.com/o/notes/blob/" + commit + "/a.md",
		"source=notes&path=a.md&lines=2-3": "https://github.com/o/notes/blob/" + commit + "/a.md?plain=1#L2-L3",
		"source=lab&path=a.conf":           "",
	} {
		body := s.get(c, "/document?"+query).body
		links := find(t, body, "rel", "noopener noreferrer nofollow")
		if (want == "") != (len(links) == 0) || want != "" && (attr(links[0], "href") != want || attr(links[0], "title") == "") {
			t.Errorf("%s leads to %v", query, links)
		}
		if want != "" && (!strings.Contains(body, "View on GitHub") || !strings.Contains(body, "Commit date")) {
			t.Errorf("%s is %s", query, body)
		}
	}
}

func TestADocumentThatIsGoneSaysSo(t *testing.T) {
	s, c := library(t)
	for _, query := range []string{"source=lab&path=<i>x", "source=%00&path=%ff", ""} {
		for _, headers := range [][]string{{}, {"HX-Request-Type", "partial"}} {
			got := s.get(c, "/document?"+query, headers...)
			if got.status != http.StatusNotFound || !strings.Contains(got.body, "no longer exists") || strings.Contains(got.body, "<i>x") ||
				strings.Contains(got.body, "<html") == (len(headers) > 0) {
				t.Errorf("%q %v gives %d: %s", query, headers, got.status, got.body)
			}
		}
	}
	s.db.Pool.Close()
	if got := s.get(c, "/document?source=a&path=b"); got.status != http.StatusServiceUnavailable {
		t.Errorf("without a database it gives %d", got.status)
	}
}

func TestImageDocuments(t *testing.T) {
	image := kb.Image{Type: "image/webp", Width: 30, Height: 20}
	s, c := library(t, kb.Document{Source: "lab", Path: "img/a b.webp", Kind: kb.KindImage, Title: "The <plan>", Summary: "What is said", Image: image},
		kb.Document{Source: "lab", Path: "img/odd.png", Kind: kb.KindImage},
		kb.Document{Source: "lab", Path: "docs/net.md", Content: "![the plan](../img/a%20b.webp) ![gone](../img/gone.png) ![odd](../img/odd.png) ![out](https://example.org/x.png) ![text](net.md)\n"})
	const raw = "/document/raw?path=img%2Fa+b.webp&source=lab"
	page := s.get(c, "/document?source=lab&path=img/a%20b.webp")
	figures := find(t, page.body, "class", "answer-image")
	if page.status != 200 || len(figures) != 1 || !strings.Contains(page.body, "30 × 20 pixels") || !strings.Contains(page.body, "What is said") || strings.Contains(page.body, "doc-copy") {
		t.Fatalf("%d with %d figures: %s", page.status, len(figures), page.body)
	}
	for n := range figures[0].Descendants() {
		if n.Data == "img" && (attr(n, "src") != raw || attr(n, "alt") != "The <plan>" || attr(n, "width") != "30" || attr(n, "height") != "20") {
			t.Errorf("the image is %v", n.Attr)
		}
	}
	if got := s.get(c, raw); got.status != 200 || got.body != string(kbtest.Bytes("lab/img/a b.webp")) || got.header.Get("Content-Type") != "image/webp" {
		t.Errorf("raw is %d %q", got.status, got.body)
	}
	if got := s.get(c, "/document?source=lab&path=img/odd.png"); got.status != 200 || !strings.Contains(got.body, "hasn’t been read yet") {
		t.Errorf("an image without bytes is %d", got.status)
	}
	if got := s.get(c, "/document/raw?source=lab&path=img/odd.png"); got.status != http.StatusNotFound {
		t.Errorf("raw without bytes is %d", got.status)
	}
	// In a Markdown document: images that are indexed, while the setting is on.
	shown := func(s *site, c *http.Client) (sources []string) {
		for _, n := range find(t, s.get(c, "/document?source=lab&path=docs/net.md").body, "class", "doc-rendered") {
			for d := range n.Descendants() {
				if d.Data == "img" {
					sources = append(sources, attr(d, "src"))
				}
			}
		}
		return sources
	}
	if got := shown(s, c); !slices.Equal(got, []string{raw}) {
		t.Errorf("images on: %q", got)
	}
	if (&Server{}).imagesOf(t.Context(), kb.Document{}) != nil {
		t.Error("images off: some are resolved")
	}
}

func TestServeImageKnowsItsTypes(t *testing.T) {
	for _, mediaType := range []string{"image/svg+xml", "text/html", ""} {
		recorder := httptest.NewRecorder()
		if err := serveImage(echo.New().NewContext(httptest.NewRequest("GET", "/", nil), recorder), "x.svg", mediaType, []byte("<svg>")); err != nil {
			t.Fatal(err)
		}
		if got := recorder.Header().Get("Content-Type"); got != "application/octet-stream" {
			t.Errorf("%q goes as %q", mediaType, got)
		}
	}
}
