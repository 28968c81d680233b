package e2e

import (
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// transcript keeps everything that a server sent, by what it was, to be searched for
// what must not be in it.
type transcript struct {
	mu   sync.Mutex
	sent map[string]string
	open sync.WaitGroup
}

func newTranscript() *transcript { return &transcript{sent: map[string]string{}} }

func (w *transcript) add(what, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent[what] += text
}

// listen follows a turn's events beside the browser, from a moment on, to the
// stream's end.
func (w *transcript) listen(v *visit, what, turn string) {
	v.t.Helper()
	resp := v.request("/chat/turns/" + turn + "/events?after=0")
	w.open.Go(func() {
		body, err := io.ReadAll(resp.Body)
		w.add(what, string(body))
		if err != nil {
			w.add(what, "\nthe stream broke: "+err.Error())
		}
	})
}

// page adds the page that a visitor would get now, as it comes from the server and
// as the browser has it.
func (w *transcript) page(v *visit, when string) {
	v.t.Helper()
	w.add("HTML of the page, "+when, v.bytes(v.screen().address()))
	w.dom(v, when)
}

// dom adds what the browser has.
func (w *transcript) dom(v *visit, when string) {
	v.t.Helper()
	content, err := v.page.Content()
	must(v.t, err)
	w.add("DOM, "+when, content)
	w.add("text of the DOM, "+when, text(v.t, v.page.Locator("body")))
}

// expectNone fails the test for each character of secret that isn't white space and
// each word of it in anything that was sent. Streams must have ended.
func (w *transcript) expectNone(t *testing.T, secret string) {
	t.Helper()
	w.open.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	wanted := strings.Fields(secret)
	for _, r := range secret {
		if r > ' ' {
			wanted = append(wanted, string(r))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(w.sent)) {
		sent := w.sent[what]
		if strings.HasPrefix(what, "stream") && !strings.Contains(sent, "\nevent: done\n") {
			t.Errorf("%s wasn't recorded to its end: …%q", what, sent[max(0, len(sent)-200):])
		}
		sent += html.UnescapeString(sent)
		for _, s := range wanted {
			if i := strings.Index(sent, s); i >= 0 {
				t.Errorf("%s holds %q of the model's text: …%q…", what, s, sent[max(0, i-80):min(len(sent), i+80)])
				break
			}
		}
	}
	if len(w.sent) == 0 {
		t.Error("nothing was recorded")
	}
}

// storedRecord is a turn's record in the database, without the model's own text:
// all that a page may show beside it.
func storedRecord(t *testing.T, database, turn string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	must(t, err)
	defer conn.Close(t.Context())
	var rest, text string
	must(t, conn.QueryRow(t.Context(), "SELECT (record - 'text')::text, record->>'text' FROM turns WHERE id = "+turn).Scan(&rest, &text))
	if text == "" {
		t.Fatal("the record has no text")
	}
	return rest
}

// answerDOM is the n-th bubble's answer and ending, in a form that two ways to the
// same page must share.
func (v *visit) answerDOM(n int) string {
	v.t.Helper()
	return v.evaluate(`n => ['.answer', '.turn-end'].map(s => {
		const part = document.querySelectorAll('.msg.brain')[n].querySelector(s).cloneNode(true);
		part.normalize();
		return part.outerHTML;
	}).join('\n')`, n)
}

// expectSameEverywhere compares an answer as it came live with the reloaded one and
// the one without script, and adds all of them to w.
func (v *visit) expectSameEverywhere(w *transcript, n int) {
	v.t.Helper()
	live := v.answerDOM(n)
	w.page(v, fmt.Sprintf("live, answer %d", n))
	_, err := v.page.Reload()
	must(v.t, err)
	same(v.t, fmt.Sprintf("answer %d reloaded, against live", n), v.answerDOM(n), live)
	w.dom(v, fmt.Sprintf("reloaded, answer %d", n))
	off := v.withoutScript()
	same(v.t, fmt.Sprintf("answer %d without script, against live", n), off.answerDOM(n), live)
	w.page(off, fmt.Sprintf("without script, answer %d", n))
}

// storedUpTo waits until the events of a running turn hold the whole text: what the
// next process will know of it.
func storedUpTo(t *testing.T, database, turn, text string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "LISTEN bor_turns")
	must(t, err)
	for {
		var stored string
		must(t, conn.QueryRow(t.Context(), "SELECT coalesce(string_agg(payload->>'text', '' ORDER BY seq), '') FROM turn_events WHERE kind = 'delta' AND turn_id = "+turn).Scan(&stored))
		if stored == text {
			return
		}
		_, err := conn.WaitForNotification(t.Context())
		must(t, err)
	}
}
