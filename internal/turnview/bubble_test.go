package turnview

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/markdown"
	"bor/internal/verbatim"
	"bor/views"
)

func finished(rec chat.Record) chat.Turn {
	rec.Who = "brain"
	return chat.Turn{ID: 12, Conversation: 7, State: rec.State, Record: rec}
}

func answerHTML(p views.TurnPanel) string {
	var b strings.Builder
	for _, html := range p.Blocks {
		b.WriteString(string(html))
	}
	return b.String()
}

func TestPanelOfABlock(t *testing.T) {
	b := verbatim.Block{Source: "homelab", Path: "a b.ini", StartLine: 3, EndLine: 4, TotalLines: 9, Text: "x=1\n\r\n", Locator: "homelab/a b.ini#3-4", SHA256: "ab", Revision: "r1", Origin: "https://h.org/x", Encoding: "utf-16le"}
	p := panel(12, 2, b)
	want := views.Panel{Locator: b.Locator, Identity: "homelab/a b.ini", Start: 3, End: 4, Total: 9, SHA256: "ab", Revision: "r1", Origin: "https://h.org/x", Encoding: "utf-16le", Lines: p.Lines,
		OpenURL: "/document?source=homelab&path=a+b.ini&lines=3-4#L3", RawURL: "/chat/turns/12/blocks/2"}
	if !slices.EqualFunc([]views.Panel{p}, []views.Panel{want}, func(a, b views.Panel) bool {
		a.Lines, b.Lines = nil, nil
		return a.Identity == b.Identity && a.OpenURL == b.OpenURL && a.RawURL == b.RawURL && a.Cut == b.Cut && a.Encoding == b.Encoding && a.Revision == b.Revision && a.Origin == b.Origin
	}) {
		t.Errorf("%+v", p)
	}
	if len(p.Lines) != 2 || p.Lines[0].Number != 3 || p.Lines[1].Number != 4 {
		t.Errorf("lines %+v", p.Lines)
	}
	whole := b
	whole.StartLine, whole.EndLine = 1, 9
	if p := panel(12, 0, whole); p.OpenURL != "/document?source=homelab&path=a+b.ini" {
		t.Errorf("a whole document opens at %s", p.OpenURL)
	}
	for name, c := range map[string]struct {
		asked, chars        int
		cut, copyWhat, part string
	}{
		"rest":     {9, 0, "Cut here by the limit of characters for a block. Lines 5–9 are not shown.", "lines 3–4 of 9", ""},
		"one more": {5, 0, "Cut here by the limit of characters for a block. Line 5 is not shown.", "lines 3–4 of 9", ""},
		"one line": {9, 80120, "Cut here by the limit of characters for a block.", "the first 6 of 80120 characters of line 3", "first 6 of 80120 characters"},
	} {
		cut := b
		cut.Truncated, cut.AskedEnd, cut.LineChars = true, c.asked, c.chars
		p := panel(12, 0, cut)
		if p.Cut != c.cut || p.CopyWhat != c.copyWhat || p.Part != c.part || p.WholeURL != "/document?source=homelab&path=a+b.ini" || p.WholeRawURL != "/document/raw?source=homelab&path=a+b.ini" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// What stands in the place of a fence: by the record's list, by a match where it
// has none, and never the body (V6, V7, DEC9, DEC10).
func TestFencesOfARecord(t *testing.T) {
	const text = "```bor homelab/gufo.container\n" + secret + "\n```\n"
	for name, c := range map[string]struct {
		rec      chat.Record
		has, not string
	}{
		"listed":            {chat.Record{State: chat.Done, Fences: []verbatim.Fence{{Locator: gufo.Locator}}, AnswerText: []verbatim.Block{gufo}}, `data-bor-locator="homelab/gufo.container"`, "is-unresolved"},
		"listed, no block":  {chat.Record{State: chat.Done, Fences: []verbatim.Fence{{Locator: gufo.Locator}}}, notStored, "data-bor-locator"},
		"unresolved":        {chat.Record{State: chat.Done, Fences: []verbatim.Fence{{Asked: "x/<y>", Reason: "It is an image.", Source: "x", Path: "y"}}}, "It is an image.", "data-bor-locator"},
		"foreign":           {chat.Record{State: chat.Done, AnswerText: []verbatim.Block{gufo}}, `data-bor-locator="homelab/gufo.container"`, "is-unresolved"},
		"foreign, no match": {chat.Record{State: chat.Done, AnswerText: []verbatim.Block{ports}}, notStored, `data-bor-locator="homelab/gufo`},
		"nothing stored":    {chat.Record{State: chat.Done}, notStored, "data-bor-locator"},
		"stopped":           {chat.Record{State: chat.Stopped}, "The answer ended before it was looked up.", "data-bor-locator"},
		"running":           {chat.Record{State: chat.Running}, markdown.Waiting, "data-bor-locator"},
	} {
		t.Run(name, func(t *testing.T) {
			c.rec.Text = text
			html := answerHTML(Bubble(finished(c.rec), options))
			if !strings.Contains(html, c.has) || strings.Contains(html, c.not) || strings.Contains(html, secret) {
				t.Error(html)
			}
		})
	}
	off := Options{Now: now}
	if html := answerHTML(Bubble(finished(chat.Record{State: chat.Done, Text: text}), off)); !strings.Contains(html, secret) || !strings.Contains(html, "code-block") || strings.Contains(html, "verbatim") {
		t.Errorf("the feature is off, and the fence isn't the model's code: %s", html)
	}
	if html := answerHTML(Bubble(finished(chat.Record{State: chat.Done, Text: text, AnswerText: []verbatim.Block{gufo}}), off)); !strings.Contains(html, "data-bor-locator") {
		t.Errorf("an old record lost its panel: %s", html)
	}
	link := answerHTML(Bubble(finished(chat.Record{State: chat.Done, Text: text, Fences: []verbatim.Fence{{Asked: "x/y", Reason: "r", Source: "x", Path: "y"}}}), options))
	if !strings.Contains(link, `href="/document?source=x&amp;path=y"`) {
		t.Errorf("no link to the document: %s", link)
	}
}

// A block that no fence placed stands below the answer, once (V6).
func TestUnplacedBlocks(t *testing.T) {
	rec := chat.Record{State: chat.Done, Text: "See.\n\n```bor homelab/gufo.container\n```\n", AnswerText: []verbatim.Block{gufo, ports}}
	for name, fences := range map[string][]verbatim.Fence{"listed": {{Locator: gufo.Locator}}, "foreign": nil} {
		rec.Fences = fences
		p := Bubble(finished(rec), options)
		if len(p.Panels) != 1 || p.Panels[0].Locator != ports.Locator || p.Panels[0].RawURL != "/chat/turns/12/blocks/1" {
			t.Errorf("%s: %+v", name, p.Panels)
		}
	}
}

func TestEndings(t *testing.T) {
	sources := []chat.Source{{Source: "s", Path: "a.md", Title: "A"}, {Source: "s", Path: "b.md", StartLine: 3, EndLine: 5}, {Source: "s", Path: "c.md", StartLine: 3, EndLine: 3}}
	for name, c := range map[string]struct {
		rec   chat.Record
		state views.TurnState
	}{
		"done":        {chat.Record{State: chat.Done, Text: "x", Sources: sources}, views.TurnDone},
		"deflected":   {chat.Record{State: chat.Done, Text: "x", Sources: sources, Deflected: true, Suggestions: []string{"why?"}}, views.TurnDeflected},
		"error":       {chat.Record{State: chat.Failed, Error: "No."}, views.TurnError},
		"stopped":     {chat.Record{State: chat.Stopped}, views.TurnStopped},
		"interrupted": {chat.Record{State: chat.Interrupted, Text: "x"}, views.TurnInterrupted},
	} {
		p := Bubble(finished(c.rec), options)
		if p.State != c.state || p.ID != "t12" || p.RetryURL != "/chat/turns/12/retry" || (p.AnswerURL == "/chat/turns/12/answer.md") != (c.rec.Text != "") || p.Error != c.rec.Error {
			t.Errorf("%s: %+v", name, p)
		}
		var chips []string
		for _, s := range p.Sources {
			chips = append(chips, s.Text+" "+s.URL)
		}
		want := ""
		if name == "done" {
			want = "s/a.md /document?source=s&path=a.md|s/b.md:3-5 /document?source=s&path=b.md&lines=3-5#L3|s/c.md:3 /document?source=s&path=c.md&lines=3-3#L3"
		}
		if got := strings.Join(chips, "|"); got != want {
			t.Errorf("%s: chips %q", name, got)
		}
	}
	turn := running()
	if p := Bubble(turn, options); p.Age != 4 || p.State != views.TurnRunning || p.RetryURL != "" || p.Doing != "Waiting for the model" {
		t.Errorf("running: %+v", p)
	}
	turn.Started = now.Add(time.Hour) // another machine's clock
	if p := Bubble(turn, options); p.Age != 0 {
		t.Errorf("age %d", p.Age)
	}
}

func TestCallWords(t *testing.T) {
	long, empty := strings.Repeat("é", 400), ""
	for want, line := range map[string]agent.ToolLine{
		"Reading a/b":              {Name: "read", Argument: new("a/b")},
		"Read a/b":                 {Name: "read", Argument: new("a/b"), Done: true},
		"Searching for x":          {Name: "grep", Argument: new("x")},
		"Listing the sources":      {Name: "ls"},
		"Listed the sources":       {Name: "ls", Argument: &empty, Done: true},
		"Showed a/b":               {Name: "show_text", Argument: new("a/b"), Done: true},
		"Calling weather oslo":     {Name: "weather", Argument: new("oslo")},
		"Called weather":           {Name: "weather", Done: true},
		"Read " + long[:600] + "…": {Name: "read", Argument: &long, Done: true},
	} {
		verb, argument := callWords(line)
		if got := strings.TrimSpace(verb + " " + argument); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := truncation(agent.ToolLine{Truncated: true, CharsShown: 5, CharsTotal: 9}); got != "(truncated — showing 5 of 9 chars)" {
		t.Errorf("%q", got)
	}
}

func TestAddresses(t *testing.T) {
	for want, got := range map[string]string{
		"/c/7": ConversationURL(7), "/chat/turns/12/events?after=4": EventsURL(12, 4), "/chat/turns/12/stop": StopURL(12),
		"/document?source=s&path=a%23b%3Fc%26d%2Fe.md&lines=9-9#L9": documentURL("s", "a#b?c&d/e.md", 9, 0),
		"": identityURL("nothing", 0, 0),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestKeepsPanel(t *testing.T) {
	const slot = `<div class="fence-slot" id="t1-f0">`
	for html, want := range map[string]bool{
		"": false, "<p>x</p>": false, slot + "<figure></figure></div>": false, slot + "</div>": true,
		"<li>" + slot + "<figure></figure></div></li><li>" + slot + "</div></li>": true,
	} {
		if keepsPanel(html) != want {
			t.Errorf("%s: %v", html, !want)
		}
	}
}
