package chat

import (
	"bor/internal/agent"
	"bor/internal/verbatim"
)

// State of a turn.
type State string

// A turn runs, then ends in exactly one of the other states.
const (
	Running     State = "running"
	Done        State = "done"
	Failed      State = "error"
	Stopped     State = "stopped"
	Interrupted State = "interrupted"
)

// Record is the brain's side of a turn as it is stored, shown, exported and
// shared: raw text and structure, never HTML (D8). A running turn's record is
// the fold of its events so far.
type Record struct {
	Who         string           `json:"who"` // "brain"
	State       State            `json:"state"`
	Text        string           `json:"text"`
	Deflected   bool             `json:"deflected,omitempty"`
	Trace       []Step           `json:"trace,omitempty"`
	AnswerText  []verbatim.Block `json:"answer_text,omitempty"`
	AnswerImage []agent.Image    `json:"answer_image,omitempty"` // below the answer, in the order of the calls
	Fences      []verbatim.Fence `json:"fences,omitempty"`       // one a fence, in the answer's order
	Sources     []Source         `json:"sources,omitempty"`
	Suggestions []string         `json:"suggestions,omitempty"`
	Incomplete  Incomplete       `json:"incomplete,omitempty"` // why a done answer may lack its end
	Error       string           `json:"error,omitempty"`      // words for people
	Retry       *Retry           `json:"retry,omitempty"`      // only while it waits
}

// Incomplete says why an answer that the model ended may lack its end (REL1).
// Readers tolerate values that they don't know.
type Incomplete string

// The reasons, from how the model's last reply finished.
const (
	CutByLength Incomplete = "length"         // the model's limit on a reply
	CutByFilter Incomplete = "content_filter" // its server's filter
	NoEnd       Incomplete = "no_end"         // the stream ended without a sign that it was complete
)

// Step is one entry of the trace: thinking, or a tool call.
type Step struct {
	Thinking string          `json:"thinking,omitempty"`
	Tool     *agent.ToolLine `json:"tool,omitempty"`
}

// Source is a document that the answer stands on.
type Source struct {
	Source    string `json:"source"`
	Path      string `json:"path"`
	Title     string `json:"title"`
	StartLine int    `json:"start_line,omitempty"` // what part matters, when known
	EndLine   int    `json:"end_line,omitempty"`
}

// Retry is a lost connection to the model, tried again.
type Retry struct {
	Attempt int    `json:"attempt"`
	Max     int    `json:"max_attempts"`
	Cause   string `json:"cause,omitempty"`
}
