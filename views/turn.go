package views

import (
	"net/url"
	"strconv"
	"strings"
)

// TurnState is how an answer stands, as its bubble shows it.
type TurnState string

// The states of a bubble (CH4).
const (
	TurnRunning     TurnState = "running"
	TurnDone        TurnState = "done"
	TurnDeflected   TurnState = "deflected"
	TurnError       TurnState = "error"
	TurnStopped     TurnState = "stopped"
	TurnInterrupted TurnState = "interrupted"
)

// TurnPanel is an answer's bubble: what the agent did, what it said, how it ended.
type TurnPanel struct {
	ID          string // prefix of every id inside, unique on the page: "t12"
	State       TurnState
	Steps       []Step
	Blocks      []SafeHTML // the answer's top-level blocks, each in its own element
	Panels      []Panel    // blocks that a tool registered and no fence placed: below the answer (V6)
	Figures     []Figure   // images below the answer
	Doing       string     // while it runs: what is being waited for
	Age         int        // while it runs: whole seconds since it started
	Sources     []Link
	Suggestions []string // questions
	Error       string   // what failed, in words for people
	Note        string   // that a finished answer may lack its end; usually empty
	AnswerURL   string   // the answer's Markdown, for Copy; empty when there is none
	RetryURL    string
}

// Figure is an image below an answer. Width and Height are 0 when they aren't known.
type Figure struct {
	URL           string
	Caption       string
	Width, Height int
	OpenURL       string // of the document
}

// src is the image's address: on this server, whatever the record says.
func (f Figure) src() string {
	if strings.HasPrefix(f.URL, "/") && !strings.HasPrefix(f.URL, "//") && !strings.Contains(f.URL, "\\") {
		return f.URL
	}
	return ""
}

// Step is one line of the trace: thinking, or a tool call.
type Step struct {
	ID       string
	Thinking string // when set, the step is thinking
	Open     bool   // thinking that is shown unfolded

	Verb      string // "Reading", "Read"
	Argument  string
	Note      string // "4 matches"
	Truncated string // "(truncated — showing 128 000 of 412 331 chars)"
	CardURL   string // what the call brought; empty while it runs
	IsRead    bool
}

func (p TurnPanel) class() string {
	switch p.State {
	case TurnRunning, TurnDone:
		return "msg brain"
	default:
		return "msg brain is-" + string(p.State)
	}
}

func (p TurnPanel) age() string { return strconv.Itoa(p.Age) }

// questionURL leads to the composer with a question in it, in this conversation.
func questionURL(text string) string {
	return "?q=" + url.QueryEscape(text)
}
