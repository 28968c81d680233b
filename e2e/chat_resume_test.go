package e2e

import (
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// saga is an answer in pieces that end inside of blocks, code and words.
var saga = []string{
	"# Plan\n\nFirst we look at the **f", "eeds**, then at the\n\n- quadlet\n- vol", "ume\n\n```yaml\nimage: gufo\nports:\n  - 81",
	"37\n```\n\n| a | b |\n|---|", "---|\n| 1 | 2 |\n\nLast of all <b>the</b> 🦉", " owl.\n",
}

// sagaStep says the saga, each piece but the first when its gate opens.
func sagaStep() (testkit.Step, []chan struct{}) {
	g := gates(len(saga) - 1)
	step := testkit.Step{Parts: []testkit.Part{{Thinking: "One moment."}, {Text: saga[0]}}}
	for i, piece := range saga[1:] {
		step.Parts = append(step.Parts, testkit.Gate(g[i]), testkit.Part{Text: piece})
	}
	return step, g
}

// TestChatResume watches one turn from pages that come, go and lose the network,
// and through a second process: all end with the page that the record makes (CH2,
// DEC6, DEC11).
func TestChatResume(t *testing.T) {
	model := testkit.NewModel(t)
	database := testkit.EmptyDB(t)
	first := startOn(t, database, options{model: model, sources: map[string]string{"homelab": tree(t, homelab())}})
	second := startOn(t, database, options{model: model})
	v := visitor(t, first, playwright.BrowserNewContextOptions{})
	elsewhere := func(t *testing.T) *visit { // the same session at the second process
		t.Helper()
		w := browse(t, second.url, playwright.BrowserNewContextOptions{})
		cookies, err := v.context.Cookies()
		must(t, err)
		for _, c := range cookies {
			must(t, w.context.AddCookies([]playwright.OptionalCookie{{Name: c.Name, Value: c.Value, URL: &second.url}}))
		}
		return w
	}

	t.Run("reload, tabs, offline, hidden, another process", func(t *testing.T) {
		step, g := sagaStep()
		model.Queue(step)
		s := screen{t, v.page}
		s.put(aboutGufo)
		s.shows(".answer", "First we look at the")
		path := s.address()
		_, err := s.Reload()
		s.is(err)
		s.shows(".answer", "First we look at the")
		s.reads("#send-label", "Stop")

		tab := v.another(path)
		tab.shows(".answer", "First we look at the")
		hidden := v.another(path)
		hidden.shows(".answer", "First we look at the")
		hidden.eval(`() => {
			Object.defineProperty(document, 'hidden', { get: () => true });
			Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
			document.dispatchEvent(new Event('visibilitychange'));
		}`)
		far := elsewhere(t)
		far.open(path)
		away := screen{t, far.page}
		away.shows(".answer", "First we look at the")

		close(g[0])
		for _, each := range []screen{s, tab, hidden, away} {
			each.shows(".answer strong", "feeds")
		}
		must(t, far.context.SetOffline(true))
		close(g[1])
		close(g[2])
		for _, each := range []screen{s, tab, hidden} {
			each.shows(".answer pre code", "- 8137")
		}
		must(t, far.context.SetOffline(false))
		away.shows(".answer pre code", "- 8137")
		must(t, far.context.SetOffline(true))
		close(g[3])
		close(g[4])
		s.ended(1)
		must(t, far.context.SetOffline(false))

		late := v.another(path)
		late.ended(1)
		want := late.messages()
		if !strings.Contains(want, "<table>") || strings.Count(want, "🦉 owl.") != 1 || strings.Contains(want, "<b>") {
			t.Errorf("the finished answer isn't the saga: %s", want)
		}
		for name, each := range map[string]screen{"reloaded": s, "second tab": tab, "hidden": hidden, "second process, offline twice": away} {
			each.ended(1)
			if got := each.messages(); got != want {
				at, a, b := firstDifference(got, want)
				t.Errorf("%s: the page differs from the record's at %d: %q, not %q", name, at, a, b)
			}
		}
	})

	t.Run("Stop from the second process", func(t *testing.T) {
		step, g := sagaStep()
		model.Queue(step)
		s := screen{t, v.page}
		s.click("text=New chat")
		s.visible("#empty-state")
		s.put(aboutGufo)
		close(g[0])
		s.shows(".answer strong", "feeds")
		far := elsewhere(t)
		far.open(s.address())
		away := screen{t, far.page}
		away.shows(".answer strong", "feeds")
		away.click("#send-btn")
		within(t, "the end of the model's connection", patience, model.Closed())
		for _, each := range []screen{s, away} {
			each.ended(1)
			each.has(1, ".msg.is-stopped .answer strong")
		}
		if got, want := away.messages(), s.messages(); got != want {
			at, a, b := firstDifference(got, want)
			t.Errorf("the pages differ at %d: %q, and %q where the turn ran", at, a, b)
		}
	})

	t.Run("the process ends", func(t *testing.T) {
		step, g := sagaStep()
		model.Queue(step)
		s := screen{t, v.page}
		s.click("text=New chat")
		s.visible("#empty-state")
		s.put(aboutGufo)
		close(g[0])
		s.shows(".answer strong", "feeds")
		far := elsewhere(t)
		far.open(s.address())
		away := screen{t, far.page}
		away.shows(".answer strong", "feeds")
		first.stop()
		away.ended(1)
		away.has(1, ".msg.is-interrupted .answer strong")
		s.ended(1)
		s.has(1, ".msg.is-interrupted .answer strong")
		model.Queue(testkit.Say("Once more."))
		away.click(".msg.is-interrupted .retry")
		away.ended(2)
		away.shows(".msg.brain >> nth=1", "Once more.")
	})
}
