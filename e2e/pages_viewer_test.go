package e2e

import (
	"net/url"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// documentPath is the viewer's address for a document of the homelab.
func documentPath(path, more string) string {
	return "/document?source=homelab&path=" + url.QueryEscape(path) + more
}

// TestPagesViewer reads documents, as pages and over the chat (CH9, DEC7).
func TestPagesViewer(t *testing.T) {
	p, model := house(t, nil)
	t.Run("lines", func(t *testing.T) {
		v := withClipboard(t, p.url)
		s := v.screen()
		log := homelab()["logs/ups-events.txt"]
		v.open(documentPath("logs/ups-events.txt", "&lines=3012-3040#L3012"))
		s.has(2000, ".line")
		s.has(29, ".line.hit") // as the server marks them: the script leaves them so
		s.is(expect.Locator(s.Locator("#L3012.hit")).ToBeInViewport())
		s.shows("#L3012", "ups event 3012:")
		s.click(".pager [rel=next] >> nth=0")
		s.has(500, ".line")
		s.has(0, "[rel=next]")
		s.shows("#L4500", "ups event 4500:")
		s.click(".pager [rel=prev] >> nth=0")
		s.has(2000, ".line")
		s.click(".pager [rel=prev] >> nth=0")
		s.visible("#L1")
		s.has(0, "[rel=prev]")

		s.is(s.Locator("#L5").Click(playwright.LocatorClickOptions{Position: &playwright.Position{X: 10, Y: 8}}))
		s.has(1, "#L5.hit")
		s.is(s.Locator("#L8").Click(playwright.LocatorClickOptions{Position: &playwright.Position{X: 10, Y: 8}, Modifiers: []playwright.KeyboardModifier{*playwright.KeyboardModifierShift}}))
		s.has(4, ".line.hit")
		if got := s.address(); !strings.HasSuffix(got, "#L5-L8") {
			t.Errorf("the address %s doesn't name the picked lines", got)
		}
		v.open(documentPath("logs/ups-events.txt", "#L4100")) // typed by hand: another page of lines
		s.is(expect.Locator(s.Locator("#L4100.hit")).ToBeInViewport())

		v.watchCopies()
		s.click(".doc-copy")
		if got := v.copied(1); got != log {
			at, a, b := firstDifference(got, log)
			t.Errorf("Copy differs from the file at %d: %q, not %q", at, a, b)
		}
		raw, err := s.ExpectResponse("**/document/raw?*", func() error { return s.Locator(".doc-raw").Click() })
		s.is(err)
		s.is(s.WaitForURL("**/document/raw?*"))
		if body, err := raw.Text(); err != nil || body != log {
			t.Errorf("Raw differs from the file (%v)", err)
		}
	})

	t.Run("Markdown", func(t *testing.T) {
		v := visitor(t, p, playwright.BrowserNewContextOptions{})
		s := v.screen()
		v.open(documentPath("dns.md", ""))
		s.reads("#doc-title", "DNS")
		s.reads(".doc-rendered td >> nth=0", "home.arpa")
		s.click("text=About this document")
		s.shows(".doc-meta dl", "dns.md")
		s.click(".doc-rendered >> text=the quadlet")
		s.shows("#doc-title", "gufo")
		s.has(1, "#L4.hit")
		_, err := s.GoBack()
		s.is(err)
		s.click(".doc-actions >> text=Lines")
		s.shows("#L5", "## Zones")
		s.click(".doc-actions >> text=Rendered")
		s.visible(".doc-rendered table")
		s.eval("() => { location.hash = '#L3-L5' }") // typed: lines of a rendered document
		s.has(3, ".line.hit")
	})

	t.Run("not there", func(t *testing.T) {
		s := visitor(t, p, playwright.BrowserNewContextOptions{}).screen()
		for _, path := range []string{"gone.md", "../../etc/passwd", "quadlets", ""} {
			response, err := s.Goto(p.url + documentPath(path, ""))
			s.is(err)
			if response.Status() != 404 {
				t.Errorf("%q: status %d", path, response.Status())
			}
			s.reads("#doc-title", "This document isn’t there")
		}
	})

	t.Run("over the chat", func(t *testing.T) {
		v := visitor(t, p, playwright.BrowserNewContextOptions{})
		s := v.screen()
		model.Queue(testkit.Say("See the [notes](/document?source=homelab&path=dns.md).\n\n" + strings.Repeat("A line to scroll by.\n\n", 60)))
		s.put(aboutGufo)
		s.ended(1)
		s.is(s.Locator("#message-input").Fill("A question half wri"))
		before := s.messages()
		chip := s.Locator(".source-chip").First()
		s.is(chip.Focus())
		top := s.eval("() => scrollY")
		unchanged := func(after string) {
			t.Helper()
			s.hidden("#doc-modal")
			s.is(expect.Locator(chip).ToBeFocused())
			if got := s.eval("() => scrollY"); got != top {
				t.Errorf("after %s the chat has scrolled from %v to %v", after, top, got)
			}
			if s.messages() != before {
				t.Errorf("after %s the chat is another one", after)
			}
			s.is(expect.Locator(s.Locator("#message-input")).ToHaveValue("A question half wri"))
		}
		open := func() {
			t.Helper()
			s.is(chip.Press("Enter"))
			s.shows("#doc-modal[open] #doc-title", "gufo") // closed, it keeps the last document
			s.until("the focus is in the window", "() => document.querySelector('#doc-modal').contains(document.activeElement)")
		}
		open()
		s.is(s.Keyboard().Press("Escape"))
		unchanged("Esc")
		open()
		s.eval("() => history.back()")
		unchanged("Back")
		open()
		s.click("#doc-modal >> text=Close")
		unchanged("Close")
		s.reopensAtOnce()

		s.click(".answer >> text=notes")
		s.reads("#doc-modal #doc-title", "DNS")
		s.click("#doc-modal >> text=the quadlet")
		s.shows("#doc-modal #doc-title", "gufo")
		s.has(1, "#doc-modal .line.hit")
		s.is(s.Keyboard().Press("Escape"))
		s.hidden("#doc-modal")

		// A document as a page of its own, then Back.
		s.is(s.Locator(".msg.user").ScrollIntoViewIfNeeded())
		v.open(documentPath("dns.md", ""))
		_, err := s.GoBack()
		s.is(err)
		s.ended(1)
		s.reads(".msg.user", aboutGufo)
	})
}

// reopensAtOnce opens a document in the moment that the window closes, by Back and
// by its button, before the browser tells the page of the close. The window stays
// open, and one step back closes it.
func (s screen) reopensAtOnce() {
	s.t.Helper()
	for _, way := range []string{"Back", "Close"} {
		s.is(s.Locator(".source-chip").First().Press("Enter"))
		s.visible("#doc-modal[open] #doc-title")
		got := s.eval(`async way => {
			const dialog = document.getElementById('doc-modal'), chip = document.querySelector('.source-chip');
			const told = new Promise(done => dialog.addEventListener('close', done, { once: true }));
			const back = history.back;
			let steps = 0;
			history.back = () => { steps++; back.call(history); };
			if (way === 'Back') {
				addEventListener('popstate', () => chip.click(), { once: true });
				back.call(history);
			} else {
				dialog.querySelector('form button').click();
				chip.click();
			}
			await told;
			history.back = back;
			return [dialog.open, steps, location.hash].join();
		}`, way)
		if want := "true,0,#document"; got != want {
			s.t.Errorf("opened again at once after %s: open, steps back, address are %v, want %s", way, got, want)
		}
		s.eval("() => history.back()")
		s.hidden("#doc-modal")
		s.until("the window's entry has left the history", "() => location.hash === ''")
	}
}
