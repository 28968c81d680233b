package agent

import (
	"encoding/json"

	"bor/internal/llm"
)

// Sink receives what happens in a turn, in order, from the goroutine that runs
// it. An error ends the run.
type Sink interface {
	Thinking(text string) error
	Delta(text string) error
	Retract(chars int) error   // so many characters at the end of what Delta gave were thinking, which Thinking gives now
	Tool(ToolLine) error       // an executed call, before its result
	ToolResult(ToolLine) error // the same call, with its result
	Retry(llm.Retry) error
}

// ToolLine is one executed tool call as people see it: a line of the trace, and
// a card that unfolds. It belongs to the turn's record.
type ToolLine struct {
	Name     string  `json:"name"`
	Argument *string `json:"argument"` // the one string passed: read's path, grep's pattern, ls's path; null when none

	// Set with the result.
	Done       bool            `json:"done,omitempty"`
	Note       string          `json:"note,omitempty"` // one short phrase: "4 matches", "lines 1–22 of 22"
	Text       string          `json:"text,omitempty"` // the result as the model got it: what a generic card shows
	Truncated  bool            `json:"truncated,omitempty"`
	CharsShown int             `json:"chars_shown,omitempty"`
	CharsTotal int             `json:"chars_total,omitempty"`
	Card       json.RawMessage `json:"card,omitempty"`  // structure by tool; readers tolerate anything (AG8)
	Image      *Image          `json:"image,omitempty"` // that the call put below the answer
}

// Image is a figure of an answer. Its bytes are kept while a record names them,
// whatever becomes of the document (DEC28).
type Image struct {
	Source string `json:"source"`
	Path   string `json:"path"`
	Title  string `json:"title"`  // the caption, and what stands in for the image
	SHA256 string `json:"sha256"` // of the bytes, in hexadecimal
	Type   string `json:"type"`   // media type
	Width  int    `json:"width"`  // in pixels
	Height int    `json:"height"`
}

// ReadCard is the structure of a read result (AG8).
type ReadCard struct {
	Path       string     `json:"path"` // whole identity
	Offset     int        `json:"offset"`
	Lines      []CardLine `json:"lines"`
	TotalLines int        `json:"totalLines"`
	Lang       string     `json:"lang,omitempty"`
}

// CardLine is one line of a card, without its LF.
type CardLine struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// GrepCard is the structure of a grep result.
type GrepCard struct {
	Pattern string      `json:"pattern"`
	Matches []GrepMatch `json:"matches"`
	Total   int         `json:"total"`
	More    bool        `json:"more,omitempty"` // Total is where counting stopped
}

// GrepMatch is one matching line, clipped around the match.
type GrepMatch struct {
	Path   string `json:"path"` // whole identity
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// ListCard is the structure of an ls result.
type ListCard struct {
	Path string    `json:"path"`
	Rows []ListRow `json:"rows"`
	More int       `json:"more,omitempty"`
}

// ListRow is a source, a folder or a document.
type ListRow struct {
	Path      string `json:"path"` // whole identity; a folder's ends in a slash
	Title     string `json:"title,omitempty"`
	Documents int    `json:"documents,omitempty"`
	Summary   string `json:"summary,omitempty"` // of a source or folder, one line
}

// ShowCard points to the panel that a show_text call registered.
type ShowCard struct {
	Locator string `json:"locator"`
}
