package chat

import (
	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/llm"
	"bor/internal/verbatim"
)

// Sink is what a turn's work reports to: the agent's events, and what each
// fence of the answer became. A retraction tells how many fences are left.
type Sink interface {
	Thinking(text string) error
	Delta(text string) error
	Retract(chars, fences int) error
	Tool(agent.ToolLine) error
	ToolResult(agent.ToolLine) error
	Retry(llm.Retry) error
	Fence(verbatim.Fence) error
}

// teller is a Sink that makes events of what it hears, without a number yet and
// fit to be stored.
type teller struct{ tell func(Event) error }

func (t teller) Thinking(text string) error { return t.text(KindThinking, text) }
func (t teller) Delta(text string) error    { return t.text(KindDelta, text) }

func (t teller) text(kind Kind, text string) error {
	if text == "" {
		return nil
	}
	return t.tell(Event{Kind: kind, Text: kb.Storable(text)})
}

func (t teller) Retract(chars, fences int) error {
	return t.tell(Event{Kind: KindRetract, Retract: &Retraction{chars, fences}})
}

func (t teller) Tool(l agent.ToolLine) error       { return t.tool(KindTool, l) }
func (t teller) ToolResult(l agent.ToolLine) error { return t.tool(KindToolResult, l) }

func (t teller) tool(kind Kind, l agent.ToolLine) error {
	if l.Argument != nil {
		arg := kb.Storable(*l.Argument)
		l.Argument = &arg
	}
	l.Text = kb.Storable(l.Text)
	return t.tell(Event{Kind: kind, Tool: &l})
}

func (t teller) Retry(r llm.Retry) error {
	return t.tell(Event{Kind: KindRetry, Retry: &Retry{Attempt: r.Attempt, Max: r.Max, Cause: r.Cause}})
}

func (t teller) Fence(f verbatim.Fence) error { return t.tell(Event{Kind: KindFence, Fence: &f}) }
