package handlers

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/verbatim"
)

// stepper thinks, searches, and places a block.
type stepper struct{}

func (stepper) Answer(_ context.Context, _ chat.Job, sink chat.Sink) (chat.Outcome, error) {
	pattern := "dns"
	call := agent.ToolLine{Name: "grep", Argument: &pattern}
	found := call
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
	for _, path := range []string{"steps/0", "steps/7", "steps/x", "steps/-1", "blocks/1", "blocks/x", "blocks/99999999999999999999"} {
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
