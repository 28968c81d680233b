package handlers

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"bor/db"
	"bor/internal/auth"
	"bor/internal/chat"
	"bor/internal/ingest"
	"bor/internal/kb"
	"bor/internal/llm/librarian"
	"bor/internal/metrics"
	"bor/internal/querylog"
	"bor/internal/registry"
	"bor/internal/source"
	"bor/internal/syncjob"
	"bor/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const testPassword = "right"

// answerer answers every question with the same text, or waits for the turn's
// end when the text is empty.
type answerer struct{ text string }

func (a answerer) Answer(ctx context.Context, _ chat.Job, sink chat.Sink) (chat.Outcome, error) {
	if a.text == "" {
		if err := sink.Delta("begun\n"); err != nil {
			return chat.Outcome{}, err
		}
		<-ctx.Done()
		return chat.Outcome{}, ctx.Err()
	}
	return chat.Outcome{}, sink.Delta(a.text)
}

type site struct {
	t   *testing.T
	db  *db.DB
	url string
}

// newSite serves the product's handlers, with a given answerer, over HTTP.
func newSite(t *testing.T, a chat.Answerer, change func(*Deps)) *site {
	t.Helper()
	d := testkit.DB(t)
	admin, err := auth.NewAdmin(d, testPassword)
	if err != nil {
		t.Fatal(err)
	}
	sessions := auth.NewSessions(d, admin)
	t.Cleanup(sessions.Close)
	turns := chat.New(d, a, "test", chat.Limits{})
	questions, counts := querylog.New(d), metrics.New("v1")
	turns.Observe(questions.Observe)
	turns.Observe(counts.ObserveTurn)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { defer close(over); turns.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-over })
	closing, closeStreams := context.WithCancel(context.Background())
	sources, err := registry.New(registry.Config{DB: d, Host: "here", MaxUpload: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	importer := ingest.New(ingest.Config{DB: d, Embedder: librarian.NewEmbedder(16), Completer: librarian.New(), Registry: sources,
		Scope: source.Scope{Extensions: []string{"md", "conf"}}, Log: slog.New(slog.DiscardHandler)})
	syncs, err := syncjob.New(d, importer, 0)
	if err != nil {
		t.Fatal(err)
	}
	deps := Deps{Identity: Identity{AppName: "Test & <b>brain</b>", Placeholder: "Ask", Version: "v1", Suggestions: []string{"First one?"}},
		Notice:     func(context.Context) (string, error) { return "Matched by words only.", nil },
		AnswerText: true, AnswerImages: true, Chat: turns, Documents: kb.NewStore(d.Pool), Admin: admin, Sessions: sessions, Sources: sources, Syncs: syncs, Summaries: importer, MaxUpload: 2 << 20, Ready: d.Ready,
		Questions: questions, Metrics: counts, MetricsFor: MetricsLocal, Away: db.Away, ReadOnly: db.ReadOnly}
	if change != nil {
		change(&deps)
	}
	server := httptest.NewServer(New(closing, deps))
	t.Cleanup(func() { closeStreams(); server.Close() })
	return &site{t: t, db: d, url: server.URL}
}

// client is a browser's network side: cookies, no redirects followed.
func (s *site) client() *http.Client {
	jar, _ := cookiejar.New(nil)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (s *site) signedIn() *http.Client {
	s.t.Helper()
	c := s.client()
	if got := s.post(c, "/login", url.Values{"password": {testPassword}}); got.status != http.StatusSeeOther {
		s.t.Fatalf("signing in gave %d: %s", got.status, got.body)
	}
	return c
}

type answer struct {
	status int
	body   string
	header http.Header
}

func (s *site) do(c *http.Client, r *http.Request) answer {
	s.t.Helper()
	response, err := c.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{response.StatusCode, string(body), response.Header}
}

func (s *site) get(c *http.Client, path string, headers ...string) answer {
	s.t.Helper()
	return s.send(c, "GET", path, headers...)
}

// send makes a request without a body; headers are names and values in turn.
func (s *site) send(c *http.Client, method, path string, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.do(c, r)
}

func (s *site) post(c *http.Client, path string, form url.Values, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.do(c, r)
}

// postJSON sends a program's request.
func (s *site) postJSON(c *http.Client, path, body string, headers ...string) answer {
	s.t.Helper()
	return s.sendJSON(c, "POST", path, body, headers...)
}

func (s *site) sendJSON(c *http.Client, method, path, body string, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.do(c, r)
}

// ask sends a question without script and gives the conversation's address.
func (s *site) ask(c *http.Client, question, submit string) string {
	s.t.Helper()
	got := s.post(c, "/chat", url.Values{"message": {question}, "submit_id": {submit}})
	page, _, _ := strings.Cut(got.header.Get("Location"), "#")
	if got.status != http.StatusSeeOther || !strings.HasPrefix(page, "/c/") {
		s.t.Fatalf("asking gave %d to %q: %s", got.status, page, got.body)
	}
	return page
}

// settled reads a conversation's page again until no answer is running.
func (s *site) settled(c *http.Client, page string) string {
	s.t.Helper()
	return s.until(c, page, func(body string) bool { return !strings.Contains(body, `aria-busy="true"`) })
}

// until reads a page again until it is as wanted.
func (s *site) until(c *http.Client, page string, wanted func(body string) bool) string {
	s.t.Helper()
	for s.t.Context().Err() == nil {
		if body := s.get(c, page).body; wanted(body) {
			return body
		}
	}
	s.t.Fatal("the page doesn't change")
	return ""
}

// readOnly makes the database refuse writes, in all of its sessions, or take them
// again.
func (s *site) readOnly(on bool) {
	s.t.Helper()
	var name string
	if err := s.db.Pool.QueryRow(s.t.Context(), "SELECT quote_ident(current_database())").Scan(&name); err != nil {
		s.t.Fatal(err)
	}
	for _, statement := range []string{
		"BEGIN READ WRITE; ALTER DATABASE " + name + " SET default_transaction_read_only = " + strconv.FormatBool(on) + "; COMMIT",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
	} {
		if _, err := s.db.Pool.Exec(s.t.Context(), statement); err != nil {
			s.t.Fatal(err)
		}
	}
	s.db.Pool.Reset()
}

// find gives the elements of a page with an attribute's value.
func find(t *testing.T, page, attribute, value string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var found []*html.Node
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == attribute && (a.Val == value || attribute == "class" && slices.Contains(strings.Fields(a.Val), value)) {
				found = append(found, n)
			}
		}
	}
	return found
}
