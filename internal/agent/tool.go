package agent

import (
	"context"
	"encoding/json"

	"bor/internal/llm"
)

// Tool is something that a model may call during one turn. A tool may remember
// what it has done in the turn.
type Tool interface {
	Spec() llm.Tool

	// Prepare checks a call without running it. A Refusal is the answer to a
	// call that can't be run; any other error ends the turn.
	Prepare(ctx context.Context, arguments string) (Call, error)
}

// Toolset makes the tools of a turn. The turn's Documents are those whose whole
// text is in the prompt.
type Toolset func(Turn) []Tool

// Call is a call that is ready to run.
type Call struct {
	Argument *string // the one string passed, for people; nil when none was
	Run      func(ctx context.Context) (Result, error)
}

// Result is what a call gives.
type Result struct {
	Text       string // for the model
	Note       string // for people, one short phrase
	Truncated  bool
	CharsShown int // of CharsTotal, when truncated
	CharsTotal int
	Card       json.RawMessage
	Read       *Source // the document that was read, if one was
	Image      *Image  // that stands below the answer from now on
}

// Refusal is the answer to a call that wasn't run. It teaches the model what to
// do instead; the same call in the same turn gets the same words.
type Refusal string

func (r Refusal) Error() string { return string(r) }
