package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/llm"
	"bor/internal/testkit"
)

// deepPath and wideLine are as long as names and lines get in real trees.
var (
	deepPath = strings.Repeat("a-folder-with-a-long-name/", 8) + "quadlet-" + strings.Repeat("x", 120) + ".container"
	wideLine = "Exec=/usr/bin/gufo " + strings.Repeat("--feed=https://feeds.example/a/very/long/address ", 30) + "\n"
)

// feast is an answer with everything that answers are made of.
var feast = "# Gufo\n\nThe owl runs `podman` with **a quadlet**, see [the site](https://example.org/owl) and\n\n1. one\n2. two\n   - [x] done\n   - [ ] open\n\n> quoted\n\n" +
	"| column | another | " + strings.Repeat("wide | ", 12) + "\n|---|---|" + strings.Repeat("---|", 12) + "\n| a | b | " + strings.Repeat("cell | ", 12) + "\n\n" +
	"```bash\n# a comment\necho \"" + strings.Repeat("long ", 60) + "\"\n```\n\n~~~~bor homelab/quadlets/gufo.container\n~~~~\n\n~~~~bor homelab/" + deepPath + "\n~~~~\n\n~~~~bor homelab/nowhere.md\n~~~~\n\n" +
	strings.Repeat("averylongwordwithoutaplacetobreakit", 12) + "\n"

// TestPagesAccessible looks at every page and state with axe, at a desktop's and a
// phone's width, and for text that doesn't fit, at four widths (QA1, QA2). With
// BOR_SCREENSHOTS=1 it leaves pictures in screenshots/.
func TestPagesAccessible(t *testing.T) {
	p, model := house(t, map[string]string{deepPath: "[Container]\n" + wideLine + "Image=gufo\n", "empty.md": ""})
	v := browse(t, p.url, playwright.BrowserNewContextOptions{ReducedMotion: playwright.ReducedMotionReduce})
	v.bringAxe()
	s := v.screen()
	check := func(state string) {
		t.Helper()
		s.inspect(state, os.Getenv("BOR_SCREENSHOTS") != "")
	}

	v.open("/login")
	check("login")
	s.is(s.Locator("#password").Fill("not it"))
	s.click("#auth-gate button.primary")
	s.visible("#password-error")
	check("login-refused")
	v.open("/document?source=homelab&path=dns.md")
	s.visible("#auth-gate")
	check("gate")
	v.logIn()
	check("empty-chat")

	g := gates(6)
	model.Queue(
		testkit.Step{}.With(testkit.Gate(g[0]), testkit.Part{Thinking: strings.Repeat("Where might the owl's file be? Let me look for it in the notes. ", 30)}, testkit.Gate(g[1]),
			testkit.Part{Call: &llm.ToolCall{ID: "a", Name: "read", Arguments: `{"path":"homelab/` + deepPath + `"}`}}),
		testkit.Call("grep", `{"pattern":"battery"}`), testkit.Call("ls", `{"path":"homelab"}`), testkit.Call("read", `{"path":"homelab/nowhere.md"}`),
		testkit.Fail(http.StatusServiceUnavailable, "{}"),
		testkit.Step{}.With(testkit.Gate(g[2]), testkit.Part{Text: feast[:60]}, testkit.Gate(g[3]), testkit.Part{Text: feast[60:400]}, testkit.Gate(g[4]), testkit.Part{Text: feast[400:]}, testkit.Gate(g[5])))
	s.put("Show me the quadlet for gufo, at " + strings.Repeat("any-length-", 30))
	s.shows("#typing-indicator", "Waiting for the model")
	check("waiting")
	close(g[0])
	s.shows(".thinking[open]", "Where might")
	check("thinking")
	close(g[1])
	s.shows("#typing-indicator", "retrying")
	check("retrying")
	close(g[2])
	s.shows(".answer", "Gufo")
	close(g[3])
	s.has(1, ".answer blockquote")
	check("streaming")
	close(g[4])
	s.has(3, ".answer .verbatim")
	check("streaming-panels")
	close(g[5])
	s.ended(1)
	check("done")
	for _, summary := range s.all(".card-fold summary") {
		s.is(summary.Click())
	}
	s.has(0, ".card-body > a")
	check("cards")
	card, err := s.Locator(".read-card").First().Evaluate("c => c.querySelector('.window') && location.pathname", nil)
	s.is(err)
	conversation := card.(string)

	model.Queue(testkit.Say("I have no notes on that."))
	s.put("What is the capital of Mongolia?")
	s.ended(2)
	s.has(1, ".is-deflected")
	check("deflected")
	model.Queue(testkit.Fail(http.StatusNotFound, "{}"))
	s.put(aboutGufo)
	s.ended(3)
	s.has(1, ".is-error")
	check("error")
	model.Queue(testkit.Step{}.With(testkit.Part{Text: "It starts"}, testkit.Gate(make(chan struct{}))))
	s.put(aboutGufo)
	s.shows(".msg.brain >> nth=3", "It starts")
	s.click("#send-btn")
	s.ended(4)
	s.has(1, ".is-stopped")
	check("stopped")

	s.click(".source-chip >> nth=0")
	s.visible("#doc-modal #doc-title")
	check("modal")
	s.is(s.Keyboard().Press("Escape"))
	s.hidden("#doc-modal")
	s.until("the window's entry leaves the history", "() => location.hash !== '#document'")

	doc := func(path, more string) string {
		return "/document?source=homelab&path=" + strings.ReplaceAll(path, "/", "%2F") + more
	}
	for _, page := range []struct{ name, path string }{
		{"document", doc("dns.md", "")}, {"document-lines", doc("dns.md", "&lines=3-5#L3")}, {"document-code", doc("quadlets/gufo.container", "&lines=5#L5")},
		{"document-pages", doc("logs/ups-events.txt", "&lines=4001-4004#L4001")}, {"document-deep", doc(deepPath, "")}, {"document-empty", doc("empty.md", "")},
		{"document-gone", doc("gone/"+deepPath, "")}, {"not-found", "/nowhere"}, {"conversation-gone", "/c/999999"}, {"reloaded", conversation},
	} {
		v.open(page.path)
		check(page.name)
	}
	v.open(conversation)
	step, err := s.Locator(".card-body a").First().GetAttribute("href")
	s.is(err)
	v.open(step)
	s.visible(".window")
	check("card-page")

	v.open("/")
	s.is(s.SetViewportSize(375, 760))
	s.click("button.menu")
	s.visible("#app-nav")
	check("menu")
}

