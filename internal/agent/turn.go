package agent

import (
	"bor/internal/kb"
	"bor/internal/llm"
	"bor/internal/verbatim"
)

// Relevance is the honesty gate's verdict on a question.
type Relevance string

// High turns are grounded in documents; Low turns deflect.
const (
	High Relevance = "HIGH"
	Low  Relevance = "LOW"
)

// Turn is everything that one answer is made from.
type Turn struct {
	Question   string
	History    []llm.Message // earlier turns, oldest first
	Relevance  Relevance
	Overview   string           // of the knowledge base; may be empty
	Tuning     []string         // steering notes, oldest first
	Documents  []Document       // of a High turn, best first
	WeakTitles []string         // of a Low turn: titles of the hits that were too weak
	Answer     *verbatim.Answer // the turn's blocks; nil when exact display is switched off
	Images     bool             // whether images may be shown
	Settings   Settings
}

// Document is a document that retrieval found for the question.
type Document struct {
	kb.Document
	First, Last int // the lines that fit best; 0 when unknown
}

// Settings is the part of the settings that a turn depends on, as they were
// when it began. Characters are code points; 0 means no limit.
type Settings struct {
	Name              string // of the persona
	MaxRounds         int    // replies that may call a tool; 0 means no tools
	MaxTokens         int    // of a reply; 0 means the client's setting
	DocumentsMaxChars int    // of whole documents in the prompt
	OverviewMaxChars  int
	TuningMaxChars    int // of all steering notes together
	ReadMaxChars      int // of one read
}

// Outcome is what came of a turn, also when it ended in an error.
type Outcome struct {
	Text      string    // all that the sink got by Delta and that wasn't retracted
	Thinking  string    // all that it got by Thinking
	ToolCalls int       // executed ones
	Stripped  int       // pieces of chat-template markup that were removed from replies
	Finish    string    // how the last reply ended: llm.Reply's Finish
	Usage     llm.Usage // of all replies; zero when the server didn't say
	Sources   []Source
}

// Source is a document that the answer stands on: one of the prompt's, or one
// that was read (CH4).
type Source struct {
	Source    string
	Path      string
	Title     string
	StartLine int // the lines that matter; 0 when they aren't known, or all do
	EndLine   int
}

// cite adds a source unless the document is one already.
func (o *Outcome) cite(s Source) {
	for _, known := range o.Sources {
		if known.Source == s.Source && known.Path == s.Path {
			return
		}
	}
	o.Sources = append(o.Sources, s)
}
