package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"bor/internal/llm"
	"bor/internal/testkit"
)

const aboutGufo = "Show me the quadlet for gufo"

// TestChatTurn follows turns through their states in one window (CH2, CH4).
func TestChatTurn(t *testing.T) {
	p, model := house(t, nil)
	for _, journey := range []struct {
		name string
		run  func(*testing.T, *visit, *testkit.Model)
	}{
		{"thinking, a tool, a retry, an answer", answered},
		{"deflected", deflected},
		{"errors and Retry", failed},
		{"stopped", stopped},
		{"one turn at a time", oneAtATime},
		{"suggestions", suggested},
		{"the elapsed time", elapsed},
		{"thinking that looked like an answer", retracted}, // the client remembers it, so it is the last
	} {
		t.Run(journey.name, func(t *testing.T) {
			journey.run(t, visitor(t, p, playwright.BrowserNewContextOptions{}), model)
		})
	}
	t.Run("the model is away", func(t *testing.T) {
		s := visitor(t, p, playwright.BrowserNewContextOptions{}).screen()
		model.Close()
		s.put(aboutGufo)
		s.shows(".msg.is-error [role=alert]", "model")
		s.ended(1)
		s.visible(".msg.is-error .retry")
	})
}

func answered(t *testing.T, v *visit, model *testkit.Model) {
	s, g := v.screen(), gates(4)
	model.Queue(
		testkit.Step{}.With(testkit.Part{Thinking: "Which file could it be?"}, testkit.Gate(g[0]), testkit.Part{Thinking: " The UPS log, maybe."},
			testkit.Part{Call: &llm.ToolCall{ID: "a", Name: "read", Arguments: `{"path":"homelab/logs/ups-events.txt","offset":7,"limit":3}`}}),
		testkit.Step{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"0"}}, Body: "{}"},
		testkit.Step{}.With(testkit.Gate(g[1]), testkit.Part{Thinking: "No, the quadlet."}, testkit.Gate(g[2]), testkit.Part{Text: "Gufo runs **in a "}, testkit.Gate(g[3]), testkit.Part{Text: "container**."}),
	)
	cards := 0
	s.OnRequest(func(r playwright.Request) {
		if strings.Contains(r.URL(), "/steps/") {
			cards++
		}
	})

	s.put(aboutGufo)
	s.reads(".msg.user", aboutGufo)
	s.shows(".thinking[open] .thinking-text", "Which file could it be?")
	s.visible("#typing-indicator")
	s.reads("#send-label", "Stop")
	s.is(expect.Locator(s.Locator("#message-input")).ToHaveValue(""))
	s.has(0, "#empty-state")

	close(g[0])
	s.shows(".tool-call summary", "Read homelab/logs/ups-events.txt")
	s.shows("#typing-indicator", "Connection to the model lost, retrying (2 of")
	s.has(0, ".msg.is-error")

	close(g[1])
	s.shows(".thinking[open] .thinking-text", "No, the quadlet.")
	s.has(1, ".thinking[open]") // the first has made room
	close(g[2])
	s.shows(".msg.brain .answer", "Gufo runs")
	s.has(0, ".thinking[open]")
	s.is(s.Locator(".thinking summary").First().Click())
	s.shows(".thinking[open] .thinking-text", "Which file could it be? The UPS log, maybe.")

	if cards != 0 {
		t.Error("the card was fetched before anybody unfolded it")
	}
	s.click(".read-card summary")
	s.has(3, ".read-card .line")
	lines := strings.SplitAfter(homelab()["logs/ups-events.txt"], "\n")
	if got, want := text(t, s.Locator(".read-card code")), strings.Join(lines[6:9], ""); got != want {
		t.Errorf("the card shows %q, not %q", got, want)
	}
	s.is(expect.Locator(s.Locator(".read-card .line").First()).ToHaveAttribute("data-n", "7"))

	close(g[3])
	s.ended(1)
	s.reads("#announce", "The answer is complete.")
	s.reads(".msg.brain .answer strong", "in a container")
	s.has(1, ".thinking[open]") // what the reader has opened stays so
	s.has(3, ".read-card .line")
	if cards != 1 {
		t.Errorf("the card was fetched %d times", cards)
	}
	chips, err := s.Locator(".source-chip").AllTextContents()
	s.is(err)
	seen := map[string]bool{}
	for _, c := range chips {
		path, _, _ := strings.Cut(c, ":")
		if seen[path] {
			t.Errorf("a source stands twice in %q", chips)
		}
		seen[path] = true
	}
	if len(chips) == 0 || !strings.HasPrefix(chips[0], "homelab/quadlets/gufo.container") || !seen["homelab/logs/ups-events.txt"] {
		t.Errorf("sources %q: wanted the quadlet first, and the log that was read", chips)
	}

	s.is(s.Locator(".read-card summary").Click())
	s.is(s.Locator(".thinking summary").First().Click())
	_, err = s.Reload()
	s.is(err)
	s.ended(1)
	s.has(2, ".thinking:not([open])")
	s.shows(".thinking >> nth=1", "No, the quadlet.")
	s.reads(".msg.brain .answer strong", "in a container")
}

