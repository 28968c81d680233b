package metrics

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"bor/db"
	"bor/internal/chat"
	"bor/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return "\n" + w.Body.String()
}

func want(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("there is no %s", line)
		}
	}
}

func TestFiguresOfTheDatabase(t *testing.T) {
	d := testkit.DB(t)
	m := New("v1")
	m.WatchPool(d.Pool)
	m.WatchImports(d.CountImports)
	if _, err := d.Pool.Exec(t.Context(), `INSERT INTO runs (state, owner, report) VALUES
		('done', 'a', '{"added":3,"updated":2,"pruned":1}'), ('done', 'b', '{"added":4}'), ('failed', 'a', '{"updated":5}'), ('abandoned', 'c', '{}'), ('running', 'c', '{"added":99}')`); err != nil {
		t.Fatal(err)
	}
	held, err := d.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	held.Release()
	want(t, text, `bor_import_runs_total{state="done"} 2`, `bor_import_runs_total{state="failed"} 1`, `bor_import_runs_total{state="abandoned"} 1`,
		`bor_import_documents_total{change="added"} 7`, `bor_import_documents_total{change="updated"} 7`, `bor_import_documents_total{change="pruned"} 1`,
		`bor_db_pool_connections{state="used"} 1`, `bor_db_pool_connections{state="idle"} `, `bor_db_pool_max_connections `, `bor_db_pool_acquires_total `)
	if strings.Contains(text, `state="running"`) {
		t.Error("a run under way is counted as ended")
	}
	problems, err := promlint.New(strings.NewReader(strings.TrimPrefix(text, "\n"))).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("the names aren't as Prometheus wants them: %v (%v)", problems, err)
	}
}

func TestADatabaseThatIsAwayCostsOnlyItsFigures(t *testing.T) {
	m := New("v1")
	m.WatchImports(func(context.Context) ([]db.CountImportsRow, error) { return nil, errors.New("away") })
	text := scrape(t, m)
	want(t, text, `bor_turns_total{state="done"} 0`)
	if strings.Contains(text, "bor_import") {
		t.Error("figures were made up")
	}
}

func TestTurnsStreamsAndRequests(t *testing.T) {
	m := New("v1")
	m.ObserveTurn(t.Context(), chat.Report{State: chat.Done, FirstText: 2 * time.Second, Took: 3 * time.Second,
		Facts: chat.Facts{SearchTime: 20 * time.Millisecond, EmbedTime: 6 * time.Millisecond, PromptTokens: 5, CompletionTokens: -1}})
	m.ObserveTurn(t.Context(), chat.Report{State: chat.Failed, Deflected: true})
	first, second := m.StreamOpened("page"), m.StreamOpened("page")
	first()
	m.Request("POST", "/chat", 303, 30*time.Millisecond)
	m.Request("PROPFIND", "none", 404, 0)
	want(t, scrape(t, m), `bor_turns_total{state="done"} 1`, `bor_turns_total{state="error"} 1`, `bor_turns_deflected_total 0`,
		`bor_turn_first_text_seconds_sum 2`, `bor_turn_first_text_seconds_count 1`, `bor_turn_seconds_count 2`, `bor_retrieval_seconds_count 1`,
		`bor_question_embedding_seconds_sum 0.006`, `bor_llm_tokens_total{kind="prompt"} 5`, `bor_llm_tokens_total{kind="completion"} 0`,
		`bor_open_streams{reader="page"} 1`, `bor_http_requests_total{code="303",method="POST",route="/chat"} 1`,
		`bor_http_requests_total{code="404",method="other",route="none"} 1`, `bor_http_request_seconds_count{route="/chat"} 1`)
	second()
	want(t, scrape(t, m), `bor_open_streams{reader="page"} 0`)
}
