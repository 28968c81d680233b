package storybook

import (
	"strings"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/turnview"
	"bor/internal/verbatim"
	"bor/static"
	"bor/views"
)

// conversationPage is a conversation with a composer that fits its last turn.
func conversationPage(turns ...chat.Turn) views.ChatPage {
	p := views.ChatPage{Composer: views.Composer{Conversation: "7", SubmitID: "story", Placeholder: "Ask about your homelab…"}}
	for _, t := range turns {
		p.Exchanges = append(p.Exchanges, exchange(t))
		if t.State == chat.Running {
			p.Composer.StopURL = turnview.StopURL(t.ID)
		}
	}
	return p
}

func talk(turns ...chat.Turn) View { return page(views.Chat, conversationPage(turns...)) }

const question = "Show me the quadlet for gufo."

var longThought = strings.Repeat("Where might the owl's file be? The notes speak of a nest, and of a port that changed in spring. ", 25)

// running is a turn that is under way.
func running(rec chat.Record) View {
	rec.State = chat.Running
	return talk(turn(12, question, rec))
}

// ended is a turn that has.
func ended(rec chat.Record) View { return talk(turn(12, question, rec)) }

// calling is a call that has no result yet.
func calling(name, argument string) chat.Step {
	return chat.Step{Tool: &agent.ToolLine{Name: name, Argument: &argument}}
}

var someText = "The quadlet runs `gufo` from the registry and publishes **port 8137**.\n\n"

// endings is a conversation in which every answer ended in another way, and one
// goes on.
func endings() []chat.Turn {
	return []chat.Turn{
		turn(1, question, chat.Record{State: chat.Done, Text: someText + fence(gufoBlock.Locator), AnswerText: []verbatim.Block{gufoBlock}, Fences: []verbatim.Fence{{Locator: gufoBlock.Locator}},
			Sources: []chat.Source{{Source: "homelab", Path: "quadlets/gufo.container"}}}),
		turn(2, "What is the capital of Mongolia?", chat.Record{State: chat.Done, Deflected: true, Text: "I have no notes on that.", Suggestions: []string{"Which port does unbound use?", "How is the array laid out?"}}),
		turn(3, question, chat.Record{State: chat.Failed, Error: "The model server answered 404: it has no model with this name. Check BOR_LLM_MODEL, then retry."}),
		turn(4, question, chat.Record{State: chat.Stopped, Text: "The quadlet runs"}),
		turn(5, question, chat.Record{State: chat.Interrupted, Text: "The quadlet runs"}),
		turn(6, question, chat.Record{State: chat.Done, Incomplete: chat.CutByLength, Text: "The quadlet runs gufo from"}),
		turn(7, question, chat.Record{State: chat.Running, Text: "The quadlet runs"}),
	}
}

