package librarian

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bor/internal/llm"
)

// Responder answers chat and summary requests as a model would, through the
// same prompts and tools. It has no state.
type Responder struct{}

var (
	_ llm.Chat      = (*Responder)(nil)
	_ llm.Completer = (*Responder)(nil)
)

// New makes a responder.
func New() *Responder { return &Responder{} }

// maxPassages is how many documents an answer quotes from.
const maxPassages = 3

// Stream answers the last question. With documents in the prompt it names the
// place that answers it; a document that the prompt only names it first reads.
func (*Responder) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta) error) (llm.Reply, error) {
	s := readScene(req)
	call, wanted := s.wantsToShow()
	if !wanted {
		call, wanted = s.wantsToRead()
	}
	if wanted {
		call.ID = fmt.Sprintf("call_%d", 1+len(s.asked))
		return llm.Reply{ToolCalls: []llm.ToolCall{call}, Finish: "tool_calls"}, context.Cause(ctx)
	}
	reply := llm.Reply{Finish: "stop"}
	for _, piece := range pieces(s.answer()) {
		if ctx.Err() != nil {
			return reply, context.Cause(ctx)
		}
		reply.Text += piece
		if err := emit(llm.Delta{Text: piece}); err != nil {
			return reply, err
		}
	}
	return reply, nil
}

// pieces cuts a text after its spaces and lines, as it would stream.
func pieces(text string) (out []string) {
	for line := range strings.Lines(text) {
		out = append(out, strings.SplitAfter(line, " ")...)
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// wantsToShow is the call that puts the image that the question is about below the
// answer, once.
func (s scene) wantsToShow() (llm.ToolCall, bool) {
	if s.low || !s.pictures || len(s.documents) == 0 {
		return llm.ToolCall{}, false
	}
	d := s.documents[s.subject(readQuestion(s.question))]
	text, err := json.Marshal(map[string]any{"path": d.identity()})
	call := llm.ToolCall{Name: "show_image", Arguments: string(text)}
	return call, d.image && err == nil && !s.asked[call.Name+call.Arguments]
}

// readMargin is the number of lines that are read before and after the range
// that retrieval found best.
const readMargin = 20

// wantsToRead is the call that the answer needs: when the document that the
// question is about is named without its text, and its text matters.
func (s scene) wantsToRead() (llm.ToolCall, bool) {
	q := readQuestion(s.question)
	if s.low || !s.readable || len(s.documents) == 0 || q.whole && s.verbatim || q.lines.first > 0 && s.verbatim {
		return llm.ToolCall{}, false
	}
	d := s.documents[s.subject(q)]
	if d.known {
		return llm.ToolCall{}, false
	}
	arguments := map[string]any{"path": d.identity()}
	if d.best.first > 0 && !q.whole {
		from := max(1, d.best.first-readMargin)
		arguments["offset"], arguments["limit"] = from, d.best.last+readMargin-from+1
	}
	text, err := json.Marshal(arguments)
	call := llm.ToolCall{Name: "read", Arguments: string(text)}
	return call, err == nil && !s.asked[call.Name+call.Arguments]
}

// subject is the document that the question is about; there is at least one.
func (s scene) subject(q question) int { return max(0, pick(q, s.documents)) }

// answer is the whole answer.
func (s scene) answer() string {
	q := readQuestion(s.question)
	if s.low || len(s.documents) == 0 {
		return deflection(s.weak)
	}
	subject := s.documents[s.subject(q)]
	if subject.image {
		return s.picture(subject)
	}
	s.documents = slices.DeleteFunc(slices.Clone(s.documents), func(d document) bool { return d.image })
	switch {
	case q.lines.first > 0:
		return s.sentence("Here is what you asked for", []passage{{document: subject, lines: q.lines}})
	case q.whole:
		return s.sentence("Here it is in full", []passage{{document: subject}})
	}
	found := passages(q, s.documents, maxPassages)
	if len(found) == 0 {
		return s.sentence("The notes that come closest", []passage{{document: subject, lines: subject.best}})
	}
	return s.sentence("This is what the notes say", found)
}
