package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
)

// credentials is what each route gives to a stranger, and to the admin on a
// thing of another session's. A route without a row fails.
var credentials = map[string]struct{ stranger, others int }{
	"GET /healthz": {200, 200}, "HEAD /healthz": {200, 200}, "GET /readyz": {200, 200}, "HEAD /readyz": {200, 200}, "GET /static/*": {404, 404},
	"GET /login": {200, 303}, "POST /login": {401, 401}, "POST /logout": {303, 303},
	"GET /": {401, 200}, "GET /c/:conversation": {401, 404},
	"POST /chat": {401, 404}, "POST /chat/new": {401, 303},
	"POST /chat/turns/:turn/stop": {401, 404}, "POST /chat/turns/:turn/retry": {401, 404},
	"GET /chat/turns/:turn/events": {401, 404}, "GET /chat/turns/:turn/answer.md": {401, 404},
	"GET /chat/turns/:turn/blocks/:block": {401, 404}, "GET /chat/turns/:turn/steps/:step": {401, 404}, "GET /chat/turns/:turn/images/:image": {401, 404},
	"GET /metrics": {200, 200}, "GET /questions": {401, 200},
	"GET /document": {401, 404}, "GET /document/raw": {401, 404},
	"GET /sources": {401, 200}, "GET /sources/summary": {401, 404}, "POST /sources/summary": {401, 404}, "POST /sources/summary/regenerate": {401, 404},
	"GET /git-sources": {401, 200}, "POST /git-sources": {401, 422}, "POST /git-sources/adopt": {401, 303}, "POST /git-sources/upload": {401, 422},
	"POST /git-sources/:source": {401, 404}, "GET /git-sources/:source/edit": {401, 404}, "GET /git-sources/:source/skipped": {401, 404},
	"GET /git-sources/:source/remove": {401, 404}, "POST /git-sources/:source/remove": {401, 404}, "POST /git-sources/:source/keep": {401, 404},
	"POST /git-sources/:source/upload": {401, 404}, "POST /sync": {401, 303}, "POST /sync/stop": {401, 303}, "GET /sync/events": {401, 200},

	"GET /api/health": {200, 200}, "GET /api/config": {200, 200}, "GET /api/openapi.json": {200, 200},
	"POST /api/login": {401, 401}, "POST /api/logout": {204, 204}, "GET /api/whoami": {200, 200},
	"GET /api/suggestions": {401, 200}, "POST /api/chat": {401, 200}, "GET /api/documents/content": {401, 400},
	"GET /api/docs": {401, 200}, "GET /api/documents/summary": {401, 404}, "PUT /api/documents/summary": {401, 404}, "POST /api/documents/summary": {401, 404},
	"GET /api/git-sources": {401, 200}, "POST /api/git-sources": {401, 400}, "GET /api/git-sources/status": {401, 200}, "POST /api/git-sources/upload": {401, 400},
	"PUT /api/git-sources/:source": {401, 404}, "DELETE /api/git-sources/:source": {401, 404},
	"POST /api/sync": {401, 202}, "POST /api/sync/stop": {401, 409}, "GET /api/sync/status": {401, 200},
}

// bodies are what the API's routes are sent.
var bodies = map[string]string{"/api/login": `{"password":"wrong"}`, "/api/chat": `{"message":"q"}`,
	"/api/documents/summary": `{"source":"a","path":"b"}`, "/api/git-sources": `{"kind":"git","location":""}`, "/api/git-sources/:source": `{}`}

