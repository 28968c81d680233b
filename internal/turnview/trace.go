package turnview

import (
	"fmt"
	"unicode/utf8"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/views"
)

// verbs name each tool's work while it is done, and after.
var verbs = map[string][2]string{
	"read":       {"Reading", "Read"},
	"grep":       {"Searching for", "Searched for"},
	"ls":         {"Listing", "Listed"},
	"show_text":  {"Showing", "Showed"},
	"show_image": {"Showing", "Showed"},
}

// maxArgument bounds a call's argument in the trace, in characters.
const maxArgument = 300

// step is the i-th entry of a turn's trace.
func step(turn int64, i int, s chat.Step, open bool) views.Step {
	v := views.Step{ID: stepID(turn, i), Thinking: s.Thinking, Open: open}
	if s.Tool == nil {
		return v
	}
	v.Thinking = ""
	v.Verb, v.Argument = callWords(*s.Tool)
	if !s.Tool.Done {
		return v
	}
	v.Note, v.IsRead = s.Tool.Note, s.Tool.Name == "read"
	v.Truncated = truncation(*s.Tool)
	v.CardURL = turnURL(turn, fmt.Sprintf("steps/%d", i))
	return v
}

func stepID(turn int64, i int) string { return fmt.Sprintf("%ss%d", prefix(turn), i) }

// callWords says what a call does, or did, and to what.
func callWords(t agent.ToolLine) (verb, argument string) {
	words, ok := verbs[t.Name]
	if !ok {
		words = [2]string{"Calling " + t.Name, "Called " + t.Name}
	}
	verb = words[0]
	if t.Done {
		verb = words[1]
	}
	if t.Argument == nil || *t.Argument == "" {
		if t.Name == "ls" {
			return verb, "the sources"
		}
		return verb, ""
	}
	return verb, clip(*t.Argument, maxArgument)
}

// truncation is the mark of a read that was cut (AG3).
func truncation(t agent.ToolLine) string {
	if !t.Truncated {
		return ""
	}
	return fmt.Sprintf("(truncated — showing %d of %d chars)", t.CharsShown, t.CharsTotal)
}

// clip is text for a line: at most n characters.
func clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + "…"
}

// openStep is the index of the thinking that stands unfolded: the last one, until
// the answer begins. -1 is none (CH4).
func openStep(rec chat.Record) int {
	if rec.State != chat.Running || rec.Text != "" {
		return -1
	}
	for i := len(rec.Trace) - 1; i >= 0; i-- {
		if rec.Trace[i].Tool == nil {
			return i
		}
	}
	return -1
}

// doing says what a running turn waits for.
func doing(rec chat.Record) string {
	if r := rec.Retry; r != nil {
		return fmt.Sprintf("Connection to the model lost, retrying (%d of %d)…", r.Attempt, r.Max)
	}
	if rec.Text != "" {
		return "Writing the answer"
	}
	if n := len(rec.Trace); n > 0 {
		last := rec.Trace[n-1]
		if last.Tool == nil {
			return "Thinking"
		}
		if !last.Tool.Done {
			verb, argument := callWords(*last.Tool)
			return verb + " " + argument
		}
	}
	return "Waiting for the model"
}
