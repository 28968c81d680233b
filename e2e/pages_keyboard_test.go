package e2e

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// TestPagesKeyboard uses the chat without a pointer, and watches that nothing read
// moves while an answer grows (QA1, QA2).
func TestPagesKeyboard(t *testing.T) {
	p, model := house(t, map[string]string{"quadlets/wide.container": "[Container]\n" + wideLine + strings.Repeat("Environment=A=1\n", 60)})
	t.Run("keys", func(t *testing.T) {
		v := browse(t, p.url, playwright.BrowserNewContextOptions{})
		s := v.screen()
		press := func(keys string) {
			t.Helper()
			s.is(s.Keyboard().Press(keys))
		}
		// reach presses a key until an element has the focus, which must be visible.
		reach := func(key, selector string) {
			t.Helper()
			for range 60 {
				press(key)
				if s.eval("q => document.activeElement.matches(q)", selector) == true {
					if s.eval("() => { const c = getComputedStyle(document.activeElement), f = getComputedStyle(document.activeElement.closest('fieldset') ?? document.body); return c.outlineStyle !== 'none' || f.boxShadow !== 'none'; }") != true {
						t.Errorf("the focus on %s can't be seen", selector)
					}
					return
				}
			}
			t.Fatalf("%s doesn't lead to %s; the focus is on %s", key, selector, s.eval("() => document.activeElement.outerHTML.slice(0, 200)"))
		}
		v.open("/login")
		s.focused("#password")
		s.is(s.Keyboard().Type(password))
		press("Enter")
		s.visible("#composer")
		s.eval("() => document.activeElement.blur()")
		press("Tab")
		s.focused(".skip")
		s.is(expect.Locator(s.Locator(".skip")).ToBeInViewport())
		press("Enter")
		s.focused("#main")
		reach("Tab", "#suggestions .suggestion-chip")
		reach("Tab", "#message-input")
		model.Queue(testkit.Think("Let me see.", "Here:\n\n~~~~bor homelab/quadlets/wide.container\n~~~~\n"))
		s.is(s.Keyboard().Type("Show me the wide quadlet"))
		press("Shift+Enter")
		s.is(s.Keyboard().Type("please"))
		press("Enter")
		s.ended(1)
		s.reads(".msg.user", "Show me the wide quadlet\nplease")

		reach("Shift+Tab", ".verbatim pre")
		press("End")
		press("ArrowRight")
		press("ArrowDown")
		s.until("the panel scrolls by its keys", "() => { const p = document.querySelector('.verbatim pre'); return p.scrollLeft > 0 && p.scrollTop > 0; }")
		reach("Shift+Tab", ".thinking summary")
		press("Enter")
		s.shows(".thinking[open]", "Let me see.")
		reach("Tab", ".source-chip")
		press("Enter")
		s.visible("#doc-modal #doc-title")
		for range 12 {
			press("Tab")
			if s.eval("() => document.activeElement === document.body || document.querySelector('#doc-modal').contains(document.activeElement)") != true {
				t.Fatal("Tab leaves the window for the page behind it")
			}
		}
		press("Escape")
		s.hidden("#doc-modal")
		s.focused(".source-chip >> nth=0")
		press("/")
		s.focused("#message-input")
		s.is(expect.Locator(s.Locator("#message-input")).ToHaveValue(""))

		g := gates(1)
		model.Queue(testkit.Step{}.With(testkit.Part{Text: "On and on"}, testkit.Gate(g[0])))
		s.is(s.Keyboard().Type("And now?"))
		press("Enter")
		s.shows(".msg.brain >> nth=1", "On and on")
		reach("Tab", "#send-btn")
		press("Enter")
		s.ended(2)
		s.has(1, ".is-stopped")
	})

	t.Run("nothing moves", func(t *testing.T) {
		v := visitor(t, p, playwright.BrowserNewContextOptions{})
		s := v.screen()
		s.eval(`() => {
			window.moved = [];
			new PerformanceObserver(list => {
				for (const entry of list.getEntries()) {
					for (const { node } of entry.sources) {
						const e = node?.closest ? node : node?.parentElement;
						if (e && !e.closest('.turn-end, footer')) moved.push(e.outerHTML.slice(0, 150)); // what stands below makes room
					}
				}
			}).observe({ type: 'layout-shift', buffered: true });
		}`)
		text := "# Plan\n\n" + strings.Repeat("Some **words** to `read`.\n\n- one\n- two\n\n```yaml\na: 1\nb: 2\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n", 6) + "~~~~bor homelab/quadlets/gufo.container\n~~~~\n\nThe end.\n"
		g := gates(1)
		step := testkit.Step{Parts: []testkit.Part{{Text: "Well. "}, testkit.Gate(g[0])}}
		for _, piece := range pieces(text, 9) {
			step.Parts = append(step.Parts, testkit.Part{Text: piece})
		}
		model.Queue(step)
		s.put(aboutGufo)
		s.shows(".answer", "Well.")
		// Shifts within half a second of a key aren't told: wait that out.
		s.eval("() => { window.since = performance.now(); }")
		s.until("the wait", "() => performance.now() - since > 600")
		top := s.eval("() => scrollY")
		close(g[0])
		s.ended(1)
		s.visible(".answer .verbatim")
		if now := s.eval("() => scrollY"); now != top {
			t.Errorf("the page has scrolled by itself from %v to %v", top, now)
		}
		s.visible("#jump")
		var moved []string
		must(t, json.Unmarshal([]byte(s.eval("() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(JSON.stringify(moved)))))").(string)), &moved))
		for _, m := range moved {
			t.Errorf("moved while the answer grew: %s", m)
		}
		s.click("#jump")
		s.is(expect.Locator(s.Locator("#end")).ToBeInViewport())
		s.hidden("#jump")
	})

	t.Run("reduced motion", func(t *testing.T) {
		v := visitor(t, p, playwright.BrowserNewContextOptions{ReducedMotion: playwright.ReducedMotionReduce})
		s, g := v.screen(), gates(1)
		model.Queue(testkit.Step{}.With(testkit.Gate(g[0]), testkit.Part{Text: "Calm."}))
		s.put(aboutGufo)
		s.visible("#typing-indicator")
		if n := s.eval("() => document.getAnimations().filter(a => a.playState === 'running').length"); n != 0 {
			t.Errorf("%v animations run", n)
		}
		close(g[0])
		s.ended(1)
	})
}

// until looks at every frame until the script is true. (The driver's own waiting
// makes a function of text in the page, which the policy rightly stops.)
func (s screen) until(what, script string) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for s.eval("async () => { await new Promise(requestAnimationFrame); return ("+script+")(); }") != true {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: not within %v", what, patience)
		}
	}
}
