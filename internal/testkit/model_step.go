package testkit

import (
	"encoding/json"
	"io"
	"net/http"

	"bor/internal/llm"
)

// Step is one scripted reply to a chat request: an HTTP failure when Status is
// set, otherwise a stream of Parts.
type Step struct {
	Status int         // of a reply that isn't a stream
	Header http.Header // added to the reply's
	Body   string      // with Status

	Parts  []Part
	Finish string // finish_reason; empty: "stop", or "tool_calls" after calls
	NoEnd  bool   // neither a finish_reason nor [DONE]
	Cut    bool   // the connection breaks after the parts
	Lite   bool   // for a request to the lite model
}

// Part is one piece of a stream, sent at once. Only one field is set.
type Part struct {
	Text     string
	Thinking string
	Call     *llm.ToolCall
	Raw      string          // bytes as they are
	Gate     <-chan struct{} // waits until it is closed or gives
}

// Say streams text in the given pieces.
func Say(deltas ...string) Step {
	var s Step
	for _, d := range deltas {
		s.Parts = append(s.Parts, Part{Text: d})
	}
	return s
}

// Think streams reasoning, then text.
func Think(thinking string, deltas ...string) Step {
	s := Say(deltas...)
	s.Parts = append([]Part{{Thinking: thinking}}, s.Parts...)
	return s
}

// Call asks for one tool call.
func Call(name, arguments string) Step {
	return Calls(llm.ToolCall{ID: "call_" + name, Name: name, Arguments: arguments})
}

// Calls asks for several tool calls in one reply.
func Calls(calls ...llm.ToolCall) Step {
	var s Step
	for _, c := range calls {
		s.Parts = append(s.Parts, Part{Call: &c})
	}
	return s
}

// Fail answers with an HTTP status and a body.
func Fail(status int, body string) Step { return Step{Status: status, Body: body} }

// Raw sends bytes as they are, each piece flushed, as the whole stream.
func Raw(pieces ...string) Step {
	s := Step{NoEnd: true}
	for _, p := range pieces {
		s.Parts = append(s.Parts, Part{Raw: p})
	}
	return s
}

// Gate holds a reply up until the channel is closed or gives.
func Gate(gate <-chan struct{}) Part { return Part{Gate: gate} }

// With adds parts to a step, so that gates can stand among its pieces.
func (s Step) With(parts ...Part) Step {
	s.Parts = append(append([]Part(nil), s.Parts...), parts...)
	return s
}

// serve writes the reply. An error says that the client is gone.
func (s Step) serve(w http.ResponseWriter, r *http.Request, req ModelRequest) error {
	for name, values := range s.Header {
		w.Header()[name] = values
	}
	if s.Status != 0 {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(s.Status)
		_, err := io.WriteString(w, s.Body)
		return err
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	out := &stepWriter{w: w, control: http.NewResponseController(w), model: req.Model}
	for _, p := range s.Parts {
		if p.Gate != nil {
			out.flush() // the headers at least, so that the client is inside of the reply
			select {
			case <-p.Gate:
			case <-r.Context().Done():
				return r.Context().Err()
			}
			continue
		}
		out.part(p)
	}
	if out.err == nil {
		out.err = r.Context().Err()
	}
	gone := out.err // what happens after the last part is no loss to anybody
	if !s.NoEnd && !s.Cut {
		out.end(s.Finish)
	}
	out.flush()
	return gone
}

// stepWriter writes chunks and remembers the first error.
type stepWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	model   string
	calls   int
	err     error
}

func (o *stepWriter) part(p Part) {
	switch {
	case p.Raw != "":
		o.write(p.Raw)
	case p.Call != nil:
		// As real servers do: name and id first, then the arguments in pieces.
		half := len(p.Call.Arguments) / 2
		o.call(map[string]any{"id": p.Call.ID, "type": "function", "function": map[string]string{"name": p.Call.Name, "arguments": ""}})
		o.call(map[string]any{"function": map[string]string{"arguments": p.Call.Arguments[:half]}})
		o.call(map[string]any{"function": map[string]string{"arguments": p.Call.Arguments[half:]}})
		o.calls++
	case p.Thinking != "":
		o.chunk(map[string]any{"reasoning_content": p.Thinking}, nil)
	default:
		o.chunk(map[string]any{"content": p.Text}, nil)
	}
}

func (o *stepWriter) call(call map[string]any) {
	call["index"] = o.calls
	o.chunk(map[string]any{"tool_calls": []any{call}}, nil)
}

func (o *stepWriter) end(finish string) {
	switch {
	case finish != "":
	case o.calls > 0:
		finish = "tool_calls"
	default:
		finish = "stop"
	}
	o.chunk(map[string]any{}, finish)
	o.event(map[string]any{"model": o.model, "choices": []any{}, "usage": map[string]int{"prompt_tokens": 10, "completion_tokens": 5}})
	o.write("data: [DONE]\n\n")
}

func (o *stepWriter) chunk(delta map[string]any, finish any) {
	o.event(map[string]any{
		"object": "chat.completion.chunk", "model": o.model,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
}

func (o *stepWriter) event(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		o.err = err
		return
	}
	o.write("data: " + string(text) + "\n\n")
}

func (o *stepWriter) write(s string) {
	if _, err := io.WriteString(o.w, s); err != nil && o.err == nil {
		o.err = err
	}
	o.flush()
}

func (o *stepWriter) flush() {
	if err := o.control.Flush(); err != nil && o.err == nil {
		o.err = err
	}
}