func TestEveryRouteAsksWhoComes(t *testing.T) {
	s := newRegistrySite(t)
	page := s.ask(s.signedIn(), "a secret question", "owner")
	id := strings.TrimPrefix(page, "/c/")
	var turn string
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT id::text FROM turns").Scan(&turn); err != nil {
		t.Fatal(err)
	}
	e := echo.New()
	(&Server{}).routes(e)
	seen := 0
	for _, route := range e.Routes() {
		if route.Method == echo.RouteNotFound {
			continue
		}
		name := route.Method + " " + route.Path
		want, known := credentials[name]
		if !known {
			t.Errorf("%s has no row: say what it gives to whom", name)
			continue
		}
		seen++
		path := strings.NewReplacer(":conversation", id, ":turn", turn, ":block", "0", ":step", "0", ":image", "0", ":source", "99", "*", "x").Replace(route.Path)
		for who, c := range map[string]struct {
			client *http.Client
			want   int
		}{"a stranger": {s.client(), want.stranger}, "another session": {s.signedIn(), want.others}} {
			if strings.Contains(path, "sync") {
				s.idle(s.signedIn())
			}
			var got answer
			switch {
			case strings.HasPrefix(route.Path, "/api/") && (route.Method == "POST" || route.Method == "PUT"):
				got = s.sendJSON(c.client, route.Method, path, bodies[route.Path])
			case route.Method == "POST":
				got = s.post(c.client, path, url.Values{"conversation": {id}, "submit_id": {"x"}, "message": {"q"}, "password": {"wrong"}})
			default:
				got = s.send(c.client, route.Method, path)
			}
			if got.status != c.want {
				t.Errorf("%s gives %s %d, not %d", name, who, got.status, c.want)
			}
			if strings.Contains(got.body, "secret question") && (name != "GET /questions" || who == "a stranger") { // the admin's log holds everyone's
				t.Errorf("%s shows %s another's question", name, who)
			}
		}
	}
	if seen != len(credentials) {
		t.Errorf("%d routes exist, the table has %d rows", seen, len(credentials))
	}
}

func TestEveryResponseCarriesThePolicy(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	c := s.signedIn()
	nonces := map[string]bool{}
	for _, path := range []string{"/", "/login", "/nowhere", "/healthz", "/c/99", "/document?source=a&path=b"} {
		h := s.get(c, path).header
		csp := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'",
			"form-action 'self'", "require-trusted-types-for 'script'", "trusted-types htmx"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: the policy lacks %s: %s", path, part, csp)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "http:") || strings.Contains(csp, "*") {
			t.Errorf("%s: the policy is too wide: %s", path, csp)
		}
		_, nonce, _ := strings.Cut(csp, "'nonce-")
		nonce, _, _ = strings.Cut(nonce, "'")
		if len(nonce) < 20 || nonces[nonce] {
			t.Errorf("%s: the nonce %q is short or was used before", path, nonce)
		}
		nonces[nonce] = true
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" || h.Get("Permissions-Policy") == "" ||
			h.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: headers are %v", path, h)
		}
	}
}

func TestOtherSitesChangeNothing(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	c := s.signedIn()
	form := url.Values{"message": {"q"}, "submit_id": {"x"}}
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
	} {
		if got := s.post(c, "/chat", form, headers...); got.status != http.StatusForbidden {
			t.Errorf("%v gave %d", headers, got.status)
		}
	}
	var turns int
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM turns").Scan(&turns); err != nil || turns != 0 {
		t.Errorf("%d turns were started (%v)", turns, err)
	}
	for _, headers := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Origin", s.url}, {}} {
		form.Set("submit_id", "ok"+strings.Join(headers, ""))
		if got := s.post(c, "/chat", form, headers...); got.status != http.StatusSeeOther {
			t.Errorf("%v gave %d: %s", headers, got.status, got.body)
		}
	}
}

func TestLogin(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	c := s.client()
	got := s.post(c, "/login", url.Values{"password": {"wrong"}, "next": {"/document?source=a&path=b"}})
	if got.status != http.StatusUnauthorized || len(find(t, got.body, "id", "password-error")) != 1 || !strings.Contains(got.body, `value="/document?source=a&amp;path=b"`) {
		t.Errorf("a wrong password gave %d: %s", got.status, got.body)
	}
	for next, want := range map[string]string{
		"": "/", "/c/7?q=x": "/c/7?q=x", "//evil.example": "/", "https://evil.example/": "/", "/\\evil.example": "/", "javascript:alert(1)": "/",
		"/a\nb": "/", "/login": "/", "c/7": "/",
	} {
		got := s.post(c, "/login", url.Values{"password": {testPassword}, "next": {next}})
		if got.status != http.StatusSeeOther || got.header.Get("Location") != want {
			t.Errorf("next %q leads to %d %q", next, got.status, got.header.Get("Location"))
		}
	}
	s.post(c, "/logout", nil)
	if got := s.get(c, "/"); got.status != http.StatusUnauthorized || len(find(t, got.body, "id", "auth-gate")) != 1 {
		t.Errorf("after logging out the front page gives %d", got.status)
	}
	for range 10 {
		s.post(c, "/login", url.Values{"password": {"wrong"}})
	}
	if got := s.post(c, "/login", url.Values{"password": {testPassword}}); got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
		t.Errorf("the attempt after the last gave %d, %v", got.status, got.header)
	}
}

