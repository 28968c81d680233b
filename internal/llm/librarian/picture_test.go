package librarian

import (
	"strings"
	"testing"

	"bor/internal/llm"
)

const rack = "<document source=\"homelab\" path=\"img/rack.png\" title=\"Plan of the [rack]\" kind=\"image\">\nThe rack in the cellar\nholds *two* switches.\n</document>"

// An image has no lines: it is shown by its tool, and named where that isn't offered.
func TestImages(t *testing.T) {
	request := llm.Request{
		Messages: []llm.Message{{Role: llm.System, Content: prompt(true, rack, whole("homelab/dns.md", "DNS"))}, {Role: llm.User, Content: "Show me the plan of the rack"}},
		Tools:    []llm.Tool{{Name: "read"}, {Name: "show_image"}},
	}
	ask := func() llm.Reply {
		t.Helper()
		reply, err := New().Stream(t.Context(), request, func(llm.Delta) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	reply := ask()
	if len(reply.ToolCalls) != 1 || reply.ToolCalls[0].Name != "show_image" || reply.ToolCalls[0].Arguments != `{"path":"homelab/img/rack.png"}` {
		t.Fatalf("%+v", reply)
	}
	request.Messages = append(request.Messages, llm.Message{Role: llm.Assistant, ToolCalls: reply.ToolCalls},
		llm.Message{Role: llm.ToolRole, ToolCallID: reply.ToolCalls[0].ID, Content: "The user sees the image."})
	want := "Here is **Plan of the \\[rack\\]**, `homelab/img/rack.png`; it stands below. The notes say of it:\n\n> The rack in the cellar\n>\n> holds \\*two\\* switches.\n"
	if reply := ask(); len(reply.ToolCalls) != 0 || reply.Text != want {
		t.Errorf("%q", reply.Text)
	}
	// Images off: only named, and never as a place of text.
	if got := answerTo(t, prompt(true, rack, whole("homelab/dns.md", "DNS")), "Show me the plan of the rack"); !strings.HasPrefix(got, "This image fits: ") || strings.Contains(got, "```bor") {
		t.Errorf("%q", got)
	}
	if got := answerTo(t, prompt(true, strings.Replace(rack, "The rack in the cellar\nholds *two* switches.", "", 1)), "rack"); got != "This image fits: **Plan of the \\[rack\\]**, `homelab/img/rack.png`.\n" {
		t.Errorf("%q", got)
	}
	if got := answerTo(t, prompt(true, rack, whole("homelab/dns.md", "DNS")), "Which port does DNS sit on?"); !strings.Contains(got, "```bor homelab/dns.md") || strings.Contains(got, "rack") {
		t.Errorf("%q", got)
	}
}
