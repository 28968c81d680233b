//go:build bench

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

// watchTasks counts main-thread tasks over 50 ms and sums up what they took.
const watchTasks = `window.longTasks = [];
	new PerformanceObserver(list => { for (const e of list.getEntries()) longTasks.push(e.duration); }).observe({type: 'longtask', buffered: true})`

// TestBenchBrowser: main-thread tasks over 50 ms while a long answer streams in,
// beside a page that gets the whole rendering at every tick.
func TestBenchBrowser(t *testing.T) {
	p, model := house(t, nil)
	answer := longAnswer(8)
	v := visitor(t, p, playwright.BrowserNewContextOptions{})
	must(t, v.context.AddInitScript(playwright.Script{Content: playwright.String(watchTasks)}))
	v.open("/")
	forgetTasks(t, v.page) // those of loading the page
	model.Queue(paced(t, cutInto(answer, 50), 8*time.Millisecond))
	v.ask(onTopic)
	v.settled(0)
	ours := longTasks(t, v.page)

	baseline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/events" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!DOCTYPE html><title>streaming</title><main></main><script>
				const source = new EventSource('/events');
				source.onmessage = e => { document.querySelector('main').innerHTML = JSON.parse(e.data); };
				source.addEventListener('done', () => { source.close(); document.body.className = 'done'; });</script>`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for end := 0; end < len(answer); {
			<-ticker.C
			end = min(len(answer), end+int(tick/(8*time.Millisecond))*50)
			fmt.Fprintf(w, "data: %q\n\n", markdownHTML(t, answer[:end]))
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, "event: done\ndata:\n\n")
	}))
	defer baseline.Close()
	page, err := v.context.NewPage()
	must(t, err)
	_, err = page.Goto(baseline.URL)
	must(t, err)
	must(t, page.Locator("body.done").WaitFor(playwright.LocatorWaitForOptions{Timeout: playwright.Float(120000)}))
	theirs := longTasks(t, page)
	must(t, page.Close())
	t.Logf("long answer, %d B in pieces of 50 each 8 ms: tasks over 50 ms: %v (bar: none of ours)   baseline, innerHTML of the whole at every tick: %v", len(answer), ours, theirs)
}

func forgetTasks(t *testing.T, page playwright.Page) {
	t.Helper()
	_, err := page.Evaluate("() => new Promise(done => requestIdleCallback(() => { longTasks.length = 0; done(); }))")
	must(t, err)
}

// longTasks are the durations of a page's long tasks, in milliseconds.
func longTasks(t *testing.T, page playwright.Page) any {
	t.Helper()
	got, err := page.Evaluate("() => longTasks.map(d => Math.round(d))")
	must(t, err)
	return got
}
