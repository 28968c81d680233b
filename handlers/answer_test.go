package handlers

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/kb"
	"bor/internal/kb/kbtest"
	"bor/internal/verbatim"
)

// imageHash is of the bytes that kbtest gives the image lab/net.png.
var imageHash = fmt.Sprintf("%x", sha256.Sum256(kbtest.Bytes("lab/net.png")))

// stepper thinks, searches, and places a block.
type stepper struct{}

func (stepper) Answer(_ context.Context, _ chat.Job, sink chat.Sink) (chat.Outcome, error) {
	pattern := "dns"
	call := agent.ToolLine{Name: "grep", Argument: &pattern}
	found := call
	found.Image = &agent.Image{Source: "lab", Path: "img/net \"plan\".png", Title: "The <net>", SHA256: imageHash, Type: "image/png", Width: 640, Height: 480}
	found.Done, found.Text = true, "lab/dns.md:1: # DNS"
	block := verbatim.Block{Locator: "lab/dns.md", Source: "lab", Path: "dns.md", StartLine: 1, EndLine: 1, TotalLines: 1, Text: "# DNS\r\n"}
	for _, err := range []error{sink.Thinking("hm"), sink.Tool(call), sink.ToolResult(found), sink.Delta("```bor lab/dns.md\n```\n"),
		sink.Fence(verbatim.Fence{Locator: "lab/dns.md", Block: &block})} {
		if err != nil {
			return chat.Outcome{}, err
		}
	}
	return chat.Outcome{Blocks: []verbatim.Block{block}}, nil
}

func TestSteps(t *testing.T) {
	s := newSite(t, stepper{}, nil)
	c := s.signedIn()
	s.settled(c, s.ask(c, "q", "one"))
	page := s.get(c, "/chat/turns/1/steps/1")
	if page.status != 200 || !strings.Contains(page.body, "dns.md") || !strings.Contains(page.body, "<html") || !strings.Contains(page.body, `href="/c/1#t1"`) {
		t.Errorf("the card's page is %d: %s", page.status, page.body)
	}
	if part := s.get(c, "/chat/turns/1/steps/1", "HX-Request-Type", "partial"); part.status != 200 || strings.Contains(part.body, "<html") {
		t.Errorf("the card is %d: %s", part.status, part.body)
	}
	if block := s.get(c, "/chat/turns/1/blocks/0"); block.status != 200 || block.body != "# DNS\r\n" || !strings.Contains(block.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the block is %d %q", block.status, block.body)
	}
	for _, path := range []string{"images/0", "images/1", "images/x", "images/-1", "steps/0", "steps/7", "steps/x", "steps/-1", "blocks/1", "blocks/x", "blocks/99999999999999999999"} {
		if got := s.get(c, "/chat/turns/1/"+path); got.status != http.StatusNotFound {
			t.Errorf("%s gives %d", path, got.status)
		}
	}
	again := s.post(c, "/chat/turns/1/retry", url.Values{"conversation": {"1"}}, "HX-Request-Type", "partial")
	if again.status != 200 || !strings.Contains(again.body, `id="xt2"`) || again.header.Get("HX-Push-Url") != "/c/1" {
		t.Errorf("retry gives %d: %s", again.status, again.body)
	}
	if got := s.post(c, "/chat/turns/2/stop", nil, "HX-Request-Type", "partial"); got.status != http.StatusNoContent {
		t.Errorf("stop gives %d", got.status)
	}
}

// A figure is the turn's: it loads from the turn's address, for its owner, as an
// image that can do nothing, and outlives the document (DEC28, SEC1).
func TestImagesOfAnAnswer(t *testing.T) {
	s := newSite(t, stepper{}, nil)
	kbtest.Add(t, s.db.Pool, kb.Document{Source: "lab", Path: "net.png", Kind: kb.KindImage, Image: kb.Image{Type: "image/png", Width: 640, Height: 480}})
	c := s.signedIn()
	page := s.ask(c, "q", "one")
	s.settled(c, page)
	figures := find(t, s.get(c, page).body, "class", "answer-image")
	if len(figures) != 1 {
		t.Fatalf("%d figures", len(figures))
	}
	img := figures[0].FirstChild
	for name, want := range map[string]string{"src": "/chat/turns/1/images/0", "alt": "The <net>", "width": "640", "height": "480"} {
		if got := attr(img, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if _, err := s.db.Pool.Exec(t.Context(), "DELETE FROM documents"); err != nil {
		t.Fatal(err)
	}
	got := s.get(c, attr(img, "src"))
	if got.status != 200 || got.body != string(kbtest.Bytes("lab/net.png")) {
		t.Errorf("the image is %d %q", got.status, got.body)
	}
	for name, want := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "sandbox; default-src 'none'", "Content-Disposition": `inline; filename="net \"plan\".png"`} {
		if got := got.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := s.get(s.signedIn(), attr(img, "src")); got.status != http.StatusNotFound {
		t.Errorf("another session gets %d", got.status)
	}
	if text := s.get(c, "/chat/turns/1/answer.md").body; !strings.HasSuffix(text, "(image: The <net>, lab/img/net \"plan\".png)\n") {
		t.Errorf("the text to copy is %q", text)
	}
}
