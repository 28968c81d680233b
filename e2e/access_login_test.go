package e2e

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// TestAccess goes in, out and is kept out (AD1, SEC4, DEC29–DEC31).
func TestAccess(t *testing.T) {
	model := testkit.NewModel(t)
	database := testkit.EmptyDB(t)
	p := startOn(t, database, options{model: model, sources: map[string]string{"homelab": tree(t, homelab())}, env: []string{"BOR_TRUSTED_PROXIES=127.0.0.1"}})

	t.Run("the cookie", func(t *testing.T) {
		v := visitor(t, p, playwright.BrowserNewContextOptions{})
		cookies, err := v.context.Cookies()
		must(t, err)
		if len(cookies) != 1 || cookies[0].Name != "bor" || !cookies[0].HttpOnly || *cookies[0].SameSite != "Lax" || cookies[0].Path != "/" || cookies[0].Secure || cookies[0].Expires <= 0 {
			t.Errorf("cookies over http: %+v", cookies)
		}
		before := cookies[0].Value
		v.screen().click("text=Log out")
		v.screen().visible("#auth-gate")
		if left, err := v.context.Cookies(); err != nil || len(left) != 0 {
			t.Errorf("cookies after logout: %+v", left)
		}
		v.logIn()
		if again, err := v.context.Cookies(); err != nil || len(again) != 1 || again[0].Value == before {
			t.Errorf("the next login has the same id as the last")
		}
		must(t, v.context.AddCookies([]playwright.OptionalCookie{{Name: "bor", Value: before, URL: &p.url}}))
		v.open("/")
		v.screen().visible("#auth-gate") // the old id opens nothing

		set := post(t, nil, p.url+"/login", url.Values{"password": {password}}, "X-Forwarded-Proto", "https", "X-Forwarded-For", "192.0.2.7").Header.Get("Set-Cookie")
		for _, part := range []string{"__Host-bor=", "; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax"} {
			if !strings.Contains(set, part) {
				t.Errorf("behind TLS the cookie %q lacks %q", set, part)
			}
		}
	})

	t.Run("a page that was asked for", func(t *testing.T) {
		v := browse(t, p.url, playwright.BrowserNewContextOptions{})
		s := v.screen()
		v.open(documentPath("dns.md", "&lines=3"))
		s.visible("#auth-gate")
		if strings.Contains(text(t, s.Locator("body")), "Unbound") {
			t.Error("the gate shows the document")
		}
		s.is(s.Locator("#password").Fill(password))
		s.is(s.Locator("#password").Press("Enter"))
		s.has(1, "#L3.hit")
		for _, next := range []string{"https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1"} {
			v.open("/login?next=" + url.QueryEscape(next)) // signed in already: passed on
			if s.URL() != p.url+"/" {
				t.Errorf("next=%s led to %s", next, s.URL())
			}
		}
	})

	t.Run("logout cuts a stream", func(t *testing.T) {
		v := visitor(t, p, playwright.BrowserNewContextOptions{})
		s, g := v.screen(), gates(1)
		model.Queue(testkit.Step{}.With(testkit.Part{Text: "Before the logout"}, testkit.Gate(g[0]), testkit.Part{Text: ", and after it"}))
		s.put(aboutGufo)
		s.shows(".answer", "Before the logout")
		other := v.another("/document?source=homelab&path=dns.md")
		other.click("text=Log out")
		other.visible("#auth-gate")
		s.shows("#typing-indicator .doing", "No live updates: reload the page")
		close(g[0])
		s.put("Sent by nobody")
		s.has(1, ".msg.user")
		if got := text(t, s.Locator(".answer")); strings.Contains(got, "after it") {
			t.Errorf("the signed-out page got %q", got)
		}
		s.click("#typing-indicator a")
		s.visible("#auth-gate")
	})

	t.Run("signed out while writing", func(t *testing.T) {
		v := visitor(t, p, playwright.BrowserNewContextOptions{})
		s := v.screen()
		other := v.another(documentPath("dns.md", ""))
		other.click("text=Log out")
		other.visible("#auth-gate")
		s.put(aboutGufo)
		s.shows("#composer-error", "You are not signed in any more.")
		s.is(expect.Locator(s.Locator("#message-input")).ToHaveValue(aboutGufo))
		s.has(0, ".msg")
		other.is(other.Locator("#password").Fill(password))
		other.click("#auth-gate button.primary")
		other.visible("#composer")
		model.Queue(testkit.Say("Welcome back."))
		s.click("#send-btn")
		s.ended(1)
		s.shows(".answer", "Welcome back.")
	})

	t.Run("another password", func(t *testing.T) {
		v := visitor(t, p, playwright.BrowserNewContextOptions{})
		cookies, err := v.context.Cookies()
		must(t, err)
		next := startOn(t, database, options{model: model, env: []string{"BOR_ADMIN_PASSWORD=another one"}})
		w := browse(t, next.url, playwright.BrowserNewContextOptions{})
		must(t, w.context.AddCookies([]playwright.OptionalCookie{{Name: "bor", Value: cookies[0].Value, URL: &next.url}}))
		s := w.screen()
		w.open("/")
		s.visible("#auth-gate")
		s.is(s.Locator("#password").Fill(password))
		s.click("#auth-gate button.primary")
		s.shows("[role=alert]", "That is not the password.")
		s.is(s.Locator("#password").Fill("another one"))
		s.click("#auth-gate button.primary")
		s.visible("#composer")
	})

	t.Run("from another site", func(t *testing.T) {
		jar, err := cookiejar.New(nil)
		must(t, err)
		client := &http.Client{Jar: jar}
		post(t, client, p.url+"/login", url.Values{"password": {password}})
		for _, path := range []string{"/chat", "/chat/new", "/logout", "/login"} {
			for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
				if r := post(t, client, p.url+path, url.Values{"message": {"x"}, "submit_id": {"y"}}, header[0], header[1]); r.StatusCode != http.StatusForbidden {
					t.Errorf("POST %s with %s: %s", path, header, r.Status)
				}
			}
		}
	})

	t.Run("too many attempts", func(t *testing.T) { // last: this client is locked out from here on
		for range 9 {
			if r := post(t, nil, p.url+"/login", url.Values{"password": {"guess"}}); r.StatusCode != http.StatusUnauthorized {
				t.Fatalf("a wrong password gives %s", r.Status)
			}
		}
		v := browse(t, p.url, playwright.BrowserNewContextOptions{})
		s := v.screen()
		v.open("/login")
		s.is(s.Locator("#password").Fill("guess"))
		s.click("#auth-gate button.primary")
		s.shows("[role=alert]", "That is not the password.")
		s.is(expect.Locator(s.Locator("#password")).ToHaveAttribute("aria-invalid", "true"))
		s.is(s.Locator("#password").Fill(password))
		s.click("#auth-gate button.primary")
		s.shows("[role=alert]", "Too many attempts")
		r := post(t, nil, p.url+"/login", url.Values{"password": {password}})
		if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
			t.Errorf("the eleventh attempt gives %s, Retry-After %q", r.Status, r.Header.Get("Retry-After"))
		}
		if r := post(t, nil, p.url+"/login", url.Values{"password": {password}}, "X-Forwarded-For", "192.0.2.9"); r.StatusCode != http.StatusSeeOther {
			t.Errorf("another client is locked out, too: %s", r.Status)
		}
	})
}

// post sends a form without following where the answer leads. headers are names
// and values in turn.
func post(t *testing.T, client *http.Client, address string, form url.Values, headers ...string) *http.Response {
	t.Helper()
	if client == nil {
		client = &http.Client{}
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(r)
	must(t, err)
	response.Body.Close()
	return response
}
