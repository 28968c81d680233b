package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
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
		ID       json.RawMessage
		Function rawFunction
	}
	rawFunction struct {
		ID        json.RawMessage
		Name      string
		Arguments json.RawMessage
	}
)

// chunkDecoder reads the events of one reply. One choice was asked for; servers
// that send several are followed in one of them.
type chunkDecoder struct{ choice *int }

// decode reads one event. A *said error is what the server reports.
func (d *chunkDecoder) decode(raw []byte) (piece, error) {
	if string(raw) == doneEvent {
		return piece{done: true}, nil
	}
	var c rawChunk
	if err := tolerant(raw, &c); err != nil {
		return piece{}, err
	}
	if raw[0] == '[' || !isNothing(c.Error) {
		return piece{}, readSaid(raw)
	}
	if len(c.Choices) == 0 && c.Usage == nil && (c.Object == "error" || !isNull(c.Message) || !isNull(c.Detail)) {
		return piece{}, readSaid(raw)
	}
	var p piece
	if c.Usage != nil {
		p.usage = Usage{c.Usage.Prompt, c.Usage.Completion}
	}
	if choice := d.pick(c.Choices); choice != nil {
		if !isNothing(choice.Error) {
			return piece{}, readSaid(choice.Error)
		}
		p.add(*choice)
	}
	if p.finish == "error" {
		return p, &said{message: "the model server reported an error without saying which"}
	}
	return p, nil
}

// pick gives the choice to follow, if the chunk has it: number 0 or, when the
// first chunk that has choices has none of that number, its first. Of several
// with one number the first counts.
func (d *chunkDecoder) pick(choices []rawChoice) *rawChoice {
	if d.choice == nil && len(choices) > 0 {
		d.choice = &choices[0].Index
		for _, c := range choices {
			if c.Index == 0 {
				d.choice = new(int)
			}
		}
	}
	for i := range choices {
		if choices[i].Index == *d.choice {
			return &choices[i]
		}
	}
	return nil
}

// aborted is the finish of a reply that its server gave up.
const aborted = "aborted"

// finishes are servers' own words for how a reply ended.
var finishes = map[string]string{
	"null": "", "abort": aborted, "cancelled": aborted, "unknown": aborted, "insufficient_system_resource": aborted,
	"eos": "stop", "eos_token": "stop", "end_turn": "stop", "stop_sequence": "stop", "complete": "stop",
	"max_tokens": "length", "model_length": "length", "max_output_tokens": "length", "model_context_window_exceeded": "length",
	"safety": "content_filter", "recitation": "content_filter", "sensitive": "content_filter", "prohibited_content": "content_filter",
	"function_call": "tool_calls", "tool_use": "tool_calls",
}

func (p *piece) add(choice rawChoice) {
	p.finish = strings.ToLower(choice.Finish)
	if known, ok := finishes[p.finish]; ok {
		p.finish = known
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
	var list []*rawCall
	switch raw := bytes.TrimSpace(delta.ToolCalls); {
	case isNull(raw):
	case raw[0] == '{':
		list = []*rawCall{{}}
		_ = tolerant(raw, list[0])
	default:
		_ = tolerant(raw, &list)
	}
	if delta.FunctionCall != nil {
		list = append(list, &rawCall{Function: *delta.FunctionCall})
	}
	for _, c := range list {
		if c == nil {
			continue
		}
		call := callPiece{index: -1, id: readID(c.ID), name: c.Function.Name}
		if c.Index != nil {
			call.index = *c.Index
		}
		if call.id == "" {
			call.id = readID(c.Function.ID)
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

// readID reads an id: a string, or a number as it is written.
func readID(raw json.RawMessage) string {
	if !isNull(raw) && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9') {
		return string(raw)
	}
	id, _ := readText(raw)
	return id
}

// readSaid reads an error in any of the shapes in which servers send them.
func readSaid(raw json.RawMessage) *said {
	var s said
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0] // Gemini's are lists of one
	}
	if text, _ := readText(raw); text != "" && raw[0] == '"' {
		s.message = text
		return &s
	}
	var body struct {
		Error, Message, Detail, Msg, Type, Code json.RawMessage
	}
	_ = tolerant(raw, &body)
	if !isNothing(body.Error) {
		inner := readSaid(body.Error)
		if inner.message != "" || inner.status != 0 {
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
	kind, _ := readText(body.Type)
	name, _ := readText(body.Code)
	if code, err := strconv.Atoi(readID(body.Code)); err == nil && 400 <= code && code < 600 {
		s.status, name = code, ""
	}
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

// isNothing tells whether an error field says that there is no error.
func isNothing(raw []byte) bool { return isNull(raw) || string(raw) == `""` || string(raw) == "false" }
