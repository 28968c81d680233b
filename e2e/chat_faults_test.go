package e2e

import (
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// TestChatDatabaseLostMidTurn cuts the database off while an answer is written, and
// gives it back: the page goes on, and the record holds all of it (REL2).
func TestChatDatabaseLostMidTurn(t *testing.T) {
	model := testkit.NewModel(t)
	w, database := newCable(t, testkit.EmptyDB(t))
	p := startOn(t, database, options{model: model, sources: map[string]string{"homelab": tree(t, homelab())}})
	v := visitor(t, p, playwright.BrowserNewContextOptions{})
	s := v.screen()
	step, g := sagaStep()
	model.Queue(step)
	s.put(aboutGufo)
	s.shows(".answer", "First we look at the")
	path := s.address()

	w.cut()
	close(g[0])
	s.shows(".answer strong", "feeds") // text doesn't wait for the database
	close(g[1])
	w.mend()
	close(g[2])
	close(g[3])
	close(g[4])
	s.ended(1)
	s.has(0, ".msg.is-error, .msg.is-interrupted")
	late := v.another(path)
	late.ended(1)
	if got, want := s.messages(), late.messages(); got != want || !strings.Contains(want, "🦉 owl.") {
		at, a, b := firstDifference(got, want)
		t.Errorf("the page differs from the record's at %d: %q, not %q", at, a, b)
	}
}

// TestChatRefusedThenRetry asks while nothing listens at the model's address. The error
// says so, and Retry works once something does (CH4, REL1).
func TestChatRefusedThenRetry(t *testing.T) {
	model := testkit.NewModel(t)
	w := lay(t, "tcp", strings.TrimSuffix(strings.TrimPrefix(model.URL, "http://"), "/v1"))
	model.URL = "http://" + w.listener.Addr().String() + "/v1"
	p := start(t, options{model: model, sources: map[string]string{"homelab": tree(t, homelab())}})
	s := visitor(t, p, playwright.BrowserNewContextOptions{}).screen()
	w.cut()
	s.put(aboutGufo)
	s.ended(1)
	s.shows(".msg.is-error [role=alert]", "BOR_LLM_BASE_URL")
	w.mend()
	model.Queue(testkit.Say("Here I am again."))
	s.click(".msg.is-error .retry")
	s.ended(2)
	s.shows(".msg.brain >> nth=1", "Here I am again.")
	s.has(2, ".msg.user")
}
