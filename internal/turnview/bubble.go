package turnview

import (
	"fmt"
	"time"

	"bor/internal/chat"
	"bor/internal/markdown"
	"bor/internal/verbatim"
	"bor/views"
)

// Options are what a bubble depends on besides its turn.
type Options struct {
	Now time.Time // for how long the turn has been running
	// AnswerText is BOR_ANSWER_TEXT. While it is off, a locator fence of a turn
	// without any stored block or fence is plain code; a record that has some
	// keeps its panels (DEC10).
	AnswerText bool
}

// placesText tells whether a record's locator fences are places for exact text.
func (o Options) placesText(rec *chat.Record) bool {
	return o.AnswerText || len(rec.Fences) > 0 || len(rec.AnswerText) > 0
}

// Bubble is a turn as it stands: finished, or running with what its record holds
// so far.
func Bubble(t chat.Turn, o Options) views.TurnPanel {
	stream, _ := answer(t.ID, &t.Record, o)
	stream.Write(t.Record.Text)
	defer stream.Close() // an open block holds resources
	if t.Record.State != chat.Running {
		stream.Close()
	}
	return bubble(t, o, stream)
}

// prefix begins every id inside a turn's bubble.
func prefix(turn int64) string { return fmt.Sprintf("t%d-", turn) }

// ID is the id of a turn's bubble on the page.
func ID(turn int64) string { return fmt.Sprintf("t%d", turn) }

// answer is the renderer of a turn's text, and what it puts in the places of
// locator fences.
func answer(turn int64, rec *chat.Record, o Options) (*markdown.Stream, *fences) {
	f := &fences{turn: turn, rec: rec, html: map[int]string{}, shown: map[int]string{}}
	options := markdown.Options{IDPrefix: prefix(turn), IsLocator: verbatim.IsLocator}
	if o.placesText(rec) {
		options.Fence = func(n int, asked markdown.Fence) string {
			f.shown[n], _ = f.at(n, asked)
			return f.shown[n]
		}
	}
	return markdown.NewStream(options), f
}

// bubble is the page model of a turn whose text the stream has rendered.
func bubble(t chat.Turn, o Options, stream *markdown.Stream) views.TurnPanel {
	p := frame(t, o, stream.Fences())
	open := openStep(t.Record)
	for i, s := range t.Record.Trace {
		p.Steps = append(p.Steps, step(t.ID, i, s, i == open))
	}
	for _, b := range stream.Blocks() {
		p.Blocks = append(p.Blocks, views.SafeHTML(b.HTML))
	}
	return p
}

// frame is a bubble without its trace and answer: state and ending.
func frame(t chat.Turn, o Options, shown []markdown.Fence) views.TurnPanel {
	rec := t.Record
	p := views.TurnPanel{ID: ID(t.ID), State: state(rec)}
	if rec.State == chat.Running {
		p.Doing = doing(rec)
		p.Age = max(0, int(o.Now.Sub(t.Started)/time.Second))
		return p
	}
	p.Panels = unplaced(t.ID, rec, shown)
	p.Figures = figures(t.ID, rec)
	p.Error, p.Suggestions = rec.Error, rec.Suggestions
	p.RetryURL = turnURL(t.ID, "retry")
	if rec.Text != "" || len(p.Panels) > 0 || len(p.Figures) > 0 {
		p.AnswerURL = turnURL(t.ID, "answer.md")
	}
	if p.State == views.TurnError && p.Error == "" {
		p.Error = "The answer could not be finished. Your question is kept: ask it again."
	}
	if rec.State == chat.Done {
		p.Note = incompleteWords[rec.Incomplete]
	}
	if !rec.Deflected {
		for _, s := range rec.Sources {
			p.Sources = append(p.Sources, source(s))
		}
	}
	return p
}

// incompleteWords tell that an answer may lack its end, and what to do (REL1).
var incompleteWords = map[chat.Incomplete]string{
	chat.CutByLength: "Cut off at the model’s length limit. Ask it to go on.",
	chat.CutByFilter: "Cut off by the model server’s content filter.",
	chat.NoEnd:       "The model’s reply ended without a sign that it was complete, so the end may be missing. Retry asks again.",
}

func state(rec chat.Record) views.TurnState {
	switch {
	case rec.State == chat.Running:
		return views.TurnRunning
	case rec.State == chat.Failed:
		return views.TurnError
	case rec.State == chat.Stopped:
		return views.TurnStopped
	case rec.State == chat.Interrupted:
		return views.TurnInterrupted
	case rec.Deflected:
		return views.TurnDeflected
	default:
		return views.TurnDone
	}
}

// source is a document's chip: its identity, with the lines that matter.
func source(s chat.Source) views.Link {
	link := views.Link{Text: s.Source + "/" + s.Path, URL: documentURL(s.Source, s.Path, s.StartLine, s.EndLine), Title: s.Title}
	switch {
	case s.StartLine < 1:
	case s.EndLine > s.StartLine:
		link.Text += fmt.Sprintf(":%d-%d", s.StartLine, s.EndLine)
	default:
		link.Text += fmt.Sprintf(":%d", s.StartLine)
	}
	return link
}
