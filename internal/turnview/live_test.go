package turnview

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/verbatim"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var options = Options{Now: now, AnswerText: true}

func block(path string, first, last, total int, text string) verbatim.Block {
	locator := "homelab/" + path
	if first > 1 || last < total {
		locator = fmt.Sprintf("%s#%d-%d", locator, first, last)
	}
	return verbatim.Block{Source: "homelab", Path: path, Title: path, StartLine: first, EndLine: last, TotalLines: total, Text: text, Locator: locator, SHA256: strings.Repeat("ab", 32)}
}

func call(name, argument string) *agent.ToolLine {
	return &agent.ToolLine{Name: name, Argument: &argument}
}

func done(line *agent.ToolLine, note string) *agent.ToolLine {
	l := *line
	l.Done, l.Note = true, note
	return &l
}

// secret stands in every locator fence's body: the model's own version of the
// text, which nobody may ever see.
const secret = "MODELTEXT"

var (
	gufo  = block("gufo.container", 1, 2, 2, "[Container]\r\nImage=gufo\n")
	ports = block("ports.md", 3, 4, 9, "\t| a |\n</code></pre><script>alert(1)</script>\n")
)

// story is a turn: its events in order, and how it ends. Deltas are cut anew by
// each test.
type story struct {
	name   string
	before []chat.Event // thinking and calls
	taken  string       // text that is taken back, with as many of the fences
	asked  []verbatim.Fence
	text   string
	fences []verbatim.Fence // of the text, in order
	end    chat.Record      // state and what comes with the end
}

func stories() []story {
	read, grep := call("read", "homelab/gufo.container"), call("grep", "gufo <b>\r\n")
	show := call("show_image", "homelab/rack.png")
	shown := done(show, "640 × 480")
	shown.Image = &agent.Image{Source: "homelab", Path: "rack.png", Title: "The \"rack\"", Width: 640, Height: 480}
	trace := []chat.Event{
		{Kind: chat.KindThinking, Text: "Let me <think>.\r\n"}, {Kind: chat.KindThinking, Text: "More."},
		{Kind: chat.KindRetry, Retry: &chat.Retry{Attempt: 2, Max: 3}},
		{Kind: chat.KindTool, Tool: grep}, {Kind: chat.KindToolResult, Tool: done(grep, "4 matches")},
		{Kind: chat.KindThinking, Text: "Now read."},
		{Kind: chat.KindTool, Tool: read}, {Kind: chat.KindToolResult, Tool: done(read, "lines 1–2 of 2")},
		{Kind: chat.KindTool, Tool: show}, {Kind: chat.KindToolResult, Tool: shown},
	}
	prose := "Gufo runs on *bernard*.\nSee [the manual][m] & <b>this</b>.\n\n- one\n- two\n\n  more\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\npodman run\n```\n\n[m]: https://example.org\n"
	fence := func(info string) string { return "```bor " + info + "\n" + secret + "\n```\n" }
	placed := []verbatim.Fence{{Locator: gufo.Locator, Block: &gufo}, {Locator: ports.Locator, Block: &ports}, {Locator: gufo.Locator}, {Asked: "homelab/gone.md", Reason: "There is no document with this name."}}
	all := "Here:\n\n" + fence("homelab/gufo.container") + "\nand in a list:\n\n1. first\n\n   " + strings.ReplaceAll(fence("homelab/ports.md 3-4"), "\n", "\n   ") +
		"\n   still first\n2. second\n\n> " + strings.ReplaceAll(strings.TrimSpace(fence("homelab/gufo.container")), "\n", "\n> ") + "\n\nlast\n\n~~~~bor homelab/gone.md\n" + secret + "\n```\n" + secret + "\n~~~~\n\nend."
	sources := []chat.Source{{Source: "homelab", Path: "gufo.container", Title: `"><b>`}, {Source: "homelab", Path: "ports.md", StartLine: 3, EndLine: 4}, {Source: "homelab", Path: "a b.md", StartLine: 7, EndLine: 7}}
	return []story{
		{name: "silent", end: chat.Record{State: chat.Done}},
		{name: "prose", before: trace, text: prose, end: chat.Record{State: chat.Done, Sources: sources}},
		{name: "panels", before: trace, text: all, fences: placed, end: chat.Record{State: chat.Done, Sources: sources, AnswerText: []verbatim.Block{gufo, ports}}},
		{name: "retracted", before: trace, taken: all[:len(all)-9], asked: placed, text: prose, end: chat.Record{State: chat.Done}},
		{name: "retracted, with panels", taken: all, asked: placed[1:2], text: all, fences: placed, end: chat.Record{State: chat.Done, AnswerText: []verbatim.Block{gufo, ports}}},
		{name: "retracted, then nothing", before: trace[:2], taken: "Half a *sent", end: chat.Record{State: chat.Stopped}},
		{name: "registered", before: trace[:2], text: "See below.", end: chat.Record{State: chat.Done, AnswerText: []verbatim.Block{ports}}},
		{name: "deflected", text: "No notes on that.\n\n" + fence("homelab/gufo.container"), fences: []verbatim.Fence{{Asked: "homelab/gufo.container", Reason: "The answer stands on no document, so none is shown in it."}},
			end: chat.Record{State: chat.Done, Deflected: true, Sources: sources, Suggestions: []string{"What is <gufo>?"}}},
		{name: "stopped in thinking", before: trace[:2], end: chat.Record{State: chat.Stopped}},
		{name: "stopped in a call", before: trace[:7], end: chat.Record{State: chat.Stopped}},
		{name: "stopped in a fence", before: trace, text: all[:strings.Index(all, secret)+4], fences: placed[:1], end: chat.Record{State: chat.Stopped, AnswerText: []verbatim.Block{gufo}}},
		{name: "stopped before a fence was looked up", text: all[:strings.Index(all, secret)+4], end: chat.Record{State: chat.Stopped}},
		{name: "interrupted", text: "The timer fires at 03:15 and ha", end: chat.Record{State: chat.Interrupted}},
		{name: "failed", before: trace[:4], text: "Some", end: chat.Record{State: chat.Failed, Error: "The model server didn’t answer: <connection refused>."}},
		{name: "failed without words", end: chat.Record{State: chat.Failed}},
	}
}

