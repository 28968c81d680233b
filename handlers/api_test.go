package handlers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"bor/internal/kb"
	"bor/internal/kb/kbtest"
)

func TestRefusedProgramsReadJSON(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	in, out := s.signedIn(), s.client()
	question := func(body string) func() answer {
		return func() answer { return s.postJSON(in, "/api/chat", body) }
	}
	for name, c := range map[string]struct {
		ask    func() answer
		status int
		says   string
	}{
		"no such route":     {func() answer { return s.get(out, "/api/nothing") }, 404, "openapi.json"},
		"the API itself":    {func() answer { return s.get(out, "/api") }, 404, "openapi.json"},
		"a page's method":   {func() answer { return s.postJSON(out, "/api/health", "") }, 405, "method"},
		"a wrong method":    {func() answer { return s.get(out, "/api/chat") }, 405, "method"},
		"a stranger":        {func() answer { return s.postJSON(out, "/api/chat", `{"message":"q"}`) }, 401, "/api/login"},
		"a wrong password":  {func() answer { return s.postJSON(out, "/api/login", `{"password":"x"}`) }, 401, "not the password"},
		"another site":      {func() answer { return s.postJSON(in, "/api/chat", `{"message":"q"}`, "Sec-Fetch-Site", "cross-site") }, 403, "another site"},
		"a foreign origin":  {func() answer { return s.postJSON(in, "/api/logout", "", "Origin", "https://evil.example") }, 403, "another site"},
		"a form":            {func() answer { return s.post(in, "/api/chat", url.Values{"message": {"q"}}) }, 415, "application/json"},
		"text":              {func() answer { return s.postJSON(in, "/api/login", `{}`, "Content-Type", "text/plain") }, 415, "application/json"},
		"a large body":      {question(`{"message":"` + strings.Repeat("x", 2<<20) + `"}`), 413, "1 MB"},
		"no body":           {question(""), 400, "empty"},
		"half a body":       {question(`{"message":`), 400, "ends in the middle"},
		"no JSON":           {question(`message=q`), 400, "not JSON at byte 1"},
		"a list":            {question(`["q"]`), 400, "array where an object"},
		"a number":          {question(`{"message":7}`), 400, "“message” is a JSON number"},
		"more than one":     {question(`{"message":"q"} {}`), 400, "more after"},
		"an unknown key":    {question(`{"message":"q","stream":true}`), 400, `unknown field "stream"`},
		"no UTF-8":          {question("{\"message\":\"\xff\"}"), 400, "UTF-8"},
		"no question":       {question(`{}`), 400, "empty"},
		"a blank question":  {question(`{"message":" \n"}`), 400, "empty"},
		"a long question":   {question(`{"message":"` + strings.Repeat("ä", 16001) + `"}`), 400, "16000 characters"},
		"a wrong history":   {question(`{"message":"q","history":[{"who":"user","text":"a","html":"b"}]}`), 400, `Turn 1 of the history`},
		"no document named": {func() answer { return s.get(in, "/api/documents/content?source=lab") }, 400, "source and path"},
		"no such document":  {func() answer { return s.get(in, "/api/documents/content?source=lab&path=../../etc/passwd") }, 404, "not in the knowledge base"},
	} {
		got := c.ask()
		if got.status != c.status || !strings.Contains(detail(t, got), c.says) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		if c.status == 405 && got.header.Get("Allow") == "" {
			t.Errorf("%s: no Allow", name)
		}
	}
	if again := s.get(in, "/api/whoami"); !strings.Contains(again.body, "admin") {
		t.Error("another site signed the admin out")
	}
}

// detail is what a refusal says; it has to be of the one shape.
func detail(t *testing.T, got answer) string {
	t.Helper()
	var body map[string]string
	if err := json.Unmarshal([]byte(got.body), &body); err != nil || len(body) != 1 || body["detail"] == "" {
		t.Errorf("a refusal is %q (%v)", got.body, err)
	}
	if got.header.Get("Content-Type") != "application/json" || got.header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("a refusal's headers are %v", got.header)
	}
	return body["detail"]
}