func turns() []Story {
	const states, answers = "Answers while they run", "Answers that have ended"
	openText := someText + "1. Pull the image\n2. Start it\n\nThen look at the *journal"
	return []Story{
		{"turn-waiting", states, "Nothing has come yet; Send says Stop.", running(chat.Record{})},
		{"turn-thinking", states, "Thinking streams into an open fold that scrolls inside itself.", running(chat.Record{Trace: []chat.Step{{Thinking: longThought}}})},
		{"turn-thinking-folded", states, "The answer has begun, so the thinking is folded.", running(chat.Record{Trace: []chat.Step{{Thinking: longThought}}, Text: "The quadlet"})},
		{"turn-reading", states, "A read is under way, others are done.", running(chat.Record{Trace: append(trace(), calling("read", "homelab/dns.md"))})},
		{"turn-searching", states, "A search for a long pattern is under way.", running(chat.Record{Trace: []chat.Step{calling("grep", strings.Repeat("a long pattern ", 60))}})},
		{"turn-listing", states, "A listing is under way.", running(chat.Record{Trace: []chat.Step{calling("ls", "")}})},
		{"turn-showing", states, "A block is being registered.", running(chat.Record{Trace: []chat.Step{calling("show_text", "homelab/quadlets/gufo.container")}})},
		{"turn-retrying", states, "The connection to the model was lost.", running(chat.Record{Trace: trace()[:3], Retry: &chat.Retry{Attempt: 2, Max: 3}})},
		{"turn-streaming", states, "Finished blocks, and the text of an open one.", running(chat.Record{Trace: trace()[:1], Text: openText})},
		{"turn-streaming-panel", states, "One panel is there, another is being looked up.", running(chat.Record{Text: someText + fence(gufoBlock.Locator) + "And the script:\n\n" + fence(scriptBlock.Locator),
			AnswerText: []verbatim.Block{gufoBlock}, Fences: []verbatim.Fence{{Locator: gufoBlock.Locator}}})},

		{"turn-done", answers, "Headings, lists, tables, quotes, code, panels, sources, suggestions.", talk(feast())},
		{"turn-endings", answers, "Every way an answer ends, and a running one.", talk(endings()...)},
		{"turn-incomplete-length", answers, "Cut off by the model's limit.", ended(chat.Record{State: chat.Done, Incomplete: chat.CutByLength, Text: someText + "and then it"})},
		{"turn-incomplete-filter", answers, "Cut off by the server's filter.", ended(chat.Record{State: chat.Done, Incomplete: chat.CutByFilter, Text: someText})},
		{"turn-incomplete-no-end", answers, "Ended without a sign that it is complete.", ended(chat.Record{State: chat.Done, Incomplete: chat.NoEnd, Text: someText})},
		{"turn-deflected", answers, "No notes on it; questions that have an answer.", talk(endings()[1])},
		{"turn-error", answers, "Failed before any text.", talk(endings()[2])},
		{"turn-error-late", answers, "Failed amid the text, after tools, with a cause without blanks.", ended(chat.Record{State: chat.Failed, Trace: trace(), Text: openText,
			Error: "The connection to the model was lost: https://llm.example/" + strings.Repeat("v1", 120) + ". What came is kept; retry asks again."})},
		{"turn-error-unknown", answers, "Failed without words.", ended(chat.Record{State: chat.Failed})},
		{"turn-stopped", answers, "Stopped amid the text.", ended(chat.Record{State: chat.Stopped, Trace: trace(), Text: openText})},
		{"turn-stopped-early", answers, "Stopped before anything came.", ended(chat.Record{State: chat.Stopped})},
		{"turn-stopped-fence", answers, "Stopped before a fence was looked up.", ended(chat.Record{State: chat.Stopped, Text: someText + fence(gufoBlock.Locator)})},
		{"turn-interrupted", answers, "The server restarted.", ended(chat.Record{State: chat.Interrupted, Text: openText})},
		{"turn-registered", answers, "A block that no fence placed stands below the answer.", ended(chat.Record{State: chat.Done, Text: someText, AnswerText: []verbatim.Block{gufoBlock}})},
		{"turn-empty", answers, "Done, and nothing to show.", ended(chat.Record{State: chat.Done})},
		{"turn-long", answers, "A long question and a long answer without structure.", talk(turn(12, strings.Repeat(question+" ", 80), chat.Record{State: chat.Done, Text: strings.Repeat(someText, 30)}))},
		{"turn-wide", answers, "Words, paths and addresses without a place to break.", talk(turn(12, strings.Repeat("any-length-", 60), chat.Record{State: chat.Done,
			Trace: []chat.Step{{Thinking: strings.Repeat("w", 400)}, call("read", "homelab/"+strings.Repeat("x", 600), strings.Repeat("n", 200), "", "null")},
			Text:  "# " + strings.Repeat("H", 200) + "\n\n" + strings.Repeat("w", 400) + "\n\n- " + strings.Repeat("i", 300) + "\n\n> " + strings.Repeat("q", 300) + "\n\n`" + strings.Repeat("c", 300) + "`\n\n| " + strings.Repeat("t", 300) + " | b |\n|---|---|\n| 1 | 2 |\n\n" + fence(strings.Repeat("f", 300)), Fences: []verbatim.Fence{{Asked: strings.Repeat("f", 300), Reason: strings.Repeat("r", 300)}},
			Sources: []chat.Source{{Source: "homelab", Path: strings.Repeat("s", 300)}}, Suggestions: []string{strings.Repeat("s", 300)}}))},
		{"turn-world", answers, "Right to left, emoji, scripts of the world.", talk(turn(12, rtl, chat.Record{State: chat.Done,
			Trace:      []chat.Step{{Thinking: rtl}, call("read", "homelab/"+worldPath, "lines 1–2 of 2", "", readLines("homelab/"+worldPath, "", rtl+"\n再起動", 1, 2))},
			Text:       "# " + rtl + "\n\n" + rtl + "\n\n- " + rtl + "\n- 再起動の手順\n\n> " + rtl + "\n\n| خدمة | 港 |\n|---|--:|\n| " + rtl + " | 8137 |\n\n" + fence("homelab/"+worldPath),
			AnswerText: []verbatim.Block{block("homelab/"+worldPath, rtl+"\n再起動 👩‍👩‍👧\n", 1, 2)}, Fences: []verbatim.Fence{{Locator: "homelab/" + worldPath}},
			Sources: []chat.Source{{Source: "homelab", Path: worldPath, Title: rtl, StartLine: 1, EndLine: 2}}, Suggestions: []string{rtl}}))},
		{"figures", answers, "Images below an answer, with the place they take.", figures()},
		{"panels", "Verbatim panels", "Exact text in every state (V8).", panels()},
	}
}