// retracted is a model whose template opens the thinking (AG7): what it seemed to
// answer becomes thinking, and its panel goes.
func retracted(t *testing.T, v *visit, model *testkit.Model) {
	s, g := v.screen(), gates(2)
	model.Queue(testkit.Say("Perhaps this:\n\n```bor homelab/dns.md 1-3\n```\n\n").With(testkit.Gate(g[0]),
		testkit.Part{Text: "No.\n</think>\n\nHere **it** is:\n\n```bor homelab/quadlets/gufo.container\n```\n\n"}, testkit.Gate(g[1]), testkit.Part{Text: "That is all."}))
	s.put(aboutGufo)
	s.shows(".msg.brain .answer", "Perhaps this:")
	s.visible(".verbatim[data-bor-locator='homelab/dns.md#1-3']")
	close(g[0])
	after := func() {
		s.visible(".verbatim[data-bor-locator='homelab/quadlets/gufo.container']")
		s.has(1, ".verbatim")
		s.reads(".msg.brain .answer strong", "it")
		s.has(1, ".thinking")
		s.is(expect.Locator(s.Locator(".msg.brain .answer")).Not().ToContainText("Perhaps"))
		if got := text(t, s.Locator(".thinking-text")); !strings.HasPrefix(got, "Perhaps this:") || !strings.HasSuffix(got, "No.\n") {
			t.Errorf("the thinking is %q", got)
		}
	}
	after()
	close(g[1])
	s.ended(1)
	after()
	_, err := s.Reload()
	s.is(err)
	s.ended(1)
	after()

	model.Queue(testkit.Say("Hm.", "</think>", "Yes."))
	s.put("And where is the quadlet for gufo?")
	s.ended(2)
	s.reads(".msg.brain >> nth=1 >> .answer", "Yes.")
}

func deflected(t *testing.T, v *visit, model *testkit.Model) {
	s := v.screen()
	model.Queue(testkit.Say("I have no notes on that."), testkit.Say("This one I can answer."))
	s.put("What is the capital of Mongolia?")
	s.ended(1)
	s.shows(".msg.is-deflected .answer", "I have no notes on that.")
	s.has(0, ".source-chip")
	chip := s.Locator(".msg.is-deflected .suggestion-chip").First()
	question := text(t, chip)
	s.is(chip.Click())
	s.ended(2)
	s.reads(".msg.user >> nth=1", question)
	s.shows(".msg.brain >> nth=1", "This one I can answer.")
}

func failed(t *testing.T, v *visit, model *testkit.Model) {
	s := v.screen()
	away := testkit.Fail(http.StatusInternalServerError, `{"error":{"message":"out of memory"}}`)
	for _, fault := range []struct {
		name  string
		steps []testkit.Step
		kept  string // of the answer
	}{
		{"status 500 at every try", []testkit.Step{away, away, away, away}, ""},
		{"an unknown model", []testkit.Step{testkit.Fail(http.StatusNotFound, `{"error":{"message":"model not found"}}`)}, ""},
		{"a cut in the middle", []testkit.Step{{Parts: []testkit.Part{{Text: "Half of an ans"}}, Cut: true}}, "Half of an ans"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			s := s
			s.t = t
			s.click("text=New chat")
			s.visible("#empty-state")
			model.Queue(fault.steps...)
			s.put(aboutGufo)
			s.is(expect.Locator(s.Locator(".msg.is-error [role=alert] p")).Not().ToBeEmpty())
			s.ended(1)
			if fault.kept != "" {
				s.shows(".msg.is-error .answer", fault.kept)
			}
			g := gates(1)
			model.Queue(testkit.Step{}.With(testkit.Gate(g[0]), testkit.Part{Text: "All is well now."}))
			s.click(".msg.is-error .retry")
			s.has(2, ".msg.brain")
			s.reads("#send-label", "Stop")
			close(g[0])
			s.ended(2)
			s.reads(".msg.user >> nth=1", aboutGufo)
			s.shows(".msg.brain >> nth=1", "All is well now.")
		})
	}
}