func TestProgramsSignInAndOut(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	c := s.client()
	whoami := func(want string) {
		t.Helper()
		if got := s.get(c, "/api/whoami"); got.status != 200 || strings.TrimSpace(got.body) != want {
			t.Errorf("whoami is %d %s", got.status, got.body)
		}
	}
	const nobody, admin = `{"authenticated":false,"role":"anonymous"}`, `{"authenticated":true,"role":"admin"}`
	whoami(nobody)
	if got := s.postJSON(c, "/api/login", `{"password":"`+testPassword+`"}`); got.status != 204 || got.body != "" || !strings.HasPrefix(got.header.Get("Set-Cookie"), "bor=") {
		t.Fatalf("signing in gave %d %s, %v", got.status, got.body, got.header)
	}
	whoami(admin)
	if page := s.get(c, "/"); page.status != 200 {
		t.Errorf("the same cookie opens the page with %d", page.status)
	}
	if got := s.get(c, "/api/suggestions"); strings.TrimSpace(got.body) != `{"suggestions":["First one?"]}` {
		t.Errorf("suggestions are %s", got.body)
	}
	s.settled(c, s.ask(c, "mine?", "a"))
	if got := s.get(c, "/api/suggestions"); strings.TrimSpace(got.body) != `{"suggestions":["mine?"]}` {
		t.Errorf("after a question, suggestions are %s", got.body)
	}
	if got := s.send(c, "POST", "/api/logout"); got.status != 204 || got.body != "" {
		t.Errorf("signing out gave %d %s", got.status, got.body)
	}
	whoami(nobody)
	if got := s.send(c, "POST", "/api/logout"); got.status != 204 {
		t.Errorf("signing out twice gave %d", got.status)
	}
	for range 10 {
		s.postJSON(c, "/api/login", `{"password":"x"}`)
	}
	got := s.postJSON(c, "/api/login", `{"password":"`+testPassword+`"}`)
	if wait, err := strconv.Atoi(got.header.Get("Retry-After")); got.status != 429 || err != nil || wait < 60 || !strings.Contains(detail(t, got), "Too many attempts") {
		t.Errorf("the eleventh attempt gave %d, %v: %s", got.status, got.header, got.body)
	}
}

func TestNoSuggestionsAreAnEmptyList(t *testing.T) {
	s := newSite(t, answerer{"text"}, func(d *Deps) { d.Identity.Suggestions = nil })
	if got := s.get(s.signedIn(), "/api/suggestions"); strings.TrimSpace(got.body) != `{"suggestions":[]}` {
		t.Errorf("suggestions are %s", got.body)
	}
}

func TestADocumentsTextIsExact(t *testing.T) {
	const text = "\ufeffa\r\nb\rc\t\u202e</script>\u2028&amp; \"ä\" 🦊\n\n"
	s := newSite(t, answerer{"text"}, nil)
	kbtest.Add(t, s.db.Pool, kb.Document{Source: "lab", Path: "odd/größe & more.txt", Content: text, Revision: "abc123"},
		kb.Document{Source: "lab", Path: "empty.md"})
	c := s.signedIn()
	got := s.get(c, "/api/documents/content?"+url.Values{"source": {"lab"}, "path": {"odd/größe & more.txt"}}.Encode())
	var body map[string]any
	if err := json.Unmarshal([]byte(got.body), &body); err != nil || got.status != 200 {
		t.Fatalf("%d %v: %s", got.status, err, got.body)
	}
	sum := sha256.Sum256([]byte(text))
	if body["content"] != text || body["sha256"] != hex.EncodeToString(sum[:]) || body["revision"] != "abc123" || body["lines"] != 3.0 || body["date"] != "2024-05-17T21:30:00Z" {
		t.Errorf("the document is %s", got.body)
	}
	if _, null := body["summary"]; null {
		t.Error("a summary that isn't there is not absent")
	}
	if got = s.get(c, "/api/documents/content?source=lab&path=empty.md"); !strings.Contains(got.body, `"content":""`) {
		t.Errorf("an empty document is %s", got.body)
	}
}

func TestProgramsHearThatTheDatabaseIsAway(t *testing.T) {
	s := newSite(t, answerer{"text"}, func(d *Deps) {
		d.Ready = func(context.Context) error { return errors.New("away") }
	})
	c := s.signedIn()
	s.db.Pool.Close()
	for _, got := range []answer{
		s.postJSON(c, "/api/chat", `{"message":"q"}`), s.get(c, "/api/whoami"), s.get(c, "/api/suggestions"),
		s.get(c, "/api/documents/content?source=a&path=b"),
	} {
		if got.status != 503 || got.header.Get("Retry-After") == "" || got.header.Get("Set-Cookie") != "" || !strings.Contains(detail(t, got), "database") {
			t.Errorf("%d %s, %v", got.status, got.body, got.header)
		}
	}
	if got := s.get(c, "/api/health"); got.status != 503 || strings.TrimSpace(got.body) != `{"status":"unavailable","database":"unavailable","version":"v1"}` {
		t.Errorf("health is %d %s", got.status, got.body)
	}
	if got := s.get(c, "/api/config"); got.status != http.StatusOK || !strings.Contains(got.body, `"app_name":"Test & <b>brain</b>"`) {
		t.Errorf("config is %d %s", got.status, got.body)
	}
	if got := s.get(c, "/api/nothing"); got.status != 404 {
		t.Errorf("no such route is %d", got.status)
	}
}
