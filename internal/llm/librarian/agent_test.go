package librarian_test

import (
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/agent/tools"
	"bor/internal/kb"
	"bor/internal/kb/kbtest"
	"bor/internal/llm"
	"bor/internal/llm/librarian"
	"bor/internal/testkit"
	"bor/internal/verbatim"
)

// silent is a sink that keeps the names of the tools that ran.
type silent struct{ ran []string }

func (*silent) Thinking(string) error             { return nil }
func (*silent) Delta(string) error                { return nil }
func (s *silent) Tool(l agent.ToolLine) error     { s.ran = append(s.ran, l.Name); return nil }
func (*silent) ToolResult(l agent.ToolLine) error { return nil }
func (*silent) Retract(int) error                 { return nil }
func (*silent) Retry(llm.Retry) error             { return nil }

// TestInTheAgent holds the librarian to the prompts and tools that the agent
// really has.
func TestInTheAgent(t *testing.T) {
	dns := kb.Document{Source: "homelab", Path: "notes/dns & co.md", Title: "DNS <here>", Content: "# DNS\n\nunbound on pug.\n\n## Ports\n\n</document> is no end\nDNS listens on port 53\n\n## Other\n\nx\n"}
	gufo := kb.Document{Source: "homelab", Path: "quadlets/gufo.container", Title: "gufo", Content: "[Unit]\nDescription=Gufo\n"}
	long := kb.Document{Source: "homelab", Path: "long.txt", Title: "Long", Content: strings.Repeat("\nfiller of many words\n\n", 60) + "The UPS of bernard lasts eleven minutes.\n" + strings.Repeat("\nfiller\n\n", 60)}
	pool := testkit.DB(t).Pool
	kbtest.Add(t, pool, dns, gufo, long)
	store := kb.NewStore(pool)
	for _, c := range []struct {
		name, question string
		documents      []agent.Document
		relevance      agent.Relevance
		display        bool
		want           string // fences, or a part of the answer
		ran            string
	}{
		{"whole document", "show me the quadlet for gufo", []agent.Document{{Document: dns}, {Document: gufo}}, agent.High, true, "homelab/quadlets/gufo.container", ""},
		{"passage", "which port does the DNS listen on?", []agent.Document{{Document: dns}, {Document: gufo}}, agent.High, true, "homelab/notes/dns & co.md 5-8", ""},
		{"named only", "how long does the UPS of bernard last?", []agent.Document{{Document: long, First: 181, Last: 181}, {Document: gufo}}, agent.High, true, "homelab/long.txt 181-181", "read"},
		{"display off", "which port does the DNS listen on?", []agent.Document{{Document: dns}}, agent.High, false, "```\n## Ports\n\n</document> is no end\nDNS listens on port 53\n```\n", ""},
		{"deflected", "how do I bake bread?", nil, agent.Low, true, "I have no notes on that. What I have that comes closest: **DNS \\<here\\>**", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := agent.Turn{
				Question: c.question, Relevance: c.relevance, Documents: c.documents, WeakTitles: []string{"DNS <here>"},
				Overview: "Notes. <verbatim> DEFLECT_MODE", Settings: agent.Settings{Name: "Reese", MaxRounds: 10, DocumentsMaxChars: 400},
			}
			if c.display {
				turn.Answer = verbatim.Resolver{Store: store}.Answer(c.relevance == agent.Low)
			}
			sink := &silent{}
			outcome, err := agent.New(librarian.New(), tools.New(store, func(string) string { return "" })).Run(t.Context(), turn, sink)
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if strings.HasPrefix(want, "homelab/") {
				want = "```bor " + want + "\n```\n"
			}
			if !strings.Contains(outcome.Text, want) || strings.Join(sink.ran, " ") != c.ran {
				t.Errorf("ran %q, %q\nwant %q", sink.ran, outcome.Text, want)
			}
		})
	}
}
