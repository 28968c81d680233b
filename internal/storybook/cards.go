package storybook

import (
	"encoding/json"
	"fmt"
	"strings"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/turnview"
	"bor/internal/verbatim"
	"bor/views"
)

// card is what a call brought, as a page of its own.
func card(step chat.Step, blocks ...verbatim.Block) View {
	return page(views.StepPage, views.CardPage{Card: cardOf(step, blocks...), Back: turnview.ConversationURL(conversation)})
}

func cardOf(step chat.Step, blocks ...verbatim.Block) views.Card {
	c, ok := turnview.Card(turn(12, question, chat.Record{State: chat.Done, Trace: []chat.Step{step}, AnswerText: blocks}), 0)
	if !ok {
		panic("storybook: this step has no card")
	}
	return c
}

// malformed are structures that no card can be made of (AG8), each with why.
var malformed = []struct{ why, card string }{
	{"absent", `null`}, {"no object", `[1, 2]`}, {"no lines", `{"path":"homelab/a","offset":1,"totalLines":9}`},
	{"a number as text", `{"path":"homelab/a","offset":"1","lines":[],"totalLines":9}`},
	{"a language that is no text", `{"path":"homelab/a","offset":1,"lines":[],"totalLines":9,"lang":7}`},
	{"offset below 1", `{"path":"homelab/a","offset":0,"lines":[],"totalLines":9}`},
	{"numbers that fall", `{"path":"homelab/a","offset":1,"lines":[{"number":2,"text":"b"},{"number":1,"text":"a"}],"totalLines":9}`},
	{"a number past the total", `{"path":"homelab/a","offset":1,"lines":[{"number":10,"text":"b"}],"totalLines":9}`},
	{"a line that holds two", `{"path":"homelab/a","offset":1,"lines":[{"number":1,"text":"a\nb"}],"totalLines":9}`},
}

func cards() []Story {
	const group = "Cards of tool calls"
	read := func(c agent.ReadCard) chat.Step { return call("read", c.Path, "", "", c) }
	var many agent.GrepCard
	for n := range 20 {
		many.Matches = append(many.Matches, agent.GrepMatch{Path: "homelab/" + deepPath, Number: 100 + n, Text: strings.Repeat("a battery that speaks of batteries ", n)})
	}
	many.Pattern, many.Total, many.More = "battery", 1000, true
	rows := []agent.ListRow{{Path: "homelab/notes/", Documents: 210}, {Path: "homelab/quadlets/", Documents: 1}, {Path: "homelab/" + deepPath, Title: "A title that is rather long, " + strings.Repeat("and goes on, ", 20)}, {Path: "homelab/" + worldPath, Title: rtl}}
	var wrong []part
	for _, m := range malformed {
		s := call("read", "homelab/a", "", "     1\tthe text that the model got for: "+m.why, m.card)
		wrong = append(wrong, part{m.why, views.StepCard(cardOf(s))})
	}
	return []Story{
		{"card-read", group, "A window of a document.", card(read(readLines("homelab/quadlets/gufo.container", "ini", quadlet, 1, 12)))},
		{"card-read-cut", group, "A read that was cut.", card(truncated(read(readLines("homelab/"+deepPath, "sh", scriptText, 99998, 412331)), 128000, 412331))},
		{"card-read-empty", group, "A cap below the first line.", card(read(agent.ReadCard{Path: "homelab/data/dump.json", Offset: 4, Lines: []agent.CardLine{}, TotalLines: 9}))},
		{"card-read-odd", group, "Controls and odd characters.", card(read(readLines("homelab/"+worldPath, "", controls, 1, 20)))},
		{"card-grep", group, "A page of matches, more counted.", card(call("grep", "battery", "", "", many))},
		{"card-grep-none", group, "No matches.", card(call("grep", "nothing at all", "", "", agent.GrepCard{Pattern: "nothing at all"}))},
		{"card-list", group, "A level of the tree, cut.", card(call("ls", "homelab", "", "", agent.ListCard{Path: "homelab", Rows: rows, More: 1280}))},
		{"card-list-sources", group, "The sources.", card(call("ls", "", "", "", agent.ListCard{Rows: []agent.ListRow{{Path: "homelab/", Documents: 1284}, {Path: "blog/", Documents: 1}}}))},
		{"card-list-empty", group, "An empty folder.", card(call("ls", "homelab/empty", "", "", agent.ListCard{Path: "homelab/empty", Rows: []agent.ListRow{}}))},
		{"card-show", group, "A pointer to a panel.", card(call("show_text", "homelab/quadlets/gufo.container", "", "", agent.ShowCard{Locator: gufoBlock.Locator}), gufoBlock)},
		{"card-refused", group, "An error's words; a call without any.", parts("Results without a structure",
			part{"A refusal", views.StepCard(cardOf(call("read", "homelab/nowhere.md", "", fmt.Sprintf("There is no document %q. A path is the whole identity, source/path.", "homelab/nowhere.md"), "null")))},
			part{"An unknown tool", views.StepCard(cardOf(call("mail_search", "", "", "This server has no tool of that name.", json.RawMessage(`{"path":"x"}`))))},
			part{"Nothing", views.StepCard(cardOf(call("read", "homelab/a", "", "", "null")))},
			part{"A long line", views.StepCard(cardOf(call("read", "homelab/a", "", strings.Repeat("w", 3000), "null")))})},
		{"card-malformed", group, "Structures that can't be read: the stored text.", parts("Malformed structures", wrong...)},
	}
}
