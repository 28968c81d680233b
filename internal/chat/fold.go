package chat

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
	case KindRetry:
		r.Retry = e.Retry
	case KindDelta:
		r.Text += e.Text
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