func TestClientAddressesComeFromTrustedProxiesOnly(t *testing.T) {
	for name, c := range map[string]struct {
		trusted []netip.Prefix
		want    int
	}{"none trusted": {nil, http.StatusTooManyRequests}, "this machine trusted": {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, http.StatusUnauthorized}} {
		s := newSite(t, answerer{"text"}, func(d *Deps) { d.TrustedProxies = c.trusted })
		var last answer
		for i := range 11 {
			last = s.post(s.client(), "/login", url.Values{"password": {"wrong"}}, "X-Forwarded-For", netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}).String())
		}
		if last.status != c.want {
			t.Errorf("%s: many addresses in the header end with %d, not %d", name, last.status, c.want)
		}
	}
}

func TestTheCookieIsSecureBehindATrustedProxy(t *testing.T) {
	s := newSite(t, answerer{"text"}, func(d *Deps) { d.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	got := s.post(s.client(), "/login", url.Values{"password": {testPassword}}, "X-Forwarded-Proto", "https")
	if cookie := got.header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-bor=") || !strings.Contains(cookie, "; Secure") || !strings.Contains(cookie, "; HttpOnly") {
		t.Errorf("cookie is %q", cookie)
	}
	plain := newSite(t, answerer{"text"}, nil)
	got = plain.post(plain.client(), "/login", url.Values{"password": {testPassword}}, "X-Forwarded-Proto", "https")
	if cookie := got.header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "bor=") {
		t.Errorf("an untrusted header made the cookie %q", cookie)
	}
}

func TestAskingWithoutScript(t *testing.T) {
	s := newSite(t, answerer{"It is **8642**.\n"}, nil)
	c := s.signedIn()
	front := s.get(c, "/").body
	if len(find(t, front, "id", "empty-state")) != 1 || !strings.Contains(front, "First one?") || !strings.Contains(front, "Matched by words only.") {
		t.Error("the front page lacks its empty state or its suggestions")
	}
	page := s.ask(c, "which <port>?", "one")
	body := s.settled(c, page)
	if !strings.Contains(body, "<strong>8642</strong>") || !strings.Contains(body, "which &lt;port&gt;?") || strings.Contains(body, "<port>") {
		t.Errorf("the page is %s", body)
	}
	if again := s.get(c, "/").body; !strings.Contains(again, "8642") {
		t.Error("the front page doesn't restore the conversation")
	}
	if again := s.ask(c, "which <port>?", "one"); again != page {
		t.Errorf("the same submit led to %s, not %s", again, page)
	}
	s.post(c, "/chat/new", nil)
	if fresh := s.get(c, "/").body; strings.Contains(fresh, "8642") || !strings.Contains(fresh, "which &lt;port&gt;?") {
		t.Error("a new chat shows the old one, or doesn't offer its question")
	}
	if text := s.get(c, "/chat/turns/1/answer.md"); text.body != "It is **8642**.\n" || text.header.Get("Content-Type") != "text/plain; charset=utf-8" ||
		!strings.Contains(text.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the answer's text is %+v", text)
	}
}

func TestARefusedQuestionKeepsItsWords(t *testing.T) {
	s := newSite(t, answerer{""}, nil)
	c := s.signedIn()
	page := s.ask(c, "first", "one")
	s.until(c, page, func(body string) bool { return strings.Contains(body, "begun") })
	form := url.Values{"conversation": {strings.TrimPrefix(page, "/c/")}, "message": {"my </textarea> second"}, "submit_id": {"two"}}
	got := s.post(c, "/chat", form)
	if got.status != http.StatusConflict || !strings.Contains(got.body, "my &lt;/textarea&gt; second</textarea>") || !strings.Contains(got.body, "still being written") {
		t.Errorf("a second question gave %d: %s", got.status, got.body)
	}
	got = s.post(c, "/chat", form, "HX-Request-Type", "partial")
	if got.status != http.StatusConflict || strings.Contains(got.body, "<html") || !strings.Contains(got.body, "still being written") {
		t.Errorf("the fragment is %d: %s", got.status, got.body)
	}
	if running := s.get(c, page).body; !strings.Contains(running, `http-equiv="refresh"`) || !strings.Contains(running, `formaction="/chat/turns/1/stop"`) {
		t.Error("a running turn's page lacks its refresh or Stop")
	}
	if got := s.post(c, "/chat/turns/1/stop", nil); got.status != http.StatusSeeOther || got.header.Get("Location") != page {
		t.Errorf("Stop gave %d %q", got.status, got.header.Get("Location"))
	}
	if body := s.settled(c, page); len(find(t, body, "class", "is-stopped")) != 1 || !strings.Contains(body, "begun") {
		t.Errorf("the stopped turn is %s", body)
	}
	long := url.Values{"message": {strings.Repeat("x", 16001)}, "submit_id": {"three"}}
	if got := s.post(c, "/chat", long); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "16000 characters") {
		t.Errorf("a long question gave %d", got.status)
	}
	if got := s.post(c, "/chat", url.Values{"message": {strings.Repeat("x", 2<<20)}}); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of 2 MB gave %d", got.status)
	}
}

// A disk that is full, or a standby: what is there can be read, and a question
// isn't lost without a word.
func TestTheDatabaseTakesNoWrites(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	c := s.signedIn()
	s.settled(c, s.ask(c, "q", "one"))
	s.readOnly(true)
	for _, headers := range [][]string{nil, {"HX-Request-Type", "partial"}} {
		got := s.post(c, "/chat", url.Values{"message": {"a precious question"}, "submit_id": {"two"}}, headers...)
		if got.status != http.StatusInsufficientStorage || !strings.Contains(got.body, "takes no writes") {
			t.Errorf("a question gave %d: %s", got.status, got.body)
		}
	}
	if got := s.get(c, "/c/1"); got.status != http.StatusOK || !strings.Contains(got.body, "text") {
		t.Errorf("reading gave %d", got.status)
	}
	s.readOnly(false)
	s.settled(c, s.ask(c, "a precious question", "two"))
}

func TestTheDatabaseIsAway(t *testing.T) {
	s := newSite(t, answerer{"text"}, func(d *Deps) {
		d.Ready = func(context.Context) error { return errors.New("away") }
	})
	c := s.signedIn()
	s.db.Pool.Close()
	if got := s.get(c, "/healthz"); got.status != 200 {
		t.Errorf("healthz gives %d", got.status)
	}
	if got := s.get(c, "/readyz"); got.status != http.StatusServiceUnavailable {
		t.Errorf("readyz gives %d", got.status)
	}
	got := s.get(c, "/")
	if got.status != http.StatusServiceUnavailable || got.header.Get("Set-Cookie") != "" || len(find(t, got.body, "id", "kb-banner")) != 1 {
		t.Errorf("the page gives %d, cookie %q", got.status, got.header.Get("Set-Cookie"))
	}
	got = s.post(c, "/chat", url.Values{"message": {"q"}, "submit_id": {"x"}}, "HX-Request-Type", "partial")
	if got.status != http.StatusServiceUnavailable || strings.Contains(got.body, "<html") {
		t.Errorf("the fragment is %d: %s", got.status, got.body)
	}
}

func TestFileNamesAreOneParameter(t *testing.T) {
	for _, name := range []string{"a.txt", `quo"te\.txt`, "new\r\nSet-Cookie: x=1", "größe 🦊.md", strings.Repeat("ä", 4096), "a/b/c.md", "semi;colon=1.txt", ""} {
		value := disposition(name)
		if strings.ContainsAny(value, "\r\n") || len(value) > 8000 {
			t.Errorf("%.20q gives %.100q", name, value)
		}
		for _, r := range value {
			if r > 0x7e || r < 0x20 {
				t.Errorf("%.20q: %.60q isn't plain ASCII", name, value)
				break
			}
		}
	}
	if got := disposition("a/b/größe.md"); got != "inline; filename*=utf-8''gr%C3%B6%C3%9Fe.md" {
		t.Errorf("got %q", got)
	}
}
