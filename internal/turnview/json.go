package turnview

import (
	"encoding/json"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/verbatim"
)

// JSON is an event as clients of the JSON API get it: the event's name and its
// data (AD3). ok is false for an event that they have no use for: a fence, whose
// block comes with done, and the result of a call that wasn't cut.
func JSON(e chat.Event) (name string, data any, ok bool) {
	switch e.Kind {
	case chat.KindThinking, chat.KindDelta:
		return string(e.Kind), textEvent{e.Text}, true
	case chat.KindTool:
		return string(e.Kind), toolEvent{e.Tool.Name, e.Tool.Argument}, true
	case chat.KindToolResult:
		return string(e.Kind), toolResultEvent{toolEvent{e.Tool.Name, e.Tool.Argument}, true, e.Tool.CharsShown, e.Tool.CharsTotal},
			e.Tool.Truncated
	case chat.KindRetract:
		return string(e.Kind), retractEvent{e.Retract.Chars}, true
	case chat.KindRetry:
		return string(e.Kind), retryEvent{e.Retry.Attempt, e.Retry.Max}, true
	case chat.KindDone:
		if e.Record.State != chat.Done { // a turn of a connection's own has nobody else who could go on
			return string(chat.KindError), ErrorEvent{endedEarly}, true
		}
		return string(e.Kind), doneOf(*e.Record), true
	case chat.KindError:
		return string(e.Kind), ErrorEvent{e.Record.Error}, true
	}
	return "", nil, false
}

const endedEarly = "The server ended the answer before it was complete, because it is shutting down. Ask again in a moment."

type textEvent struct {
	Text string `json:"text"`
}

type retractEvent struct {
	Chars int `json:"chars"` // at the end of the answer so far
}

type toolEvent struct {
	Name     string  `json:"name"`
	Argument *string `json:"argument"` // null: none was passed
}

type toolResultEvent struct {
	toolEvent
	Truncated  bool `json:"truncated"`
	CharsShown int  `json:"chars_shown"`
	CharsTotal int  `json:"chars_total"`
}

type retryEvent struct {
	Attempt int `json:"attempt"`
	Max     int `json:"max_attempts"`
}

// ErrorEvent is what ends a stream that failed, and the body of a refused request.
type ErrorEvent struct {
	Detail string `json:"detail"`
}

// doneEvent ends a stream. Its first three keys are always there; the others only
// when they hold something.
type doneEvent struct {
	Deflected   bool              `json:"deflected"`
	Sources     []chat.Source     `json:"sources"`
	Suggestions []string          `json:"suggestions"`
	AnswerText  []verbatim.Block  `json:"answer_text,omitempty"`
	AnswerImage []agent.Image     `json:"answer_image,omitempty"`
	Cards       []json.RawMessage `json:"cards,omitempty"`
	Incomplete  chat.Incomplete   `json:"incomplete,omitempty"`
}

func doneOf(r chat.Record) doneEvent {
	d := doneEvent{Deflected: r.Deflected, Sources: r.Sources, Suggestions: r.Suggestions, AnswerText: r.AnswerText, AnswerImage: r.AnswerImage, Incomplete: r.Incomplete}
	if d.Sources == nil {
		d.Sources = []chat.Source{}
	}
	if d.Suggestions == nil {
		d.Suggestions = []string{}
	}
	for _, step := range r.Trace {
		if step.Tool == nil {
			continue
		}
		if card, ok := wireCard(step.Tool.Name, step.Tool.Card); ok {
			d.Cards = append(d.Cards, card)
		}
	}
	return d
}

// wireCard is a tool result's structure with the tool's name in it, so that the
// kinds of cards can be told apart. What is no object is no card.
func wireCard(tool string, stored json.RawMessage) (json.RawMessage, bool) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(stored, &keys) != nil || keys == nil {
		return nil, false
	}
	keys["tool"], _ = json.Marshal(tool) // a string has JSON
	card, err := json.Marshal(keys)
	return card, err == nil
}
