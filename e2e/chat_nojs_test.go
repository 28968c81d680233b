package e2e

import (
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// TestChatWithoutScript does all that matters with scripts switched off (CH1). The
// page refreshes itself, so that waiting is all one does.
func TestChatWithoutScript(t *testing.T) {
	p, model := house(t, nil)
	v := browse(t, p.url, playwright.BrowserNewContextOptions{JavaScriptEnabled: playwright.Bool(false)})
	s := v.screen()
	v.open("/")
	s.visible("#auth-gate")
	s.is(s.Locator("#password").Fill(password))
	s.click("#auth-gate button.primary")
	s.visible("#empty-state")
	s.has(0, ".needs-js:visible")

	// A suggestion puts its question into the box.
	chip := s.Locator("#suggestions .suggestion-chip").First()
	question := text(t, chip)
	s.is(chip.Click())
	s.is(expect.Locator(s.Locator("#message-input")).ToHaveValue(question))

	// Ask; the answer page looks again until it is there.
	g := gates(2)
	model.Queue(testkit.Call("read", `{"path":"homelab/notes/disk.md"}`),
		testkit.Step{}.With(testkit.Gate(g[0]), testkit.Part{Text: "The port is "}, testkit.Gate(g[1]), testkit.Part{Text: "**8137**."}))
	s.is(s.Locator("#message-input").Fill(aboutGufo))
	s.click("#send-btn")
	s.shows(".tool-call", "Read homelab/notes/disk.md")
	s.visible("#typing-indicator")
	close(g[0])
	s.shows(".answer", "The port is")
	s.reads("#send-label", "Stop")
	close(g[1])
	s.ended(1)
	s.reads(".answer strong", "8137")
	s.has(0, "meta[http-equiv=refresh]")

	// What a call brought stands behind a plain link.
	s.click(".read-card summary")
	s.click(".card-body a")
	s.shows(".window", "The journal had grown to 40 GB.")
	s.click("text=Back to the chat")
	s.reads(".answer strong", "8137")

	// The document, raw, and back.
	s.click(".source-chip >> nth=0")
	s.shows("#doc-title", "gufo")
	raw, err := s.ExpectResponse("**/document/raw?*", func() error { return s.Locator(".doc-raw").Click() })
	s.is(err)
	s.is(s.WaitForURL("**/document/raw?*"))
	if body, err := raw.Text(); err != nil || body != quadlet {
		t.Errorf("Raw gives %q (%v)", body, err)
	}
	_, err = s.GoBack()
	s.is(err)
	_, err = s.GoBack()
	s.is(err)
	s.reads(".answer strong", "8137")

	// Stop, then Retry.
	step, _ := sagaStep()
	model.Queue(step)
	s.is(s.Locator("#message-input").Fill(aboutGufo))
	s.click("#send-btn")
	s.shows(".msg.brain >> nth=1", "First we look at the")
	s.click("#send-btn")
	within(t, "the end of the model's connection", patience, model.Closed())
	s.ended(2)
	s.shows(".msg.is-stopped .answer", "First we look at the")
	model.Queue(testkit.Say("Whole again."))
	s.click(".msg.is-stopped .retry")
	s.ended(3)
	s.shows(".msg.brain >> nth=2", "Whole again.")

	// A refused question comes back with its words.
	s.is(s.Locator("#message-input").Fill("   "))
	s.click("#send-btn")
	s.shows("#composer-error", "The question is empty.")

	s.click("text=New chat")
	s.visible("#empty-state")
	s.click("text=Log out")
	s.visible("#auth-gate")
	v.open("/")
	s.visible("#auth-gate")
	if strings.Contains(text(t, s.Locator("body")), "8137") {
		t.Error("the signed-out page still shows the conversation")
	}
}
