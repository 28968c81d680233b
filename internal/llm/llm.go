// Package llm is the contract between the product and language models: a chat
// that streams, an embedder, and a one-shot completion. The OpenAI-compatible
// client lives here too; the built-in librarian, which needs no endpoint, is in
// the package below it. Nothing here knows of documents or turns.
//
// A reply's way through the client, each step a file of its own:
//
//	connect.go    a connection, which ends with the request it is made for
//	transport.go  HTTP: redirects, statuses, what isn't a model's reply
//	events.go     any server's stream → one JSON value a line
//	chunk.go      one event → text, thinking, pieces of calls, errors
//	unicode.go    characters that were cut between chunks
//	think.go      reasoning in tags → thinking
//	scaffold.go   chat-template markup → nothing
//	toolcalls.go  pieces → tool calls
//	stream.go     all of it in order; retry.go, fault.go when it fails
//
// Invariants: a request is tried again only before its first output; what was
// emitted, and not retracted, is what the Reply holds; how a server cuts its stream changes nothing;
// an API key goes to its own host only, and into no error; every error tells
// people what to do.
//
// Rejected: the library's typed chunks (they lose or refuse what real servers
// send), and parsing tool calls out of markup in the text (guessing what a
// server's template meant runs tools that nobody called).
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// Message is one entry of a chat request.
type Message struct {
	Role       string
	Content    string
	Reasoning  string     // an assistant's past thinking; sent only when not empty
	ToolCalls  []ToolCall // an assistant's calls
	ToolCallID string     // the call that a tool message answers
}

// ToolCall is a model's request to run a tool. Arguments is what the model
// wrote, not necessarily valid JSON.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// Tool is offered to the model; Parameters is a JSON schema.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Request is one chat request. Tools may be empty.
type Request struct {
	Messages  []Message
	Tools     []Tool
	MaxTokens int // 0: the client's setting
}

// Delta is a piece of a streamed reply. Any field may be empty.
type Delta struct {
	// Retract takes back the text of this reply so far: it was the model's
	// thinking, as only the end of it showed. Where thinking is emitted, it comes
	// with the same Delta.
	Retract bool

	Text     string
	Thinking string
	Retry    *Retry
}

// Retry announces that a request failed before its first output and will be
// tried again after Wait.
type Retry struct {
	Attempt int // the try about to start, from 2
	Max     int
	Wait    time.Duration
	Cause   string // in the words of people, no secrets
}

// Reply is a finished reply: what the deltas added up to, and the tool calls,
// which are only complete at the end.
type Reply struct {
	Text      string
	Thinking  string
	ToolCalls []ToolCall
	Finish    string // "stop", "length", "tool_calls" or what the server said; empty: the stream ended without a sign, so the text may be incomplete
	Usage     Usage
	Stripped  int // pieces of chat-template markup that were removed from the text
}

// Usage in tokens; zero when the server didn't say.
type Usage struct{ Prompt, Completion int }

// Chat streams replies. Stream calls emit in order from its own goroutine's
// caller and stops when ctx ends or emit fails, closing the connection to the
// server. Errors are *Error when the endpoint is at fault.
type Chat interface {
	Stream(ctx context.Context, req Request, emit func(Delta) error) (Reply, error)
}

// Embedder turns texts into vectors of Dimension numbers each, L2 normalised or
// not; Model names what made them and is stored beside them.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Model() string
	Dimension() int
}

// Completer answers one prompt in one piece, for summaries.
type Completer interface {
	Complete(ctx context.Context, req Request) (string, error)
}

// Error is an endpoint's fault, told so that a person can act on it.
type Error struct {
	Public string // what happened, what it means, what to do; no secrets
	Status int    // HTTP status; 0 when there was none
	Cause  error
}

func (e *Error) Error() string { return e.Public }

func (e *Error) Unwrap() error { return e.Cause }