func (s screen) all(selector string) []playwright.Locator {
	s.t.Helper()
	all, err := s.Locator(selector).All()
	s.is(err)
	return all
}

// inspect looks at the page as it stands, and leaves pictures of it if wanted.
func (s screen) inspect(state string, pictures bool) {
	s.t.Helper()
	for _, width := range []int{320, 375, 768, 1440} {
		s.is(s.SetViewportSize(width, 760))
		s.fits(state, width)
		if width == 375 || width == 1440 {
			s.axe(fmt.Sprintf("%s at %d px", state, width))
		}
		if pictures && width != 320 {
			s.picture(fmt.Sprintf("screenshots/%s-%d.jpg", state, width), width)
		}
	}
}

// maxPicture is how much of a long page a picture shows, in pixels.
const maxPicture = 3000

// picture takes the page in a window as high as the page, so that nothing stands
// over it. It asks the browser itself: the driver's own way costs a third more.
func (s screen) picture(file string, width int) {
	s.t.Helper()
	must(s.t, os.MkdirAll(filepath.Dir(file), 0o755))
	height := s.eval("limit => Math.min(document.documentElement.scrollHeight, limit)", maxPicture).(int)
	s.is(s.SetViewportSize(width, height))
	s.eval("() => scrollTo(0, 0)")
	devtools, err := s.Context().NewCDPSession(s.Page)
	s.is(err)
	defer devtools.Detach()
	shot, err := devtools.Send("Page.captureScreenshot", map[string]any{"format": "jpeg", "optimizeForSpeed": true})
	s.is(err)
	picture, err := base64.StdEncoding.DecodeString(shot.(map[string]any)["data"].(string))
	s.is(err)
	must(s.t, os.WriteFile(file, picture, 0o644))
}

// fits fails when the page is wider than its window, or text stands out of it.
func (s screen) fits(state string, width int) {
	s.t.Helper()
	got := s.eval(`() => {
		const root = document.documentElement;
		if (root.scrollWidth <= innerWidth) return '';
		const wide = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1);
		return root.scrollWidth + ' px wide: ' + wide.slice(0, 5).map(e => e.tagName + '#' + e.id + '.' + e.className).join(', ');
	}`)
	if got != "" {
		s.t.Errorf("%s at %d px scrolls sideways: %s", state, width, got)
	}
}

const axeCore = "node_modules/axe-core/axe.min.js"

// bringAxe lets every page of the window come with axe in it. To send it to a page
// that stands there takes half a second.
func (v *visit) bringAxe() {
	v.t.Helper()
	must(v.t, v.context.AddInitScript(playwright.Script{Path: playwright.String(axeCore)}))
}

// axe fails for every finding of axe-core.
func (s screen) axe(state string) {
	s.t.Helper()
	if s.eval("() => !window.axe").(bool) {
		program, err := os.ReadFile(axeCore)
		must(s.t, err)
		s.eval(string(program))
	}
	raw := s.eval(`() => axe.run(document, { resultTypes: ['violations'], preload: false }).then(r => JSON.stringify(r.violations.map(v =>
		({ id: v.id, help: v.help, nodes: v.nodes.slice(0, 4).map(n => n.target.join(' ') + ': ' + n.failureSummary) }))))`).(string)
	var findings []struct {
		ID, Help string
		Nodes    []string
	}
	must(s.t, json.Unmarshal([]byte(raw), &findings))
	for _, f := range findings {
		s.t.Errorf("%s: axe %s: %s\n  %s", state, f.ID, f.Help, strings.Join(f.Nodes, "\n  "))
	}
}
