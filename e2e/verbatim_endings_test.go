package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// midFence is an answer that stops inside of fences: the first is a panel by then,
// the second is still being named.
const (
	midFenceBody  = "Here is one:\n\n```bor traps/crlf.txt 2-3\nꙀꙂꙄ"
	midFenceOpen  = "Here is one:\n\n```bor traps/crlf.txt 2-3\nꙀꙂꙄ\n```\n\nAnd two:\n\n~~~bor traps/cr"
	midFenceShows = "two\r\nthree\r\n"
)

// settledOnce waits for the end of the n-th answer, which nothing but the server's
// own clock may bring.
func (v *visit) settledOnce(n int, patience float64) {
	v.t.Helper()
	must(v.t, v.page.Locator(".msg.brain").Nth(n).WaitFor())
	must(v.t, v.page.Locator(".msg.brain[aria-busy=true]").WaitFor(playwright.LocatorWaitForOptions{
		State: playwright.WaitForSelectorStateDetached, Timeout: playwright.Float(patience)}))
}

// waiting waits for the note in the place of a fence that isn't named yet; nothing
// of the fence stands beside it.
func (v *visit) waiting() {
	v.t.Helper()
	note := v.page.Locator(".msg.brain [role=status].waiting")
	must(v.t, note.WaitFor())
	same(v.t, "the note", text(v.t, note), "Retrieving the exact text…")
	if answer := text(v.t, v.page.Locator(".msg.brain .answer").Last()); strings.ContainsAny(answer, "`~") || strings.Contains(answer, "bor") {
		v.t.Errorf("the fence shows beside its note: %q", answer)
	}
}

// expectEnded looks at an answer that ended inside of a fence.
func (v *visit) expectEnded(w *transcript, what string, n int, second bool) {
	v.t.Helper()
	if waiting, err := v.page.Locator(".waiting").Count(); err != nil || waiting != 0 {
		v.t.Errorf("%s: the note still stands there: %v", what, err)
	}
	shown := v.panels()
	if want := map[bool]int{false: 1, true: 2}[second]; len(shown) < want {
		v.t.Fatalf("%s: %d panels, want %d at least", what, len(shown), want)
	}
	if second {
		last := shown[len(shown)-1].Unresolved
		if last != "Could not check traps/cr against the knowledge base. The answer ended before it was looked up." {
			v.t.Errorf("%s: the second place says %q", what, last)
		}
		shown = shown[:len(shown)-1]
	}
	panel := shown[len(shown)-1]
	same(v.t, what+": the panel", panel.Text, midFenceShows)
	same(v.t, what+": Raw", v.bytes(panel.Raw), midFenceShows)
	w.add("answer.md, "+what, v.bytes("/chat/turns/"+v.turn(n)+"/answer.md"))
}

// An answer that ends inside of a fence, whatever ended it, settles what stands in
// the fence's place, and keeps the panels that were there (V6, CH4).
func TestVerbatimEndings(t *testing.T) {
	model := testkit.NewModel(t)
	database := testkit.EmptyDB(t)
	p := startOn(t, database, options{model: model, sources: map[string]string{"traps": folder(t, []awkward{trapsNote,
		{path: "crlf.txt", data: "one\r\ntwo\r\nthree\r\nfour\r\n"}})}, env: []string{"BOR_LLM_RETRIES=0"}})
	v := browse(t, p.url, playwright.BrowserNewContextOptions{})
	v.logIn()
	w := newTranscript()
	never := make(chan struct{})

	answers := 0
	for _, ending := range []struct {
		name string
		end  func(gate chan struct{}) // after the panel, or the note, is there
		cut  bool                     // the model's connection breaks behind the gate
		sign string                   // what says how it ended
	}{
		{"stopped", func(chan struct{}) { must(t, v.page.Locator("#send-btn[formaction]").Click()) }, false, ".msg.is-stopped .ended"},
		{"error", func(gate chan struct{}) { close(gate) }, true, ".msg.is-error [role=alert]"},
	} {
		for _, text := range []string{midFenceBody, midFenceOpen} {
			what := fmt.Sprintf("%s, answer %d", ending.name, answers)
			gate := make(chan struct{})
			model.Queue(testkit.Step{Cut: ending.cut}.With(slowly(text)...).With(testkit.Gate(gate)))
			v.ask(trapsQuestion)
			must(t, v.page.Locator(".msg.brain").Nth(answers).Locator(".verbatim").WaitFor())
			w.listen(v, "stream, "+what, v.turn(answers))
			if text == midFenceOpen {
				v.waiting()
			}
			ending.end(gate)
			must(t, v.page.Locator(ending.sign).Nth(answers%2).WaitFor())
			v.settled(answers)
			v.expectEnded(w, what, answers, text == midFenceOpen)
			answers++
		}
	}
	for n := range answers {
		v.expectSameEverywhere(w, n)
	}

	// The server dies; another one on the same address ends the turn when the dead
	// one's lease is over, and the page hears of it without being reloaded.
	model.Queue(testkit.Step{}.With(slowly(midFenceOpen)...).With(testkit.Gate(never)))
	v.ask(trapsQuestion)
	must(t, v.page.Locator(".msg.brain").Nth(answers).Locator(".verbatim").WaitFor())
	v.waiting()
	storedUpTo(t, database, v.turn(answers), midFenceOpen)
	must(t, p.cmd.Process.Kill())
	p.stop()
	startOn(t, database, options{model: model, env: []string{"BOR_ADDR=" + strings.TrimPrefix(p.url, "http://")}})
	v.settledOnce(answers, 90_000)
	must(t, v.page.Locator(".msg.is-interrupted .ended").WaitFor())
	v.expectEnded(w, "killed", answers, true)
	v.expectSameEverywhere(w, answers)
	w.expectNone(t, corruptLetters)
}
