package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/llm"
)

// bell is a tool that rings, or fails as it is told.
type bell struct{ prepare, run error }

func (bell) Spec() llm.Tool { return llm.Tool{Name: "ring", Parameters: json.RawMessage("{}")} }

func (b bell) Prepare(context.Context, string) (agent.Call, error) {
	return agent.Call{Run: func(context.Context) (agent.Result, error) {
		return agent.Result{Text: "ding", Card: json.RawMessage("{}")}, b.run
	}}, b.prepare
}

func ring(b bell) agent.Toolset { return func(agent.Turn) []agent.Tool { return []agent.Tool{b} } }

// deaf is a sink that fails at the n-th event.
type deaf struct {
	transcript
	left int
}

var errDeaf = errors.New("nobody listens")

func (d *deaf) hear() error {
	if d.left--; d.left < 0 {
		return errDeaf
	}
	return nil
}

func (d *deaf) Thinking(string) error           { return d.hear() }
func (d *deaf) Delta(string) error              { return d.hear() }
func (d *deaf) Retract(int) error               { return d.hear() }
func (d *deaf) Tool(agent.ToolLine) error       { return d.hear() }
func (d *deaf) ToolResult(agent.ToolLine) error { return d.hear() }
func (d *deaf) Retry(llm.Retry) error           { return d.hear() }

func question(rounds int) agent.Turn {
	return agent.Turn{Question: "?", Relevance: agent.High, Settings: agent.Settings{MaxRounds: rounds, MaxTokens: 77}}
}

func TestSinkThatFailsEndsTheRun(t *testing.T) {
	steps := []string{"retry: away\nthink: hm\nsay: first\nretract: why\nsay: First\ncall: ring {}\n", "say: second\n"}
	for n := range 10 {
		sink := &deaf{left: n}
		model := &script{steps: steps, out: &transcript{}}
		_, err := agent.New(model, ring(bell{})).Run(t.Context(), question(3), sink)
		if n < 9 && !errors.Is(err, errDeaf) || n == 9 && err != nil {
			t.Errorf("after %d events: %v", n, err)
		}
		if n < 9 && sink.left != -1 {
			t.Errorf("after %d events the sink was called %d times more", n, -sink.left-1)
		}
	}
}

func TestToolFailureEndsTheRunWithWhatThereWas(t *testing.T) {
	lost := errors.New("connection lost")
	for name, b := range map[string]bell{"prepare": {prepare: lost}, "run": {run: lost}} {
		model := &script{steps: []string{"say: Let me see.\ncall: ring {}\n"}, out: &transcript{}}
		outcome, err := agent.New(model, ring(b)).Run(t.Context(), question(3), &transcript{})
		if !errors.Is(err, lost) || outcome.Text != "Let me see." || outcome.ToolCalls != 0 {
			t.Errorf("%s: %+v, %v", name, outcome, err)
		}
	}
}

func TestEndedContextReachesTheModel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := agent.New(obedient{}, ring(bell{})).Run(ctx, question(3), &transcript{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

type obedient struct{}

func (obedient) Stream(ctx context.Context, _ llm.Request, _ func(llm.Delta) error) (llm.Reply, error) {
	return llm.Reply{}, ctx.Err()
}

// recorder is a model that keeps what it was asked, and answers.
type recorder struct{ requests []llm.Request }

func (r *recorder) Stream(_ context.Context, req llm.Request, emit func(llm.Delta) error) (llm.Reply, error) {
	r.requests = append(r.requests, req)
	return llm.Reply{Text: "yes"}, emit(llm.Delta{Text: "yes"})
}

func TestRequestCarriesTheTurn(t *testing.T) {
	turn := question(1)
	turn.History = []llm.Message{{Role: llm.User, Content: "before"}, {Role: llm.Assistant, Content: "so", Reasoning: "because"}}
	model := &recorder{}
	if _, err := agent.New(model, ring(bell{})).Run(t.Context(), turn, &transcript{}); err != nil {
		t.Fatal(err)
	}
	req := model.requests[0]
	if req.MaxTokens != 77 || len(req.Tools) != 1 || len(req.Messages) != 4 {
		t.Fatalf("%+v", req)
	}
	want := append(slices.Clone(turn.History), llm.Message{Role: llm.User, Content: "?"})
	for i, m := range req.Messages[1:] {
		if m.Role != want[i].Role || m.Content != want[i].Content || m.Reasoning != want[i].Reasoning {
			t.Errorf("message %d is %+v, want %+v", i+1, m, want[i])
		}
	}
	if req.Messages[0].Role != llm.System || !strings.Contains(req.Messages[0].Content, "<tools>") {
		t.Errorf("system prompt: %+v", req.Messages[0])
	}
}

// Tools get the documents that stand whole in the prompt, not those that are
// only named; an answer cites both.
func TestToolsKnowWhatThePromptHolds(t *testing.T) {
	turn := question(1)
	turn.Settings.DocumentsMaxChars = 5
	turn.Documents = []agent.Document{
		{Document: kb.Document{Source: "s", Path: "long", Content: "123456"}, First: 1, Last: 1},
		{Document: kb.Document{Source: "s", Path: "short", Content: "1"}},
		{Document: kb.Document{Source: "s", Path: "short", Content: "1"}},
	}
	var whole []string
	tools := func(t agent.Turn) []agent.Tool {
		for _, d := range t.Documents {
			whole = append(whole, d.Identity())
		}
		return nil
	}
	outcome, err := agent.New(&recorder{}, tools).Run(t.Context(), turn, &transcript{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(whole, []string{"s/short", "s/short"}) {
		t.Errorf("whole in the prompt: %v", whole)
	}
	if want := []agent.Source{{Source: "s", Path: "long", StartLine: 1, EndLine: 1}, {Source: "s", Path: "short"}}; !slices.Equal(outcome.Sources, want) {
		t.Errorf("sources %+v, want %+v", outcome.Sources, want)
	}
}

// sloppy is a model whose replies hold markup and end in different ways.
type sloppy struct{ replies []llm.Reply }

func (s *sloppy) Stream(_ context.Context, _ llm.Request, emit func(llm.Delta) error) (llm.Reply, error) {
	reply := s.replies[0]
	s.replies = s.replies[1:]
	return reply, emit(llm.Delta{Text: reply.Text})
}

func TestOutcomeTellsHowRepliesWere(t *testing.T) {
	ring1 := []llm.ToolCall{{ID: "1", Name: "ring", Arguments: "{}"}}
	model := &sloppy{[]llm.Reply{{ToolCalls: ring1, Finish: "tool_calls", Stripped: 2}, {Text: "yes", Finish: "length", Stripped: 1}}}
	outcome, err := agent.New(model, ring(bell{})).Run(t.Context(), question(3), &transcript{})
	if err != nil || outcome.Stripped != 3 || outcome.Finish != "length" {
		t.Errorf("%+v, %v", outcome, err)
	}
}
