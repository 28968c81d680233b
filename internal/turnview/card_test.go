package turnview

import (
	"encoding/json"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/verbatim"
	"bor/views"
)

func turnWith(lines ...agent.ToolLine) chat.Turn {
	t := chat.Turn{ID: 12, Conversation: 7, Record: chat.Record{State: chat.Done}}
	for i := range lines {
		t.Record.Trace = append(t.Record.Trace, chat.Step{Tool: &lines[i]})
	}
	return t
}

func cardOf(t *testing.T, name, structure string) views.Card {
	t.Helper()
	argument := "homelab/dns.md"
	card, ok := Card(turnWith(agent.ToolLine{Name: name, Argument: &argument, Done: true, Text: "the text", Card: json.RawMessage(structure)}), 0)
	if !ok {
		t.Fatal("no card")
	}
	return card
}

// A structure that is absent, malformed or wrong in meaning gives the generic card
// with the stored text (AG8).
func TestReadCardOrGeneric(t *testing.T) {
	const good = `{"path":"homelab/dns.md","offset":3,"lines":[{"number":3,"text":"a"},{"number":4,"text":"b\r"}],"totalLines":9,"lang":"ini"}`
	for name, structure := range map[string]string{
		"good":            good,
		"no lang":         strings.Replace(good, `,"lang":"ini"`, "", 1),
		"unknown key":     strings.Replace(good, `{`, `{"new":1,`, 1),
		"gap":             strings.Replace(good, `"number":4`, `"number":7`, 1),
		"first behind it": strings.Replace(good, `"offset":3`, `"offset":2`, 1),
		"empty window":    `{"path":"homelab/dns.md","offset":5,"lines":[],"totalLines":9}`,
	} {
		card := cardOf(t, "read", structure)
		if card.Read == nil || card.Text != "" || card.Read.Identity != "homelab/dns.md" {
			t.Errorf("%s: generic", name)
		}
	}
	for name, structure := range map[string]string{
		"absent":              ``,
		"null":                `null`,
		"not an object":       `[1]`,
		"a string":            `"x"`,
		"broken":              `{"path":`,
		"no path":             strings.Replace(good, `"path":"homelab/dns.md",`, "", 1),
		"no offset":           strings.Replace(good, `"offset":3,`, "", 1),
		"no lines":            `{"path":"a/b","offset":1,"totalLines":9}`,
		"no total":            strings.Replace(good, `"totalLines":9,`, "", 1),
		"path a number":       strings.Replace(good, `"homelab/dns.md"`, `1`, 1),
		"path null":           strings.Replace(good, `"homelab/dns.md"`, `null`, 1),
		"lines null":          `{"path":"a/b","offset":1,"lines":null,"totalLines":9}`,
		"lines an object":     `{"path":"a/b","offset":1,"lines":{},"totalLines":9}`,
		"line null":           strings.Replace(good, `{"number":3,"text":"a"}`, `null`, 1),
		"line a string":       strings.Replace(good, `{"number":3,"text":"a"}`, `"a"`, 1),
		"line without text":   strings.Replace(good, `,"text":"a"`, "", 1),
		"line without number": strings.Replace(good, `"number":3,`, "", 1),
		"text a number":       strings.Replace(good, `"text":"a"`, `"text":1`, 1),
		"lang a number":       strings.Replace(good, `"ini"`, `1`, 1),
		"lang null":           strings.Replace(good, `"ini"`, `null`, 1),
		"offset 0":            strings.Replace(good, `"offset":3`, `"offset":0`, 1),
		"offset negative":     strings.Replace(good, `"offset":3`, `"offset":-3`, 1),
		"offset a fraction":   strings.Replace(good, `"offset":3`, `"offset":3.5`, 1),
		"first below offset":  strings.Replace(good, `"offset":3`, `"offset":4`, 1),
		"numbers repeat":      strings.Replace(good, `"number":4`, `"number":3`, 1),
		"numbers fall":        strings.Replace(good, `"number":4`, `"number":2`, 1),
		"past the total":      strings.Replace(good, `"number":4`, `"number":10`, 1),
		"negative number":     strings.Replace(good, `"number":3`, `"number":-3`, 1),
		"negative total":      `{"path":"a/b","offset":1,"lines":[],"totalLines":-1}`,
		"a line with two":     strings.Replace(good, `"text":"a"`, `"text":"a\nb"`, 1),
	} {
		if card := cardOf(t, "read", structure); card.Read != nil || card.Text != "the text" {
			t.Errorf("%s: not generic", name)
		}
	}
}

func TestReadCard(t *testing.T) {
	card := cardOf(t, "read", `{"path":"homelab/dns.md","offset":3,"lines":[{"number":3,"text":"<a>"},{"number":7,"text":"b\r"}],"totalLines":9}`)
	if card.Title != "Read homelab/dns.md" || card.Read.Range != "lines 3–7 of 9" || card.Read.OpenURL != "/document?source=homelab&path=dns.md&lines=3-7#L3" {
		t.Errorf("%+v", *card.Read)
	}
	if l := card.Read.Lines; len(l) != 2 || l[0].Number != 3 || l[0].HTML != "&lt;a&gt;\n" || l[1].Number != 7 || !strings.Contains(string(l[1].HTML), "&#13;") {
		t.Errorf("lines %+v", l)
	}
	if card = cardOf(t, "read", `{"path":"noslash","offset":5,"lines":[],"totalLines":9}`); card.Read.Range != "from line 5 of 9" || card.Read.OpenURL != "" {
		t.Errorf("%+v", *card.Read)
	}
}

func TestOtherCards(t *testing.T) {
	card := cardOf(t, "grep", `{"pattern":"gufo","matches":[{"path":"homelab/a b.md","number":3,"text":"gufo"}],"total":1000,"more":true}`)
	if g := card.Grep; g == nil || g.Count != "1 of 1000+" || g.Matches[0].URL != "/document?source=homelab&path=a+b.md&lines=3-3#L3" {
		t.Errorf("grep: %+v", card)
	}
	card = cardOf(t, "ls", `{"path":"homelab","rows":[{"path":"homelab/notes/","documents":3},{"path":"homelab/dns.md","title":"DNS"}],"more":2}`)
	if l := card.List; l == nil || l.More != 2 || l.Rows[0].URL != "" || l.Rows[0].Count != 3 || l.Rows[1].URL != "/document?source=homelab&path=dns.md" {
		t.Errorf("ls: %+v", card)
	}
	card = cardOf(t, "show_text", `{"locator":"homelab/gufo.container"}`)
	if card.Show == nil || card.Show.URL != "/c/7#t12" {
		t.Errorf("show: %+v", card)
	}
	turn := turnWith(agent.ToolLine{Name: "show_text", Done: true, Card: json.RawMessage(`{"locator":"homelab/gufo.container"}`)})
	turn.Record.Fences = []verbatim.Fence{{Asked: "x"}, {Locator: "homelab/gufo.container"}}
	if card, _ := Card(turn, 0); card.Show.URL != "/c/7#t12-f1" || card.Title != "Showed" {
		t.Errorf("show: %+v", card)
	}
	for name, structure := range map[string]string{"grep": `{"pattern":"","matches":[],"total":0}`, "ls": `{"path":"x"}`, "show_text": `{}`, "unknown": `{"path":"x"}`} {
		if card := cardOf(t, name, structure); card.Text != "the text" || card.Grep != nil || card.List != nil || card.Show != nil {
			t.Errorf("%s: not generic", name)
		}
	}
	for _, bad := range []string{`{"pattern":"x","matches":[{"path":"a/b","number":0,"text":""}],"total":1}`, `{"pattern":"x","matches":[{},{}],"total":1}`} {
		if card := cardOf(t, "grep", bad); card.Grep != nil {
			t.Errorf("grep from %s", bad)
		}
	}
}

func TestNoCard(t *testing.T) {
	turn := turnWith(agent.ToolLine{Name: "read"})
	turn.Record.Trace = append(turn.Record.Trace, chat.Step{Thinking: "hm"})
	for _, n := range []int{-1, 0, 1, 2} {
		if _, ok := Card(turn, n); ok {
			t.Errorf("step %d has a card", n)
		}
	}
}