func stopped(t *testing.T, v *visit, model *testkit.Model) {
	s, g := v.screen(), gates(1)
	model.Queue(testkit.Step{}.With(testkit.Part{Text: "It starts with the "}, testkit.Gate(g[0]), testkit.Part{Text: "never said"}))
	s.put(aboutGufo)
	s.shows(".msg.brain .answer", "It starts with the")

	// Enter while a turn runs neither sends nor stops (DEC8).
	s.put("The next question, written ahead")
	s.reads("#send-label", "Stop")
	s.has(1, ".msg.user")
	s.shows("#composer-error", "Stop it, or send this when it is done.")

	s.click("#send-btn")
	within(t, "the end of the model's connection", time.Second+patience/4, model.Closed())
	s.ended(1)
	s.shows(".msg.is-stopped .answer", "It starts with the")
	s.shows(".msg.is-stopped .ended", "Stopped.")
	s.reads("#announce", "Stopped.")
	s.is(expect.Locator(s.Locator("#message-input")).ToHaveValue("The next question, written ahead"))
	s.is(expect.Locator(s.Locator("#composer-error")).ToBeEmpty())
	model.Queue(testkit.Say("Here it is."))
	s.click("#send-btn")
	s.ended(2)
	s.reads(".msg.user >> nth=1", "The next question, written ahead")
	_, err := s.Reload()
	s.is(err)
	s.shows(".msg.is-stopped .answer", "It starts with the")
}

func oneAtATime(t *testing.T, v *visit, model *testkit.Model) {
	s := v.screen()
	before := len(model.Chats())
	model.Queue(testkit.Say("One."))
	s.is(s.Locator("#message-input").Fill(aboutGufo))
	s.is(s.Locator("#send-btn").Dblclick())
	s.ended(1)
	if n := len(model.Chats()) - before; n != 1 {
		t.Errorf("a double click asked the model %d times", n)
	}

	second := v.another(s.address()) // sees no turn running
	g := gates(1)
	model.Queue(testkit.Step{}.With(testkit.Part{Text: "Two is"}, testkit.Gate(g[0]), testkit.Part{Text: " done."}))
	s.put("And on which port?")
	s.shows(".msg.brain >> nth=1", "Two is")
	second.put("Meanwhile, what about the disk?")
	second.shows("#composer-error", "An answer is still being written")
	second.is(expect.Locator(second.Locator("#message-input")).ToHaveValue("Meanwhile, what about the disk?"))
	second.has(1, ".msg.user")
	close(g[0])
	s.ended(2)
	model.Queue(testkit.Say("Three."))
	second.put("Meanwhile, what about the disk?")
	second.shows(".msg.brain >> nth=-1", "Three.")
	second.reads("#composer-error", "")
}

func suggested(t *testing.T, v *visit, model *testkit.Model) {
	s := v.screen()
	chip := s.Locator("#suggestions .suggestion-chip").First()
	question := text(t, chip)
	model.Queue(testkit.Say("The quadlet is short."))
	s.is(chip.Click())
	s.ended(1)
	s.reads(".msg.user", question)
	s.has(0, "#empty-state")
	s.click("text=New chat")
	s.reads("#suggestions .suggestion-chip", question) // now the visitor's own (DEC13)
}

func elapsed(t *testing.T, v *visit, model *testkit.Model) {
	s, g := v.screen(), gates(1)
	model.Queue(testkit.Step{}.With(testkit.Gate(g[0]), testkit.Part{Text: "Late."}))
	s.put(aboutGufo)
	s.shows("#typing-indicator .doing", "Waiting for the model")
	s.reads("#typing-indicator .elapsed", "")
	s.is(expect.Locator(s.Locator("#typing-indicator .elapsed")).ToHaveText(regexp.MustCompile(`^· ([3-9]|\d\d) s\s*$`))) // a busy machine may miss the third
	s.is(expect.Locator(s.Locator("[role=status] .elapsed")).ToHaveCount(0))                                              // not read out each second
	close(g[0])
	s.ended(1)
}