// figures shows images; all of them are the product's own icon.
func figures() View {
	figure := func(about string, f views.Figure) part {
		f.URL, f.OpenURL = static.URL("icon.svg"), "/document?source=homelab&path=rack.png"
		return part{about, views.AnswerImage(f)}
	}
	return parts("Figures",
		figure("Small", views.Figure{Caption: "The rack in the cellar", Width: 64, Height: 64}),
		figure("Wider than the column", views.Figure{Caption: "The rack in the cellar", Width: 4000, Height: 4000}),
		figure("Of unknown size, with a long title", views.Figure{Caption: strings.Repeat("rack-", 100)}),
		figure("Right to left", views.Figure{Caption: rtl, Width: 64, Height: 64}),
	)
}

// panels shows stored blocks, and places without one.
func panels() View {
	panel := func(about string, b verbatim.Block) part {
		return part{about, views.VerbatimPanel(turnview.Bubble(turn(12, question, chat.Record{State: chat.Done, AnswerText: []verbatim.Block{b}}), look).Panels[0])}
	}
	long := block("homelab/logs/ups-events.log", strings.Repeat("2026-03-14 04:00:00 ups event: battery at 97 percent\n", 310), 1100, 1842)
	cut, line, decoded := long, block("homelab/data/dump.json", `{"`+strings.Repeat("no line end, ", 900), 1, 1), block("homelab/windows/hosts.ini", "[hosts]\r\nname=Käuzchen\r\n", 1, 2)
	cut.Truncated, cut.AskedEnd = true, 1842
	line.Truncated, line.LineChars = true, 412331
	decoded.Encoding = "utf-16le"
	return parts("Verbatim panels",
		panel("A whole document, with colours", scriptBlock),
		panel("One line", block("homelab/notes/ports.md", "| gufo | 8137 |\n", 118, 1842)),
		panel("Many lines, a wide gutter", long),
		panel("Cut by the limit", cut),
		panel("One line, cut", line),
		panel("Decoded, with CR LF", decoded),
		panel("An empty document", block("homelab/empty.conf", "", 1, 0)),
		panel("Controls and odd characters", block("homelab/"+worldPath, controls, 1, 14)),
		panel("A deep path and a long line", block("homelab/"+deepPath, strings.Repeat("wide ", 400)+"\n", 1, 1)),
		part{"Unresolved", views.UnresolvedPanel(views.Unresolved{Asked: "homelab/nowhere.md", Reason: "There is no document with this name."})},
		part{"Unresolved, of a document that exists", views.UnresolvedPanel(views.Unresolved{Asked: "homelab/" + deepPath + "#90-95", Reason: "Line 90 is past its end: the document has 12 lines.", URL: "/document?source=homelab&path=x"})},
	)
}
