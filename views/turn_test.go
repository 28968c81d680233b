package views

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestTurnStates(t *testing.T) {
	base := doneTurn
	base.Error = "The model server didn’t answer."
	for state, want := range map[TurnState]struct{ class, has, not string }{
		TurnRunning:     {"msg brain", "Reading", "Copy"},
		TurnDone:        {"msg brain", "Retry", "Stopped"},
		TurnDeflected:   {"msg brain is-deflected", "Maybe try: why?", "Stopped"},
		TurnError:       {"msg brain is-error", "The model server didn’t answer. Retry", "Stopped"},
		TurnStopped:     {"msg brain is-stopped", "Stopped. Retry", "Interrupted"},
		TurnInterrupted: {"msg brain is-interrupted", "Interrupted: the server restarted while answering. Retry", "Stopped"},
	} {
		p := base
		p.State, p.Doing, p.Age = state, "Reading homelab/dns.md", 4
		if state == TurnDeflected {
			p.Suggestions, p.Sources = []string{"why?"}, nil
		}
		article := byID(t, dom(t, Turn(p)), "t12")
		if attr(article, "class") != want.class {
			t.Errorf("%s: class %q", state, attr(article, "class"))
		}
		if got := words(article); !strings.Contains(got, want.has) || strings.Contains(got, want.not) {
			t.Errorf("%s: %q", state, got)
		}
		if running := state == TurnRunning; has(article, "aria-busy") != running || has(article, "data-age") != running {
			t.Errorf("%s: busy %q, age %q", state, attr(article, "aria-busy"), attr(article, "data-age"))
		}
		alerts := all(article, func(n *html.Node) bool { return attr(n, "role") == "alert" })
		if (len(alerts) == 1) != (state == TurnError) {
			t.Errorf("%s: %d alerts", state, len(alerts))
		}
		for _, n := range byClass(article, "retry") {
			if attr(n, "form") != "composer" || attr(n, "formaction") != "/chat/turns/12/retry" {
				t.Errorf("%s: retry %v", state, n.Attr)
			}
		}
	}
}

// Seconds tick outside of what is read aloud (DEC8).
func TestElapsedStandsOutsideTheLiveRegion(t *testing.T) {
	root := dom(t, Turn(TurnPanel{ID: "t1", State: TurnRunning, Doing: "Waiting for the model", Age: 61}))
	for n := byClass(root, "elapsed")[0]; n != nil; n = n.Parent {
		if attr(n, "role") == "status" || has(n, "aria-live") {
			t.Error("the seconds are in a live region")
		}
	}
	if attr(byID(t, root, "t1"), "data-age") != "61" || attr(byID(t, root, "t1-doing"), "role") != "status" {
		t.Error("no age, or the words are no live region")
	}
}

func TestTrace(t *testing.T) {
	p := doneTurn
	p.Steps = append(p.Steps, Step{ID: "t12-s2", Verb: "Listing"}, Step{ID: "t12-s3", Thinking: "more\n\nof it", Open: true})
	root := dom(t, Turn(p))
	if calls := byClass(root, "tool-call"); len(calls) != 2 || words(calls[0])[:14] != "Read homelab/d" || words(calls[1]) != "Listing" {
		t.Errorf("calls: %v", calls)
	}
	if note := byClass(root, "truncated-note"); len(note) != 1 || words(note[0]) != "(truncated — showing 5 of 9 chars)" {
		t.Error("no truncation note")
	}
	thinking := byClass(root, "thinking")
	if len(thinking) != 2 || has(thinking[0], "open") || !has(thinking[1], "open") || words(byTag(thinking[0], "summary")[0]) != "Thought" || words(byTag(thinking[1], "summary")[0]) != "Thinking" {
		t.Error("thinking isn't folded, or not open")
	}
	if got := text(byID(t, root, "t12-s3-text")); got != "more\n\nof it" {
		t.Errorf("thinking %q", got)
	}
	if chip := byClass(root, "source-chip"); len(chip) != 1 || text(chip[0]) != "homelab/dns.md:12" || attr(chip[0], "href") != doneTurn.Sources[0].URL || attr(chip[0], "title") != "DNS" {
		t.Error("source chip")
	}
}

// A settled bubble keeps the trace and the answer of the page, and a folded step
// its text: each stub is empty and has the id of what it stands for.
func TestStubs(t *testing.T) {
	settled, folded := dom(t, TurnSettled(doneTurn)), dom(t, ThinkingFolded(Step{ID: "t12-s0"}))
	whole := dom(t, Turn(doneTurn))
	for root, ids := range map[*html.Node][]string{settled: {"t12-trace", "t12-answer"}, folded: {"t12-s0-text"}} {
		for _, id := range ids {
			stub, there := byID(t, root, id), byID(t, whole, id)
			if !has(stub, "data-kept") || stub.FirstChild != nil || stub.Data != there.Data || has(there, "data-kept") {
				t.Errorf("stub #%s: %v", id, stub.Attr)
			}
		}
	}
	if a, b := words(byID(t, settled, "t12-end")), words(byID(t, whole, "t12-end")); a != b || a == "" {
		t.Errorf("endings differ: %q, %q", a, b)
	}
}
