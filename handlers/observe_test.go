package handlers

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bor/internal/chat"
	"bor/internal/llm"
)

func TestMetricsTellWhatHappened(t *testing.T) {
	s := newSite(t, scripted(func(_ context.Context, job chat.Job, sink chat.Sink) (chat.Outcome, error) {
		if job.Question == "fail" {
			return chat.Outcome{}, &llm.Error{Public: "away"}
		}
		return chat.Outcome{Deflected: true, Facts: chat.Facts{PromptTokens: 70, CompletionTokens: 7}}, sink.Delta("No notes.")
	}), nil)
	c := s.signedIn()
	s.settled(c, s.ask(c, "page", "a"))
	s.postJSON(c, "/api/chat", `{"message":"program"}`)
	s.postJSON(c, "/api/chat", `{"message":"fail"}`)
	s.get(c, "/nowhere/"+strings.Repeat("x", 20))
	s.send(c, "BREW", "/api/whoami")
	text := s.get(c, "/metrics").body
	// The page's turn is counted after its end was told.
	for limit := time.Now().Add(20 * time.Second); !strings.Contains(text, `bor_turn_first_text_seconds_count 2`) && time.Now().Before(limit); {
		text = s.get(c, "/metrics").body
	}
	for _, want := range []string{
		`bor_turns_total{state="done"} 2`, `bor_turns_total{state="error"} 1`, `bor_turns_total{state="stopped"} 0`, `bor_turns_deflected_total 2`,
		`bor_llm_tokens_total{kind="prompt"} 140`, `bor_llm_tokens_total{kind="completion"} 14`, `bor_turn_first_text_seconds_count 2`, `bor_turn_seconds_count 3`,
		`bor_open_streams{reader="api"} 0`, `bor_open_streams{reader="page"} 0`, `bor_build_info{version="v1"} 1`, `go_goroutines `,
		`bor_http_requests_total{code="200",method="POST",route="/api/chat"} 2`, `bor_http_requests_total{code="405",method="other",route="/api/whoami"} 1`,
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("there is no %s", want)
		}
	}
	if !regexp.MustCompile(`bor_http_requests_total\{code="404",method="GET",route="[^"]*"\} 1`).MatchString(text) || strings.Contains(text, "xxx") || strings.Contains(text, "BREW") {
		t.Errorf("a made-up address or method is a label, or isn't counted:\n%s", text)
	}
}

func TestWhoReadsMetrics(t *testing.T) {
	for name, c := range map[string]struct {
		who, token string
		headers    []string
		want       int
	}{
		"local":                     {MetricsLocal, "", nil, 200},
		"local, by a proxy":         {MetricsLocal, "", []string{"X-Forwarded-For", "192.0.2.1"}, 403},
		"local, by another proxy":   {MetricsLocal, "", []string{"Forwarded", "for=192.0.2.1"}, 403},
		"a proxy with the token":    {MetricsLocal, "s3cret", []string{"Via", "1.1 x", "Authorization", "Bearer s3cret"}, 200},
		"a proxy with a wrong one":  {MetricsLocal, "s3cret", []string{"Via", "1.1 x", "Authorization", "Bearer s3cre"}, 401},
		"an empty token is none":    {MetricsLocal, "", []string{"Via", "1.1 x", "Authorization", "Bearer "}, 403},
		"public":                    {MetricsPublic, "", []string{"Via", "1.1 x"}, 200},
		"off":                       {MetricsOff, "s3cret", []string{"Authorization", "Bearer s3cret"}, 404},
		"nothing was said about it": {"", "", nil, 404},
	} {
		s := newSite(t, answerer{"text"}, func(d *Deps) { d.MetricsFor, d.MetricsToken = c.who, c.token })
		got := s.get(s.client(), "/metrics", c.headers...)
		if got.status != c.want || (c.want == 200) != strings.Contains(got.body, "go_goroutines") || (c.want == 401) != (got.header.Get("WWW-Authenticate") != "") {
			t.Errorf("%s: %d %.80s", name, got.status, got.body)
		}
	}
	for _, c := range []struct {
		from, host string
		want       bool
	}{
		{"127.0.0.1:5", "127.0.0.1:8484", true}, {"[::1]:5", "[::1]:8484", true}, {"[::1]:5", "[::1]", true}, {"127.0.0.1:5", "localhost", true}, {"127.0.0.1:5", "localhost:8484", true},
		{"192.0.2.1:5", "127.0.0.1:8484", false}, {"127.0.0.1:5", "rebound.example:8484", false}, {"127.0.0.1:5", "192.0.2.1", false}, {"@", "localhost", false},
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.RemoteAddr, r.Host = c.from, c.host
		if direct(r) != c.want {
			t.Errorf("from %s for %s is direct: %v", c.from, c.host, !c.want)
		}
	}
}

