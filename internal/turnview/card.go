package turnview

import (
	"encoding/json"
	"fmt"
	"strings"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/markdown"
	"bor/views"
)

// Card is what the n-th step of a turn brought. ok is false when there is no such
// step, it is no call, or the call has no result yet.
//
// The set of cards is closed. A structure that is absent, malformed or wrong in
// meaning gives the generic card with the stored text, so that no record can
// break a page (AG8).
func Card(t chat.Turn, n int) (card views.Card, ok bool) {
	if n < 0 || n >= len(t.Record.Trace) {
		return views.Card{}, false
	}
	line := t.Record.Trace[n].Tool
	if line == nil || !line.Done {
		return views.Card{}, false
	}
	verb, argument := callWords(*line)
	card.Title = verb
	if argument != "" {
		card.Title += " " + argument
	}
	switch line.Name {
	case "read":
		card.Read = readCard(*line)
	case "grep":
		card.Grep = grepCard(*line)
	case "ls":
		card.List = listCard(*line)
	case "show_text":
		card.Show = showCard(t, *line)
	}
	if card.Read == nil && card.Grep == nil && card.List == nil && card.Show == nil {
		card.Text = line.Text
	}
	return card, true
}

// readCard shows a read's structure; nil is "not a read card".
func readCard(t agent.ToolLine) *views.ReadCard {
	c, ok := agent.ParseReadCard(t.Card)
	if !ok {
		return nil
	}
	card := &views.ReadCard{Identity: c.Path, Truncated: truncation(t)}
	if len(c.Lines) == 0 {
		card.Range = fmt.Sprintf("from line %d of %d", c.Offset, c.TotalLines)
		card.OpenURL = identityURL(c.Path, c.Offset, c.Offset)
		return card
	}
	var text strings.Builder
	for _, l := range c.Lines {
		text.WriteString(l.Text + "\n")
	}
	last := c.Lines[len(c.Lines)-1].Number
	card.OpenURL = identityURL(c.Path, c.Offset, last)
	card.Range = fmt.Sprintf("lines %d–%d of %d", c.Lines[0].Number, last, c.TotalLines)
	for i, html := range markdown.Code(text.String(), c.Lang) {
		if i == len(c.Lines) {
			return nil // a line's text held a line end: the structure isn't one of lines
		}
		card.Lines = append(card.Lines, views.CodeLine{Number: c.Lines[i].Number, HTML: views.SafeHTML(html)})
	}
	return card
}

func grepCard(t agent.ToolLine) *views.GrepCard {
	var c agent.GrepCard
	if json.Unmarshal(t.Card, &c) != nil || c.Pattern == "" || c.Total < len(c.Matches) {
		return nil
	}
	card := &views.GrepCard{Pattern: c.Pattern, Count: fmt.Sprintf("%d of %d", len(c.Matches), c.Total)}
	if c.More {
		card.Count += "+"
	}
	for _, m := range c.Matches {
		if m.Number < 1 {
			return nil
		}
		card.Matches = append(card.Matches, views.GrepMatch{Identity: m.Path, Number: m.Number, Text: m.Text, URL: identityURL(m.Path, m.Number, m.Number)})
	}
	return card
}

func listCard(t agent.ToolLine) *views.ListCard {
	var c agent.ListCard
	if json.Unmarshal(t.Card, &c) != nil || c.Rows == nil || c.More < 0 {
		return nil
	}
	card := &views.ListCard{Path: c.Path, More: c.More}
	for _, r := range c.Rows {
		row := views.ListRow{Path: r.Path, Title: r.Title, Count: r.Documents, Summary: r.Summary}
		if !strings.HasSuffix(r.Path, "/") {
			row.URL = identityURL(r.Path, 0, 0)
		}
		card.Rows = append(card.Rows, row)
	}
	return card
}

// showCard points to where the answer shows the block.
func showCard(t chat.Turn, line agent.ToolLine) *views.ShowCard {
	var c agent.ShowCard
	if json.Unmarshal(line.Card, &c) != nil || c.Locator == "" {
		return nil
	}
	card := &views.ShowCard{Locator: c.Locator, URL: ConversationURL(t.Conversation) + "#" + ID(t.ID)}
	for n, f := range t.Record.Fences {
		if f.Locator == c.Locator {
			card.URL = fmt.Sprintf("%s#%sf%d", ConversationURL(t.Conversation), prefix(t.ID), n)
			break
		}
	}
	return card
}