// events cuts the text at random, puts each fence's fate before or behind the
// text that asks for it, and ends with the folded record.
func (s story) events(r *rand.Rand) []chat.Event {
	events := append([]chat.Event(nil), s.before...)
	if s.taken != "" {
		events = append(append(events, pieces(r, s.taken, s.asked)...),
			chat.Event{Kind: chat.KindRetract, Retract: &chat.Retraction{Chars: utf8.RuneCountInString(s.taken)}},
			chat.Event{Kind: chat.KindThinking, Text: strings.ReplaceAll(s.taken, secret, "as thinking it may be seen")})
	}
	events = append(events, pieces(r, s.text, s.fences)...)
	var rec chat.Record
	for i, e := range events {
		events[i].Seq = int64(i + 1)
		rec.Apply(e)
	}
	rec.Who, rec.State = "brain", s.end.State
	rec.Deflected, rec.Sources, rec.Suggestions, rec.Error = s.end.Deflected, s.end.Sources, s.end.Suggestions, s.end.Error
	if s.end.AnswerText != nil {
		rec.AnswerText = s.end.AnswerText
	}
	rec.Retry = nil
	kind := chat.KindDone
	if rec.State == chat.Failed {
		kind = chat.KindError
	}
	return append(events, chat.Event{Seq: int64(len(events) + 1), Kind: kind, Record: &rec})
}

// pieces cuts a text that asks for fences.
func pieces(r *rand.Rand, all string, fences []verbatim.Fence) (events []chat.Event) {
	count := len(fences)
	for text := all; text != ""; {
		n := 1 + r.IntN(min(len(text), 1+r.IntN(40)))
		delta := chat.Event{Kind: chat.KindDelta, Text: text[:n]}
		text = text[n:]
		soon := len(fences) > 0 && r.IntN(3) == 0
		if soon && strings.Count(all[:len(all)-len(text)], "```bor") > count-len(fences) {
			events = append(events, chat.Event{Kind: chat.KindFence, Fence: &fences[0]})
			fences = fences[1:]
		}
		events = append(events, delta)
	}
	for i := range fences {
		events = append(events, chat.Event{Kind: chat.KindFence, Fence: &fences[i]})
	}
	return events
}

func running() chat.Turn {
	return chat.Turn{ID: 12, Conversation: 7, Question: "q", State: chat.Running, Started: now.Add(-4 * time.Second), Record: chat.Record{Who: "brain", State: chat.Running}}
}

// The page after the last fragment is the page of the finished record: for every
// way to cut the text, to tick, and to come back in the middle (DEC6). And no
// character of a locator fence's body is ever sent (V6).
func TestReplayEqualsLive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) {
			for range 60 {
				events := s.events(r)
				turn := running()
				p := newPage(t, Bubble(turn, options))
				live := NewLive(turn, options)
				send := func(message []byte) {
					t.Helper()
					if strings.Contains(string(message), secret) {
						t.Fatalf("the model's text is sent: %s", message)
					}
					p.take(message)
				}
				for i, e := range events {
					live.Apply(e)
					switch r.IntN(6) {
					case 0:
						send(live.Flush())
					case 1:
						if r.IntN(4) == 0 { // the connection was lost: another one, from the record so far
							for _, e := range events[:i+1] {
								turn.Record.Apply(e)
							}
							live.Close()
							live = NewLive(turn, options)
							turn = running()
							send(live.Snapshot())
						}
					}
				}
				if !live.Ended() {
					t.Fatal("not ended")
				}
				send(live.Final())
				live.Close()
				turn.Record = *events[len(events)-1].Record
				turn.State = turn.Record.State
				if got, want := p.bubble(12), whole(t, Bubble(turn, options)); got != want {
					t.Fatalf("live:\n%s\nreplayed:\n%s", got, want)
				}
				if label := strings.TrimSpace(p.text("send-place")); label != "Send" {
					t.Fatalf("the button says %q after the end", label)
				}
			}
		})
	}
}

