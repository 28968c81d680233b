package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// patience is how long a state of a page is waited for; in a run without faults
// nothing comes near it.
const patience = 20 * time.Second

var expect = playwright.NewPlaywrightAssertions(float64(patience.Milliseconds()))

const quadlet = "[Unit]\nDescription=Gufo, the owl that watches the feeds\n\n[Container]\nImage=registry.example/gufo:2.4\nPublishPort=8137:8137\nVolume=gufo-data:/var/lib/gufo\n\n[Install]\nWantedBy=default.target\n"

// homelab is the knowledge base of these journeys: path → text.
func homelab() map[string]string {
	var long strings.Builder
	for n := 1; n <= 4500; n++ {
		fmt.Fprintf(&long, "2026-03-%02d 04:00:%02d ups event %d: battery at %d percent\n", n%28+1, n%60, n, n%101)
	}
	return map[string]string{
		"quadlets/gufo.container": quadlet,
		"dns.md":                  "# DNS\n\nUnbound answers on port 5335, Pi-hole in front of it on port 53.\n\n## Zones\n\n| zone | served by |\n|---|---|\n| home.arpa | unbound |\n| lan | pihole |\n\nThe feeds of the owl: [the quadlet](quadlets/gufo.container#L4).\n",
		"notes/disk.md":           "# The disk filled up\n\nThe journal had grown to 40 GB. `journalctl --vacuum-size=1G` freed it.\n",
		"logs/ups-events.txt":     long.String(),
	}
}

// house is a product with a scripted model and the homelab.
func house(t *testing.T, more map[string]string, env ...string) (*product, *testkit.Model) {
	t.Helper()
	model := testkit.NewModel(t)
	files := homelab()
	for path, text := range more {
		files[path] = text
	}
	return start(t, options{model: model, sources: map[string]string{"homelab": tree(t, files)}, env: env}), model
}

// tree writes files into a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// visitor opens a signed-in window.
func visitor(t *testing.T, p *product, o playwright.BrowserNewContextOptions) *visit {
	t.Helper()
	v := browse(t, p.url, o)
	v.logIn()
	return v
}

// screen is one page, with the checks that wait for a state of it.
type screen struct {
	t *testing.T
	playwright.Page
}

func (v *visit) screen() screen { return screen{v.t, v.page} }

// another is a second tab of the window, at an address of the product.
func (v *visit) another(path string) screen {
	v.t.Helper()
	s := screen{v.t, v.tab()}
	_, err := s.Goto(v.base + path)
	must(v.t, err)
	return s
}

func (s screen) is(err error) {
	s.t.Helper()
	if err != nil {
		main, _ := s.Locator("#main").InnerText()
		s.t.Fatalf("%v\nat %s the page says:\n%s", err, s.URL(), main)
	}
}

// shows waits until an element holds the text.
func (s screen) shows(selector, want string) {
	s.t.Helper()
	s.is(expect.Locator(s.Locator(selector)).ToContainText(want))
}

// reads waits until an element's text is the text, spaces folded.
func (s screen) reads(selector, want string) {
	s.t.Helper()
	s.is(expect.Locator(s.Locator(selector)).ToHaveText(want))
}

// has waits until so many elements match.
func (s screen) has(n int, selector string) {
	s.t.Helper()
	s.is(expect.Locator(s.Locator(selector)).ToHaveCount(n))
}

func (s screen) visible(selector string) {
	s.t.Helper()
	s.is(expect.Locator(s.Locator(selector)).ToBeVisible())
}

func (s screen) hidden(selector string) {
	s.t.Helper()
	s.is(expect.Locator(s.Locator(selector)).ToBeHidden())
}

func (s screen) focused(selector string) {
	s.t.Helper()
	s.is(expect.Locator(s.Locator(selector)).ToBeFocused())
}

func (s screen) click(selector string) {
	s.t.Helper()
	s.is(s.Locator(selector).Click())
}

// put sends a question by keyboard.
func (s screen) put(question string) {
	s.t.Helper()
	s.is(s.Locator("#message-input").Fill(question))
	s.is(s.Locator("#message-input").Press("Enter"))
}

// ended waits until n answers stand there and none is being written.
func (s screen) ended(n int) {
	s.t.Helper()
	s.has(n, ".msg.brain")
	s.has(0, ".msg[aria-busy]")
	s.reads("#send-label", "Send")
}

func (s screen) eval(script string, arg ...any) any {
	s.t.Helper()
	value, err := s.Evaluate(script, arg...)
	s.is(err)
	return value
}

// address is the page's own, path first: the driver hears later of one that a script
// has put in its place.
func (s screen) address() string {
	s.t.Helper()
	return s.eval("() => location.pathname + location.search + location.hash").(string)
}

// messages is the DOM of all questions and answers, without the element that
// carried a stream: only a page that saw the turn run has it.
func (s screen) messages() string {
	s.t.Helper()
	return s.eval(`() => {
		const all = document.getElementById('messages').cloneNode(true);
		for (const stream of all.querySelectorAll('.stream')) stream.remove();
		return all.innerHTML.replace(/\s+(?=<)|(?<=>)\s+/g, '');
	}`).(string)
}

// within fails unless the channel gives in time.
func within[T any](t *testing.T, what string, d time.Duration, c <-chan T) T {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case v := <-c:
		return v
	case <-timer.C:
		t.Fatalf("%s did not happen within %v", what, d)
		panic("unreachable")
	}
}

// gates are n gates for a scripted reply, closed.
func gates(n int) []chan struct{} {
	all := make([]chan struct{}, n)
	for i := range all {
		all[i] = make(chan struct{})
	}
	return all
}
