package chat

import (
	"slices"
	"strings"
	"unicode/utf8"

	"bor/internal/verbatim"
)

// Apply folds the next event into the record. Folding a turn's events in order
// into an empty record gives the record that the turn ends with.
func (r *Record) Apply(e Event) {
	if e.Kind != KindRetry {
		r.Retry = nil
	}
	switch e.Kind {
	case KindThinking:
		if n := len(r.Trace); n > 0 && r.Trace[n-1].Tool == nil {
			r.Trace[n-1].Thinking += e.Text
		} else {
			r.Trace = append(r.Trace, Step{Thinking: e.Text})
		}
	case KindTool:
		line := *e.Tool
		r.Trace = append(r.Trace, Step{Tool: &line})
	case KindToolResult:
		for i := len(r.Trace) - 1; i >= 0; i-- {
			if t := r.Trace[i].Tool; t != nil && !t.Done {
				line := *e.Tool
				line.Done = true
				r.Trace[i].Tool = &line
				break
			}
		}
		if e.Tool.Image != nil {
			r.AnswerImage = append(r.AnswerImage, *e.Tool.Image)
		}
	case KindRetry:
		r.Retry = e.Retry
	case KindDelta:
		r.Text += e.Text
	case KindRetract:
		r.Text = e.Retract.of(r.Text)
		r.Fences = slices.Clip(r.Fences[:min(e.Retract.Fences, len(r.Fences))])
		r.AnswerText = slices.Clip(r.AnswerText[:min(placed(r.Fences), len(r.AnswerText))])
	case KindFence:
		f := *e.Fence
		if f.Block != nil {
			r.AnswerText = append(r.AnswerText, *f.Block)
			f.Block = nil
		}
		r.Fences = append(r.Fences, f)
	case KindDone, KindError:
		*r = *e.Record
	}
}

// of is the text without its end.
func (t Retraction) of(text string) string {
	for range t.Chars {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// placed is how many blocks fences show: each has one, at its first fence.
func placed(fences []verbatim.Fence) int {
	locators := map[string]bool{}
	for _, f := range fences {
		if f.Locator != "" {
			locators[f.Locator] = true
		}
	}
	return len(locators)
}

// fold folds events as they come, in time linear in their text however long the
// answer grows: texts are kept in builders until somebody asks for the record.
type fold struct {
	rest     Record // all but the two texts below
	text     strings.Builder
	said     int             // bytes of text ever, retracted ones included
	thinking strings.Builder // of the last step of the trace, as far as rest lacks it
	thought  int             // bytes of thinking that rest has
}

func newFold() fold { return fold{rest: Record{Who: "brain", State: Running}} }

func (f *fold) apply(e Event) {
	switch e.Kind {
	case KindDelta:
		f.text.WriteString(e.Text)
		f.said += len(e.Text)
		f.rest.Retry = nil
	case KindThinking:
		if k := len(f.rest.Trace); k == 0 || f.rest.Trace[k-1].Tool != nil {
			f.rest.Trace = append(f.rest.Trace, Step{})
		}
		f.thinking.WriteString(e.Text)
		f.rest.Retry = nil
	case KindRetract:
		left := e.Retract.of(f.text.String())
		f.text.Reset()
		f.text.WriteString(left)
		f.rest.Apply(e)
	default:
		f.settle()
		f.rest.Apply(e)
	}
}

// settle moves the open thinking into its step.
func (f *fold) settle() {
	if f.thinking.Len() == 0 {
		return
	}
	f.rest.Trace[len(f.rest.Trace)-1].Thinking += f.thinking.String()
	f.thought += f.thinking.Len()
	f.thinking.Reset()
}

// record is the fold of everything so far. It shares nothing that later events
// change.
func (f *fold) record() Record {
	r := f.rest
	r.Trace = slices.Clone(r.Trace)
	if f.thinking.Len() > 0 {
		r.Trace[len(r.Trace)-1].Thinking += f.thinking.String()
	}
	r.AnswerText = slices.Clip(r.AnswerText)
	r.Fences = slices.Clip(r.Fences)
	r.AnswerImage = slices.Clip(r.AnswerImage)
	if r.State == Running {
		r.Text = f.text.String()
	}
	return r
}

func (f *fold) state() State { return f.rest.State }

// thoughts is the bytes of thinking so far.
func (f *fold) thoughts() int { return f.thought + f.thinking.Len() }
