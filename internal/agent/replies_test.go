package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"bor/internal/agent"
	"bor/internal/llm"
	"bor/internal/testkit"
)

// anything is a tool that takes any arguments that are an object.
type anything string

func (a anything) Spec() llm.Tool {
	return llm.Tool{Name: string(a), Parameters: json.RawMessage("{}")}
}

func (a anything) Prepare(_ context.Context, arguments string) (agent.Call, error) {
	var object map[string]any
	if err := json.Unmarshal([]byte(arguments), &object); err != nil {
		return agent.Call{}, agent.Refusal("not an object")
	}
	return agent.Call{Run: func(context.Context) (agent.Result, error) {
		return agent.Result{Text: "ran " + string(a), Card: json.RawMessage("{}")}, nil
	}}, nil
}

// Whatever a server sends, a turn ends: with the reply's text and thinking and
// its first call run, or with an endpoint's error that says something to people.
func TestTurnsOnRepliesOfServers(t *testing.T) {
	var answer testkit.WireReply
	cases := testkit.WireCases(t, "../llm/testdata/replies")
	for _, c := range cases {
		if c.Name == "usage-with-choices" {
			answer = c.Replies[0]
		}
	}
	for _, c := range cases {
		if c.Want["wait"] != nil || c.Want["patience"] != nil || c.Want["requests"] != nil && len(c.Replies) == 1 {
			continue // they are about time
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			w := testkit.NewWire(t)
			w.Queue(c.Replies...)
			if calls := c.Want["call"]; calls != nil {
				w.Queue(answer)
			}
			client := llm.NewClient(llm.Config{BaseURL: w.URL, ChatModel: "turbo", MaxTokens: 1000, Retries: 3, RetryDelay: time.Millisecond, StreamThinking: true})
			tools := func(agent.Turn) []agent.Tool { return []agent.Tool{anything("read"), anything("grep"), anything("ls")} }
			out := &transcript{}
			outcome, err := agent.New(client, tools).Run(t.Context(), question(3), out)
			if outcome.Text != out.text || outcome.Thinking != out.thinking {
				t.Errorf("the sink heard %q and %q, the outcome says %q and %q", out.text, out.thinking, outcome.Text, outcome.Thinking)
			}
			if text := c.Want["text"]; text != nil && !strings.HasPrefix(outcome.Text, strings.TrimLeft(text[0], "\n")) {
				t.Errorf("text %q", outcome.Text)
			}
			if thinking := c.Want["thinking"]; thinking != nil && !strings.HasPrefix(outcome.Thinking, thinking[0]) {
				t.Errorf("thinking %q", outcome.Thinking)
			}
			var fault *llm.Error
			switch empty := c.Want["text"] != nil && c.Want["text"][0] == ""; {
			case c.Want["public"] != nil || empty:
				if !errors.As(err, &fault) || fault.Public == "" || outcome.ToolCalls != 0 {
					t.Errorf("%d calls, %v", outcome.ToolCalls, err)
				}
			case c.Want["call"] != nil:
				ran := 1
				if c.Name == "call-name-missing-empty" {
					ran = 0
				}
				if err != nil || outcome.ToolCalls != ran || !strings.HasSuffix(outcome.Text, "Port 53") || outcome.Usage.Prompt < 7 || outcome.Usage.Completion < 3 {
					t.Errorf("%+v, %v", outcome, err)
				}
			case err != nil || outcome.ToolCalls != 0:
				t.Errorf("%+v, %v", outcome, err)
			}
		})
	}
}
