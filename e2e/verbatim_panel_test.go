package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// shownPanel is a verbatim panel as the browser has it.
type shownPanel struct {
	Locator    string
	Caption    string // identity and lines
	Text       string // textContent of its code
	SHA256     string // the whole hash
	ShortHash  string // what of it is visible
	Raw        string // address of its bytes
	CopyLabel  string
	Cut        string // the mark of a cap, if any
	WholeRaw   string // address of the whole document, if cut
	Encoding   string // what it was decoded from, if it was
	Unresolved string // the notice in its place, if it shows nothing
}

const panelsScript = `() => JSON.stringify([...document.querySelectorAll('figure.verbatim')].map(f => {
	const text = s => f.querySelector(s)?.textContent ?? '', href = s => f.querySelector(s)?.getAttribute('href') ?? '';
	if (f.classList.contains('is-unresolved')) return { Unresolved: f.textContent.replace(/\s+/g, ' ').trim() };
	const hash = f.querySelector('footer [title]');
	return { Locator: f.dataset.borLocator, Caption: text('figcaption'), Text: f.querySelector('code').textContent,
		SHA256: hash.title, ShortHash: hash.textContent, Raw: href('.verbatim-raw'), CopyLabel: text('.verbatim-copy'),
		Cut: text('.verbatim-cut > span'), WholeRaw: href('.verbatim-cut a:last-child'),
		Encoding: [...f.querySelectorAll('footer > span')].map(s => s.textContent).find(s => s.startsWith('decoded')) ?? '' };
}))`

// panels are the panels and notices of the page, in its order.
func (v *visit) panels() []shownPanel {
	v.t.Helper()
	var all []shownPanel
	must(v.t, json.Unmarshal([]byte(v.evaluate(panelsScript)), &all))
	return all
}

// evaluate runs a function on the page that gives a string.
func (v *visit) evaluate(script string, arg ...any) string {
	v.t.Helper()
	result, err := v.page.Evaluate(script, arg...)
	must(v.t, err)
	s, _ := result.(string)
	return s
}

// press presses keys in what has the focus.
func (v *visit) press(keys string) {
	v.t.Helper()
	must(v.t, v.page.Keyboard().Press(keys))
}

// watchCopies makes the page note each Copy that has told its success, and each
// paste.
func (v *visit) watchCopies() {
	v.t.Helper()
	_, err := v.page.Evaluate(`() => {
		window.copies = 0;
		window.pastes = [];
		new MutationObserver(all => { copies += all.filter(m => m.target.matches?.('button') && m.target.textContent === 'Copied').length; })
			.observe(document, { childList: true, subtree: true });
		document.addEventListener('paste', e => { e.preventDefault(); pastes.push(e.clipboardData.getData('text/plain')); });
	}`)
	must(v.t, err)
}

// copied is the clipboard when the n-th Copy on the page, counted from 1, has
// told its success.
func (v *visit) copied(n int) string {
	v.t.Helper()
	return v.evaluate(`async n => {
		if (copies < n) await new Promise(done => new MutationObserver((_, o) => { if (copies >= n) { o.disconnect(); done(); } })
			.observe(document, { childList: true, subtree: true }));
		return navigator.clipboard.readText();
	}`, n)
}

// pasted is the plain text that a paste brings where the focus is. It works on an
// insecure page, where a script can't read the clipboard.
func (v *visit) pasted() string {
	v.t.Helper()
	v.press("Control+V")
	return v.evaluate("() => pastes.pop()")
}

// turn is the number of the n-th answer's turn.
func (v *visit) turn(n int) string {
	v.t.Helper()
	id, err := v.page.Locator(".msg.brain").Nth(n).GetAttribute("id")
	must(v.t, err)
	return strings.TrimPrefix(id, "t")
}

// request asks for a path as the browser would, with its cookies, but gives the
// bytes as they come from the server.
func (v *visit) request(path string) *http.Response {
	v.t.Helper()
	cookies, err := v.context.Cookies()
	must(v.t, err)
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.base+path, nil)
	must(v.t, err)
	if host, port, ok := strings.Cut(r.URL.Host, ":"); ok && host == insecureHost {
		r.URL.Host = "127.0.0.1:" + port // what the browser is told, too
	}
	for _, c := range cookies {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	resp, err := http.DefaultClient.Do(r)
	must(v.t, err)
	v.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// bytes are what the server sends for a path.
func (v *visit) bytes(path string) string {
	v.t.Helper()
	resp := v.request(path)
	body, err := io.ReadAll(resp.Body)
	must(v.t, err)
	if resp.StatusCode != http.StatusOK {
		v.t.Fatalf("GET %s: %s: %.200s", path, resp.Status, body)
	}
	return string(body)
}

// withoutScript is the same page for the same person with JavaScript off.
func (v *visit) withoutScript() *visit {
	v.t.Helper()
	return v.again(v.base, playwright.BrowserNewContextOptions{JavaScriptEnabled: playwright.Bool(false)})
}

// elsewhere is the same page for the same person at another process.
func (v *visit) elsewhere(p *product) *visit {
	v.t.Helper()
	return v.again(p.url, playwright.BrowserNewContextOptions{})
}

func (v *visit) again(base string, o playwright.BrowserNewContextOptions) *visit {
	v.t.Helper()
	state, err := v.context.StorageState()
	must(v.t, err)
	o.StorageState = state.ToOptionalStorageState()
	again := browse(v.t, base, o)
	again.open(v.screen().address())
	return again
}

// withClipboard opens a window that may use the clipboard, signed in.
func withClipboard(t *testing.T, base string) *visit {
	t.Helper()
	v := browse(t, base, playwright.BrowserNewContextOptions{Permissions: []string{"clipboard-read", "clipboard-write"}})
	v.logIn()
	return v
}

// firstDifference tells where two texts part, for a failure that can be read.
func firstDifference(got, want string) (at int, gotThere, wantThere string) {
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	around := func(s string) string { return s[max(0, min(at, len(s))-10):min(at+30, len(s))] }
	return at, around(got), around(want)
}

// same fails the test unless two texts are equal to the byte.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at, a, b := firstDifference(got, want)
	t.Errorf("%s: %d bytes, want %d; from byte %d on %q, want %q", what, len(got), len(want), at, a, b)
}
