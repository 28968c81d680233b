package chat

import (
	"bor/internal/agent"
	"bor/internal/verbatim"
)

// Kind names an event of a turn.
type Kind string

// The kinds of events, in the order in which a turn may emit them. Exactly one
// terminal event ends a turn: Done, or Failed.
const (
	KindThinking   Kind = "thinking"    // Text: more thinking
	KindTool       Kind = "tool"        // Tool: an executed call, announced before its result
	KindToolResult Kind = "tool_result" // Tool: the same call with its result
	KindRetry      Kind = "retry"       // Retry: the connection to the model is tried again
	KindDelta      Kind = "delta"       // Text: more of the answer
	KindRetract    Kind = "retract"     // Retract: the end of the answer was thinking, which comes next
	KindFence      Kind = "fence"       // Fence: what the next fence of the answer became
	KindDone       Kind = "done"        // Record: done, stopped or interrupted, told by its state
	KindError      Kind = "error"       // Record: ended by an error
)

// Event is one numbered entry of a turn's log. Numbers rise strictly within a
// turn; a stored run of deltas carries the number of its last one.
type Event struct {
	Seq    int64           `json:"-"`
	Kind   Kind            `json:"-"`
	Text   string          `json:"text,omitempty"`
	Tool   *agent.ToolLine `json:"tool,omitempty"`
	Retry  *Retry          `json:"retry,omitempty"`
	Fence  *verbatim.Fence `json:"fence,omitempty"`
	Record *Record         `json:"record,omitempty"`

	Retract *Retraction `json:"retract,omitempty"`
}

// Retraction takes back the end of the answer, and what stands in it.
type Retraction struct {
	Chars  int `json:"chars"`  // characters at the end of the text so far
	Fences int `json:"fences"` // that are left
}