// In between, the page is the bubble of the record so far, from the same events.
func TestPageInTheMiddle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) {
			for range 10 {
				turn := running()
				p := newPage(t, Bubble(turn, options))
				live := NewLive(turn, options)
				defer live.Close()
				for _, e := range s.events(r) {
					if e.Record != nil {
						break
					}
					turn.Record.Apply(e)
					live.Apply(e)
					if r.IntN(3) > 0 {
						continue
					}
					p.take(live.Flush())
					if got, want := p.bubble(12), whole(t, Bubble(turn, options)); got != want {
						t.Fatalf("after %d bytes of text, live:\n%s\nat once:\n%s", len(turn.Record.Text), got, want)
					}
				}
			}
		})
	}
}

// A record that tells another story than the events did is believed.
func TestTheRecordIsTheTruth(t *testing.T) {
	for name, change := range map[string]func(*chat.Record){
		"text":     func(r *chat.Record) { r.Text = "Other words." },
		"thinking": func(r *chat.Record) { r.Trace[0].Thinking = "" },
		"trace":    func(r *chat.Record) { r.Trace = r.Trace[:1] },
		"kind":     func(r *chat.Record) { r.Trace[0], r.Trace[1] = r.Trace[1], r.Trace[0] },
		"result":   func(r *chat.Record) { r.Trace[1].Tool.Note = "other" },
		"block":    func(r *chat.Record) { r.AnswerText[0].Text = "other\n" },
		"fence":    func(r *chat.Record) { r.Fences[0] = verbatim.Fence{Asked: "x", Reason: "Gone."} },
	} {
		t.Run(name, func(t *testing.T) {
			turn := running()
			p := newPage(t, Bubble(turn, options))
			live := NewLive(turn, options)
			defer live.Close()
			rec := turn.Record
			for _, e := range []chat.Event{{Kind: chat.KindThinking, Text: "hm"}, {Kind: chat.KindTool, Tool: call("ls", "x")}, {Kind: chat.KindToolResult, Tool: done(call("ls", "x"), "1 row")},
				{Kind: chat.KindDelta, Text: "```bor homelab/gufo.container\n"}, {Kind: chat.KindFence, Fence: &verbatim.Fence{Locator: gufo.Locator, Block: &gufo}}, {Kind: chat.KindDelta, Text: "```\nEnd."}} {
				live.Apply(e)
				rec.Apply(e)
				p.take(live.Flush())
			}
			rec.State = chat.Done
			change(&rec)
			live.Apply(chat.Event{Kind: chat.KindDone, Record: &rec})
			p.take(live.Final())
			turn.Record = rec
			if got, want := p.bubble(12), whole(t, Bubble(turn, options)); got != want {
				t.Errorf("live:\n%s\nreplayed:\n%s", got, want)
			}
		})
	}
}

// Someone who connects after the end gets all of it in one message.
func TestSnapshotOfAnEndedTurn(t *testing.T) {
	events := stories()[2].events(rand.New(rand.NewPCG(5, 6)))
	p := newPage(t, Bubble(running(), options))
	turn := running()
	turn.Record = *events[len(events)-1].Record
	live := NewLive(turn, options)
	defer live.Close()
	p.take(live.Snapshot())
	if got, want := p.bubble(12), whole(t, Bubble(turn, options)); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
	if p.text("announce") != "The answer is complete." || strings.TrimSpace(p.text("send-place")) != "Send" {
		t.Error("nothing around the bubble changed")
	}
	if !live.Ended() || live.Flush() != nil {
		t.Error("something was left")
	}
}

