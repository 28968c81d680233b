package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// piece is what one event of a stream adds to the reply. Text is as the server
// cut it: characters may be incomplete.
type piece struct {
	text, thinking string
	calls          []callPiece
	finish         string
	usage          Usage
	done           bool // the server's own end of the stream
}

// callPiece is a part of a tool call. Index is −1 when the server gave none.
type callPiece struct {
	index     int
	id, name  string
	arguments string
	whole     bool // arguments came as an object, not as a piece of its text
}

// said is what a server says about a failure.
type said struct {
	message string
	code    string
	status  int // HTTP status, when the message names one
}

func (s *said) Error() string { return s.message }

// Shapes of what arrives. Leaves whose types vary between servers stay raw; a
// leaf of any other wrong type is left out, and the rest is read.
type (
	rawChunk struct {
		Choices []rawChoice
		Usage   *struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		}
		Object  string
		Error   json.RawMessage
		Message json.RawMessage
		Detail  json.RawMessage
	}
	rawChoice struct {
		Index   int
		Delta   *rawDelta
		Message *rawDelta
		Text    json.RawMessage
		Finish  string `json:"finish_reason"`
		Error   json.RawMessage
	}
	rawDelta struct {
		Content          json.RawMessage
		ReasoningContent json.RawMessage `json:"reasoning_content"`
		Reasoning        json.RawMessage
		Thinking         json.RawMessage
		Refusal          json.RawMessage
		ToolCalls        json.RawMessage `json:"tool_calls"`
		FunctionCall     *rawFunction    `json:"function_call"`
	}
	rawCall struct {
		Index    *int
		ID       string
		Function rawFunction
	}
	rawFunction struct {
		ID        string
		Name      string
		Arguments json.RawMessage
	}
)

// decodeChunk reads one event. A *said error is what the server reports.
func decodeChunk(raw []byte) (piece, error) {
	if string(raw) == doneEvent {
		return piece{done: true}, nil
	}
	var c rawChunk
	if err := tolerant(raw, &c); err != nil {
		return piece{}, err
	}
	if !isNull(c.Error) {
		return piece{}, readSaid(c.Error)
	}
	if len(c.Choices) == 0 && c.Usage == nil && (c.Object == "error" || !isNull(c.Message) || !isNull(c.Detail)) {
		return piece{}, readSaid(raw)
	}
	var p piece
	if c.Usage != nil {
		p.usage = Usage{c.Usage.Prompt, c.Usage.Completion}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one choice was asked for
		}
		if !isNull(choice.Error) {
			return piece{}, readSaid(choice.Error)
		}
		p.add(choice)
	}
	if p.finish == "error" {
		return p, &said{message: "the model server reported an error without saying which"}
	}
	return p, nil
}

func (p *piece) add(choice rawChoice) {
	if choice.Finish != "null" {
		p.finish = choice.Finish
	}
	delta := choice.Delta
	if delta == nil {
		delta = choice.Message
	}
	if delta == nil {
		delta = &rawDelta{Content: choice.Text}
	}
	text, inline := readText(delta.Content)
	p.text = text
	for _, raw := range []json.RawMessage{delta.ReasoningContent, delta.Reasoning, delta.Thinking} {
		// Some servers send the same reasoning under two names.
		if p.thinking, _ = readText(raw); p.thinking != "" {
			break
		}
	}
	p.thinking += inline
	if refusal, _ := readText(delta.Refusal); p.text == "" {
		p.text = refusal
	}
	p.calls = readCalls(delta)
}

// readText reads content: a string, an object with text, or a list of those;
// parts that say they are thinking are told apart.
func readText(raw json.RawMessage) (text, thinking string) {
	if isNull(raw) {
		return "", ""
	}
	switch raw[0] {
	case '"':
		return unquote(raw), ""
	case '[':
		var parts []json.RawMessage
		_ = tolerant(raw, &parts)
		for _, part := range parts {
			a, b := readText(part)
			text, thinking = text+a, thinking+b
		}
	case '{':
		var part struct {
			Type                    string
			Text, Content, Thinking json.RawMessage
		}
		_ = tolerant(raw, &part)
		for _, inner := range []json.RawMessage{part.Text, part.Content} {
			a, b := readText(inner)
			text, thinking = text+a, thinking+b
		}
		a, _ := readText(part.Thinking)
		thinking += a
		if part.Type == "thinking" || part.Type == "reasoning" {
			return "", text + thinking
		}
	}
	return text, thinking
}

func readCalls(delta *rawDelta) (calls []callPiece) {
	var list []rawCall
	switch raw := bytes.TrimSpace(delta.ToolCalls); {
	case isNull(raw):
	case raw[0] == '{':
		list = make([]rawCall, 1)
		_ = tolerant(raw, &list[0])
	default:
		_ = tolerant(raw, &list)
	}
	if delta.FunctionCall != nil {
		list = append(list, rawCall{Function: *delta.FunctionCall})
	}
	for _, c := range list {
		call := callPiece{index: -1, id: c.ID, name: c.Function.Name}
		if c.Index != nil {
			call.index = *c.Index
		}
		if call.id == "" {
			call.id = c.Function.ID
		}
		switch raw := c.Function.Arguments; {
		case isNull(raw):
		case raw[0] == '"':
			call.arguments = unquote(raw)
		default:
			call.arguments, call.whole = string(raw), true
		}
		calls = append(calls, call)
	}
	return calls
}

// readSaid reads an error in any of the shapes in which servers send them.
func readSaid(raw json.RawMessage) *said {
	var s said
	if text, _ := readText(raw); text != "" && raw[0] == '"' {
		s.message = text
		return &s
	}
	var body struct {
		Error, Message, Detail, Msg, Type, Code json.RawMessage
	}
	_ = tolerant(raw, &body)
	if !isNull(body.Error) {
		inner := readSaid(body.Error)
		if inner.message != "" {
			return inner
		}
	}
	for _, m := range []json.RawMessage{body.Message, body.Detail, body.Msg} {
		if isNull(m) {
			continue
		}
		if s.message, _ = readText(m); s.message == "" {
			s.message = string(m)
		}
		break
	}
	var code int
	if json.Unmarshal(body.Code, &code) == nil && 400 <= code && code < 600 {
		s.status = code
	}
	kind, _ := readText(body.Type)
	name, _ := readText(body.Code)
	s.code = strings.TrimSpace(name + " " + kind)
	if s.message == "" {
		s.message = s.code
	}
	return &s
}

// tolerant decodes what it can: values of an unexpected type stay empty.
func tolerant(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return nil
	}
	return err
}

func isNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }
