package storybook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/kb"
	"bor/internal/turnview"
	"bor/internal/verbatim"
	"bor/views"
)

// now is when every story happens.
var now = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// look is how bubbles are made of records.
var look = turnview.Options{Now: now, AnswerText: true}

// conversation is the one that all turns belong to.
const conversation = 7

const quadlet = `[Unit]
Description=Gufo, the owl that watches the feeds
After=network-online.target

[Container]
Image=registry.example/gufo:2.4.1
PublishPort=8137:8137
Volume=gufo-data:/var/lib/gufo:Z
Environment=GUFO_FEEDS=/etc/gufo/feeds.toml

[Install]
WantedBy=default.target
`

// scriptText has every colour, a tab, a long line, an empty one, and no last line end.
const scriptText = "#!/bin/sh\n# Backs up the owl's nest; see notes/restore.md before you change anything here.\nset -eu\n\nfor nest in gufo barn tawny; do\n" +
	"\trestic --repo \"sftp:ada@vault.example:/srv/restic/$nest\" backup --one-file-system --exclude-caches --exclude '*.tmp' --tag \"$nest\" --tag nightly \"/var/lib/$nest\" # one line that is longer than a screen\n" +
	"done\nexit 0"

// Paths as long as they get in real trees.
var (
	deepPath  = strings.Repeat("a-folder-with-a-long-name/", 8) + "quadlet-" + strings.Repeat("x", 120) + ".container"
	worldPath = "notes/مذكرات الخادم/ノート/Zażółć gęślą jaźń 🦉👩‍👩‍👧.md"
)

// rtl mixes directions, as a question in Arabic with names of programs does.
const rtl = "كيف أعيد تشغيل podman على الخادم gufo-01 (المنفذ 8137)؟ 🦉"

// controls are the characters that display treats in its own way, one a line.
const controls = "carriage return:\rin a line\r\ntab:\tstop\nescape: \x1b[31mred\x1b[0m\nbell: \a, backspace: \b, delete: \x7f\nNUL, replaced: \ufffd\n" +
	"bidi override: \u202eexe.txt\u202c, isolate: \u2067abc\u2069\nzero width: a\u200bb\u200cc\u200dd\ufeffe\nsoft hyphen: co\u00adop, no-break:\u00a0space\n" +
	"line separators: a\u2028b\u2029c\u0085d\ntags: \U000e0068\U000e0069, variation: ☂\ufe0e☂\ufe0f\ncombining: Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324a\u0301\n" +
	"form feed:\fand vertical tab:\v.\nno line end"

// block is a part of a file as an answer stored it.
func block(identity, text string, first, total int) verbatim.Block {
	source, path, _ := strings.Cut(identity, "/")
	sum := sha256.Sum256([]byte(text))
	b := verbatim.Block{Source: source, Path: path, Title: path, StartLine: first, EndLine: first + kb.SplitLines(text).Count() - 1, TotalLines: total,
		Text: text, Locator: identity, SHA256: hex.EncodeToString(sum[:]), Revision: "e41b07c5a94f2d7781c3b0aa6d1f0c9be7711e02"}
	if b.EndLine-first+1 < total {
		b.Locator += fmt.Sprintf("#%d-%d", first, b.EndLine)
	}
	return b
}

var (
	gufoBlock   = block("homelab/quadlets/gufo.container", quadlet, 1, 12)
	scriptBlock = block("homelab/scripts/backup.sh", scriptText, 1, 8)
)

// fence is how a model asks for a block.
func fence(locator string) string { return "~~~~bor " + locator + "\n~~~~\n\n" }

// call is a finished tool call. A card that is a string stands as it is.
func call(name, argument, note, text string, card any) chat.Step {
	stored, isText := card.(string)
	if !isText {
		made, err := json.Marshal(card)
		if err != nil {
			panic(err) // a card is a plain struct
		}
		stored = string(made)
	}
	line := &agent.ToolLine{Name: name, Done: true, Note: note, Text: text, Card: json.RawMessage(stored)}
	if argument != "" {
		line.Argument = &argument
	}
	return chat.Step{Tool: line}
}

// readLines is the structure of a read: lines of text from offset.
func readLines(identity, lang, text string, offset, total int) agent.ReadCard {
	c := agent.ReadCard{Path: identity, Offset: offset, Lines: []agent.CardLine{}, TotalLines: total, Lang: lang}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		c.Lines = append(c.Lines, agent.CardLine{Number: offset + i, Text: line})
	}
	return c
}

// truncated marks a call's result as cut.
func truncated(s chat.Step, shown, total int) chat.Step {
	s.Tool.Truncated, s.Tool.CharsShown, s.Tool.CharsTotal = true, shown, total
	return s
}

// trace is what an agent does for one answer, with a call of every tool.
func trace() []chat.Step {
	return []chat.Step{
		{Thinking: "The question names gufo. Which files speak of it? I look for the name first, then read the quadlet whole, because the ports may stand apart from the image."},
		call("grep", "gufo", "4 matches", "", agent.GrepCard{Pattern: "gufo", Total: 4, Matches: []agent.GrepMatch{
			{Path: "homelab/quadlets/gufo.container", Number: 2, Text: "Description=Gufo, the owl that watches the feeds"}, {Path: "homelab/notes/ports.md", Number: 118, Text: "| gufo | 8137 |"}}}),
		call("ls", "", "2 sources", "", agent.ListCard{Rows: []agent.ListRow{{Path: "homelab/", Documents: 1284}}}),
		call("ls", "homelab/quadlets", "3 documents", "", agent.ListCard{Path: "homelab/quadlets", Rows: []agent.ListRow{{Path: "homelab/quadlets/gufo.container", Title: "gufo"}}}),
		truncated(call("read", "homelab/notes/ports.md", "lines 1–210 of 1842", "", readLines("homelab/notes/ports.md", "markdown", "# Ports", 1, 1842)), 128000, 412331),
		call("read", "homelab/"+deepPath, "lines 1–12 of 12", "", readLines("homelab/"+deepPath, "ini", quadlet, 1, 12)),
		call("show_text", "homelab/quadlets/gufo.container", "12 lines", "", agent.ShowCard{Locator: gufoBlock.Locator}),
		call("read", "homelab/nowhere.md", "no such document", "There is no document with this name.", "null"),
		call("mail_search", "", "", "This server has no tool of that name.", "null"),
		{Thinking: "Now I have both."},
	}
}

// feastText is an answer with everything that answers are made of.
const feastText = "# Gufo\n\nThe owl runs under `podman` as **a quadlet**; see [the site](https://example.org/owl) or [the notes](/document?source=homelab&path=notes/ports.md), and ~~never~~ mail ada@example.org.\n\n" +
	"1. Pull the image\n2. Start it:\n   - [x] the volume exists\n   - [ ] the port is free\n\n> The owl of Minerva spreads its wings only with the falling of the dusk.\n>\n> > And sleeps by day.\n\n" +
	"## Ports\n\n| service | port | note |\n|:--|--:|:-:|\n| gufo | 8137 | feeds |\n| unbound | 5335 | behind `pihole` |\n\n" +
	"| column | another | wide | wide | wide | wide | wide | wide | wide | wide | wide | wide |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n| a | b | a cell with some words | cell | cell | cell | cell | cell | cell | cell | cell | cell |\n\n" +
	"```sh\n# the model’s own code\nsystemctl --user daemon-reload && systemctl --user enable --now gufo.service && journalctl --user --unit gufo.service --follow --output short-precise --since today\n```\n\n" +
	"The quadlet, exactly:\n\n"

const feastEnd = "- and in a list:\n\n  ~~~~bor homelab/scripts/backup.sh\n  ~~~~\n\n---\n\n### The end\n\nA word without a place to break: " +
	"averylongwordwithoutaplacetobreakitaverylongwordwithoutaplacetobreakitaverylongwordwithoutaplacetobreakitaverylongwordwithoutaplacetobreakit.\n"

// feast is the answer with everything, done.
func feast() chat.Turn {
	long := block("homelab/"+deepPath, "Exec=/usr/bin/gufo "+strings.Repeat("--feed=https://feeds.example/a/very/long/address ", 30)+"\nImage=gufo\n", 1, 2)
	return turn(12, "Show me the quadlet for gufo, and which ports are taken.", chat.Record{
		State: chat.Done, Trace: trace(),
		Text:       feastText + fence(gufoBlock.Locator) + fence(long.Locator) + fence("homelab/nowhere.md") + feastEnd,
		AnswerText: []verbatim.Block{gufoBlock, long, scriptBlock, block("homelab/notes/ports.md", "| gufo | 8137 |\n", 118, 1842)},
		Fences: []verbatim.Fence{{Locator: gufoBlock.Locator}, {Locator: long.Locator},
			{Asked: "homelab/nowhere.md", Reason: "There is no document with this name."}, {Locator: scriptBlock.Locator}},
		Sources: []chat.Source{{Source: "homelab", Path: "quadlets/gufo.container", Title: "gufo"}, {Source: "homelab", Path: "notes/ports.md", Title: "Which port is what", StartLine: 100, EndLine: 140},
			{Source: "homelab", Path: deepPath, StartLine: 3}},
		Suggestions: []string{"Which port does unbound use?", "What did I do last time the disk filled up?"},
	})
}

// turn is a turn of the stories' conversation; one that runs does so for 7 seconds.
func turn(id int64, question string, rec chat.Record) chat.Turn {
	rec.Who = "brain"
	return chat.Turn{ID: id, Conversation: conversation, Question: question, State: rec.State, Record: rec, Started: now.Add(-7 * time.Second)}
}

// exchange is a turn as the chat's page shows it.
func exchange(t chat.Turn) views.Exchange {
	e := views.Exchange{Question: t.Question, Turn: turnview.Bubble(t, look)}
	if t.State == chat.Running {
		e.EventsURL = turnview.EventsURL(t.ID, t.Seq)
	}
	return e
}

// stored is a document of the knowledge base.
func stored(path, title, content string) kb.Document {
	return kb.Document{Source: "homelab", Path: path, Kind: kb.KindText, Title: title, Content: content, Encoding: "utf-8", Revision: "e41b07c5a94f2d7781c3b0aa6d1f0c9be7711e02",
		Date: now.AddDate(0, 0, -40), Indexed: now.Add(-4 * time.Minute), Lines: kb.SplitLines(content).Count(), Chars: kb.Chars(content),
		Summary: "What keeps the owl running, and how to bring it back."}
}

var script = stored("scripts/backup.sh", "", scriptText)