// What people read while they wait, and the thinking that stands open (CH4).
func TestStates(t *testing.T) {
	turn := running()
	p := newPage(t, Bubble(turn, options))
	live := NewLive(turn, options)
	defer live.Close()
	isOpen := func(step int) bool {
		n := p.find("#" + stepID(12, step))
		for _, a := range n.Attr {
			if a.Key == "open" {
				return true
			}
		}
		return false
	}
	read := call("read", "homelab/dns.md")
	for _, step := range []struct {
		event chat.Event
		doing string
		open  []bool
	}{
		{chat.Event{Kind: chat.KindThinking, Text: "hm"}, "Thinking", []bool{true}},
		{chat.Event{Kind: chat.KindThinking, Text: " hm"}, "Thinking", []bool{true}},
		{chat.Event{Kind: chat.KindTool, Tool: read}, "Reading homelab/dns.md", []bool{true, false}},
		{chat.Event{Kind: chat.KindToolResult, Tool: done(read, "")}, "Waiting for the model", []bool{true, false}},
		{chat.Event{Kind: chat.KindRetry, Retry: &chat.Retry{Attempt: 2, Max: 3}}, "Connection to the model lost, retrying (2 of 3)…", []bool{true, false}},
		{chat.Event{Kind: chat.KindThinking, Text: "again"}, "Thinking", []bool{false, false, true}},
		{chat.Event{Kind: chat.KindDelta, Text: "Yes"}, "Writing the answer", []bool{false, false, false}},
		{chat.Event{Kind: chat.KindThinking, Text: " after all"}, "Writing the answer", []bool{false, false, false}},
	} {
		live.Apply(step.event)
		p.take(live.Flush())
		if got := p.text("t12-doing"); got != step.doing {
			t.Errorf("after %s: %q, want %q", step.event.Kind, got, step.doing)
		}
		for i, want := range step.open {
			if isOpen(i) != want {
				t.Errorf("after %s: step %d open: %v", step.event.Kind, i, !want)
			}
		}
	}
	if got := p.text("t12-s0-text"); got != "hm hm" {
		t.Errorf("thinking %q", got)
	}
	if live.Flush() != nil {
		t.Error("a tick without news sends something")
	}
}

// Bytes on the wire grow with the answer, not with its ticks: at 2 000 characters
// a second and a tick of 50 ms at most 2.5 times the answer's HTML, the frames
// apart (PERF4, DEC1).
func TestBytesAreLinear(t *testing.T) {
	frame := regexp.MustCompile(`<hx-part [^>]*>|</hx-part>\n`)
	for name, paragraph := range map[string]string{
		"plain": strings.Repeat("word ", 40) + "\n\n", "marked": strings.Repeat("*word* ", 30) + "\n\n", "code": "```go\n" + strings.Repeat("x := 1\n", 40) + "```\n\n", "list": strings.Repeat("- item\n", 30) + "\n",
	} {
		for _, n := range []int{20, 200} {
			text := strings.Repeat(paragraph, n)
			live := NewLive(running(), options)
			var sent []byte
			for i := 0; i < len(text); i += 100 {
				live.Apply(chat.Event{Kind: chat.KindDelta, Text: text[i:min(i+100, len(text))]})
				sent = append(sent, live.Flush()...)
			}
			payload := 0
			for _, b := range bubble(live.turn, options, live.stream).Blocks {
				payload += len(b)
			}
			live.Close()
			content := len(frame.ReplaceAll(sent, nil))
			t.Logf("%s × %d: %d bytes of text, %d of HTML, %d sent, and %d of frames", name, n, len(text), payload, content, len(sent)-content)
			if limit := payload * 5 / 2; content > limit || len(sent)-content > 2*len(text) {
				t.Errorf("%s × %d: %d bytes sent for %d of HTML, and %d of frames for %d of text", name, n, content, payload, len(sent)-content, len(text))
			}
		}
	}
}

// The panel in an open list is sent once, and stays when the list comes again (DEC2).
func TestPanelIsSentOnce(t *testing.T) {
	live := NewLive(running(), options)
	defer live.Close()
	var sent strings.Builder
	tick := func(e chat.Event) {
		live.Apply(e)
		sent.Write(live.Flush())
	}
	tick(chat.Event{Kind: chat.KindDelta, Text: "- *one*\n\n  ```bor homelab/gufo.container\n"})
	tick(chat.Event{Kind: chat.KindFence, Fence: &verbatim.Fence{Locator: gufo.Locator, Block: &gufo}})
	tick(chat.Event{Kind: chat.KindDelta, Text: "  ```\n\n- two\n\nEnd.\n"})
	rec := chat.Record{State: chat.Done, Text: live.turn.Record.Text, AnswerText: []verbatim.Block{gufo}, Fences: live.turn.Record.Fences}
	live.Apply(chat.Event{Kind: chat.KindDone, Record: &rec})
	sent.Write(live.Final())
	if n := strings.Count(sent.String(), "data-bor-locator"); n != 1 {
		t.Errorf("the panel was sent %d times", n)
	}
	if !strings.Contains(sent.String(), `as="innerMorph">`) {
		t.Error("the list wasn't rendered around the panel")
	}
}