func TestEveryAPIResponseHasItsLine(t *testing.T) {
	log := captureLog(t)
	s := newSite(t, answerer{strings.Repeat("long ", 100)}, func(d *Deps) { d.LargeResponse = 300 })
	c := s.signedIn()
	log.Reset()
	sizes := map[string]int{}
	sizes["/api/config"] = len(s.get(c, "/api/config").body)
	sizes["/api/chat"] = len(s.postJSON(c, "/api/chat", `{"message":"q"}`).body)
	s.get(c, "/api/no%1b[2Jthing%0alevel=ERROR")
	s.get(c, "/login")
	lines := slices.DeleteFunc(strings.Split(log.String(), "\n"), func(l string) bool { return !strings.Contains(l, `msg="api response"`) })
	if len(lines) != 3 {
		t.Fatalf("lines are %q", lines)
	}
	for i, want := range []string{
		`level=INFO msg="api response" method=GET route=/api/config status=200 bytes=` + strconv.Itoa(sizes["/api/config"]) + ` total_ms=\d+$`,
		`level=WARN msg="api response" method=POST route=/api/chat status=200 bytes=` + strconv.Itoa(sizes["/api/chat"]) + ` total_ms=\d+ above=300$`,
		`level=INFO msg="api response" method=GET route=\S+ status=404 bytes=\d+ total_ms=\d+$`,
	} {
		if !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Errorf("%q isn't %s", lines[i], want)
		}
	}
}

func TestReadyAsksForTheSchemaToo(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	if got := s.get(s.client(), "/readyz"); got.status != 200 || got.body != "ok\n" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if _, err := s.db.Pool.Exec(t.Context(), "UPDATE goose_db_version SET version_id = version_id + 100 WHERE version_id = (SELECT max(version_id) FROM goose_db_version)"); err != nil {
		t.Fatal(err)
	}
	log := captureLog(t)
	got := s.get(s.client(), "/readyz")
	if got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, "isn't fit for this version") || !strings.Contains(log.String(), "newer version of this program") {
		t.Errorf("%d %s, %s", got.status, got.body, log)
	}
	if got := s.get(s.client(), "/api/health"); got.status != http.StatusServiceUnavailable {
		t.Errorf("health is %d %s", got.status, got.body)
	}
	away := newSite(t, answerer{"text"}, func(d *Deps) {
		d.Ready = func(context.Context) error { return context.DeadlineExceeded }
	})
	if got := away.get(away.client(), "/readyz"); got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, "doesn't answer") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestQuestionsPage(t *testing.T) {
	s := newSite(t, scripted(func(_ context.Context, job chat.Job, sink chat.Sink) (chat.Outcome, error) {
		out := chat.Outcome{Deflected: job.Question[0] == 'd', Facts: chat.Facts{TopScore: 0.4321, LexicalHits: 17}}
		if !out.Deflected {
			out.Sources = []chat.Source{{Source: "lab", Path: "a b.md"}}
		}
		return out, sink.Delta("text")
	}), nil)
	c := s.signedIn()
	if page := s.get(c, "/questions").body; !strings.Contains(page, "Nobody has asked anything yet") || len(find(t, page, "id", "questions-table")) != 0 {
		t.Error("the empty page isn't")
	}
	if page := s.get(c, "/questions?deflected=1").body; !strings.Contains(page, "no question that your files had nothing on") {
		t.Error("the empty filter isn't")
	}
	s.postJSON(c, "/api/chat", `{"message":"deflected <b>"}`)
	s.postJSON(c, "/api/chat", `{"message":"answered"}`)
	page := s.get(c, "/questions")
	rows := find(t, page.body, "class", "question")
	if page.status != 200 || len(rows) != 2 || !strings.Contains(page.body, "deflected &lt;b&gt;") || !strings.Contains(page.body, `href="/document?path=a+b.md&amp;source=lab"`) ||
		!strings.Contains(page.body, "0.43") || !strings.Contains(page.body, ">17<") || !strings.Contains(page.body, "2 questions, 1 without notes in the last 30 days") {
		t.Errorf("the page is %s", page.body)
	}
	if len(find(t, page.body, "class", "turns")) != 30 || strings.Contains(page.body, "style=") {
		t.Error("the chart has another number of days, or inline styles")
	}
	if nav := find(t, page.body, "aria-current", "page"); len(nav) != 1 || attr(nav[0], "href") != "/questions" {
		t.Error("the navigation doesn't say where one is")
	}
	if page := s.get(c, "/questions?deflected=1").body; len(find(t, page, "class", "question")) != 1 || !strings.Contains(page, "no notes") {
		t.Error("the filter doesn't")
	}
	for range 7 { // 2 become 256
		if _, err := s.db.Pool.Exec(t.Context(), `INSERT INTO query_log OVERRIDING SYSTEM VALUE
			SELECT (jsonb_populate_record(q, jsonb_build_object('id', q.id + (SELECT max(id) FROM query_log)))).* FROM query_log q`); err != nil {
			t.Fatal(err)
		}
	}
	page = s.get(c, "/questions")
	if older := find(t, page.body, "rel", "next"); len(find(t, page.body, "class", "question")) != questionsAPage || len(older) != 1 {
		t.Fatalf("a full page has %d rows", len(find(t, page.body, "class", "question")))
	} else if next := s.get(c, attr(older[0], "href")).body; len(find(t, next, "class", "question")) != questionsAPage || !strings.Contains(next, "Newest") {
		t.Error("there is no second page")
	}
	if got := s.get(c, "/questions?"+url.Values{"before": {"1"}}.Encode()).body; !strings.Contains(got, "no older questions") {
		t.Error("the page behind the last isn't empty")
	}
}
