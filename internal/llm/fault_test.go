package llm_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bor/internal/llm"
	"bor/internal/testkit"
)

// wantPublic checks the words of an endpoint's fault, and that nothing secret is
// in it or its causes.
func wantPublic(t *testing.T, err error, status int, parts ...string) {
	t.Helper()
	var fault *llm.Error
	if !errors.As(err, &fault) {
		t.Fatalf("%v is not an endpoint's fault", err)
	}
	if status >= 0 && fault.Status != status {
		t.Errorf("status %d, want %d", fault.Status, status)
	}
	for _, p := range parts {
		if !strings.Contains(fault.Public, p) {
			t.Errorf("%q doesn't say %q", fault.Public, p)
		}
	}
	all := fault.Error()
	for e := fault.Unwrap(); e != nil; e = errors.Unwrap(e) {
		all += " " + e.Error()
	}
	if strings.Contains(all, "sk-secret") {
		t.Errorf("the key is in %q", all)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		step   testkit.Step
		tries  int
		public []string
	}{
		{"wrong key", testkit.Fail(401, `{"error":{"message":"Incorrect API key provided: sk-secret"}}`), 1, []string{"API key", "BOR_LLM_API_KEY"}},
		{"forbidden", testkit.Fail(403, `{"error":"key sk-secret may not\u0007 use this"}`), 1, []string{"403", "[secret] may not use this"}},
		{"no such model", testkit.Fail(404, `{"error":{"message":"The model turbo does not exist","code":"model_not_found"}}`), 1, []string{`"turbo"`, "BOR_CHAT_MODEL", "bor probe"}},
		{"no such model, as 400", testkit.Fail(400, `{"detail":"Model not found: turbo"}`), 1, []string{"BOR_CHAT_MODEL"}},
		{"wrong path", testkit.Fail(404, "404 page not found\n"), 1, []string{"BOR_LLM_BASE_URL", "/v1"}},
		{"no credit", testkit.Fail(429, `{"error":{"code":"insufficient_quota","message":"quota"}}`), 1, []string{"no credit"}},
		{"too long", testkit.Fail(400, `{"error":{"message":"This model's maximum context length is 4096 tokens"}}`), 1, []string{"too long", "new chat"}},
		{"too long, llama.cpp", testkit.Fail(500, `{"error":{"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}`), 1, []string{"too long"}},
		{"no tools", testkit.Fail(400, `{"error":{"message":"turbo does not support tools"}}`), 1, []string{"tools", "BOR_AGENT_MAX_ROUNDS=0"}},
		{"not implemented", testkit.Fail(501, ""), 1, []string{"501"}},
		{"anything else", testkit.Fail(422, `{"detail":[{"loc":"x"}]}`), 1, []string{"422", `[{"loc":"x"}]`}},
		{"too many requests", testkit.Fail(429, `{}`), 4, []string{"too many requests"}},
		{"server error", testkit.Fail(503, `<html><title>Bad gateway</title></html>`), 4, []string{"503", "Bad gateway"}},
		{"web page", testkit.Step{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>"}, 1, []string{"web page", "BOR_LLM_BASE_URL"}},
		{"web page that hides", testkit.Raw("<html>\n"), 1, []string{"web page"}},
		{"plain text", testkit.Raw("hello\n"), 1, []string{"isn't a model's reply"}},
		{"nothing", testkit.Raw(": hello\n\n"), 4, []string{"before it had said anything"}},
		{"cut before output", testkit.Step{Cut: true}, 4, []string{"closed the connection"}},
		{"error before output", testkit.Raw(`data: {"error":{"message":"overloaded","code":503}}` + "\n\n"), 4, []string{"503", "overloaded"}},
		{"error line without a status", testkit.Raw(`error: {"message":"slot unavailable"}` + "\n\n"), 4, []string{"slot unavailable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := testkit.NewModel(t)
			m.Script(func(testkit.ModelRequest) testkit.Step { return c.step })
			var h heard
			_, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, h.take)
			wantPublic(t, err, -1, c.public...)
			if len(m.Chats()) != c.tries || len(h.retries) != c.tries-1 {
				t.Errorf("%d requests, %d retries announced; want %d tries", len(m.Chats()), len(h.retries), c.tries)
			}
		})
	}
}

func TestRetryIsAnnouncedAndSucceeds(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(
		testkit.Fail(503, "{}"),
		testkit.Step{Status: 429, Header: http.Header{"Retry-After": {"0"}}, Body: "{}"},
		testkit.Say("Port 53"),
	)
	cfg := patient(m)
	cfg.RetryDelay = 2 * time.Millisecond
	var h heard
	reply, err := llm.NewClient(cfg).Stream(t.Context(), ask, h.take)
	if err != nil || reply.Text != "Port 53" {
		t.Fatalf("%+v, %v", reply, err)
	}
	if len(h.retries) != 2 || h.retries[0].Attempt != 2 || h.retries[0].Max != 4 || h.retries[0].Wait != 2*time.Millisecond ||
		h.retries[1].Attempt != 3 || h.retries[1].Wait != 0 || !strings.Contains(h.retries[1].Cause, "too many requests") {
		t.Errorf("%+v", h.retries)
	}
}

func TestNoRetryWithoutTriesOrTime(t *testing.T) {
	m := testkit.NewModel(t)
	m.Script(func(testkit.ModelRequest) testkit.Step {
		return testkit.Step{Status: 503, Header: http.Header{"Retry-After": {"50"}}, Body: "{}"}
	})
	cfg := patient(m)
	cfg.FirstByte = 40 * time.Second // the wait doesn't fit
	if _, err := llm.NewClient(cfg).Stream(t.Context(), ask, new(heard).take); err == nil || len(m.Chats()) != 1 {
		t.Errorf("%v after %d requests", err, len(m.Chats()))
	}
	cfg.Retries, cfg.FirstByte = 0, 0
	if _, err := llm.NewClient(cfg).Stream(t.Context(), ask, new(heard).take); err == nil || len(m.Chats()) != 2 {
		t.Errorf("%v after %d requests", err, len(m.Chats()))
	}
}

func TestFieldsThatAServerRefusesAreLeftOut(t *testing.T) {
	m := testkit.NewModel(t)
	m.Script(func(r testkit.ModelRequest) testkit.Step {
		switch {
		case r.MaxTokens != 0:
			return testkit.Fail(400, `{"error":{"message":"max_tokens is too large: 1000. The maximum context length is 512"}}`)
		case strings.Contains(string(r.Body), "stream_options"):
			return testkit.Fail(422, `{"detail":"extra field stream_options"}`)
		}
		return testkit.Say("Port 53")
	})
	c := llm.NewClient(patient(m))
	for _, want := range []int{3, 4} { // learned by the second question
		var h heard
		reply, err := c.Stream(t.Context(), ask, h.take)
		if err != nil || reply.Text != "Port 53" || len(h.retries) != 0 || len(m.Chats()) != want {
			t.Errorf("%+v, %v, %d retries, %d requests", reply, err, len(h.retries), len(m.Chats()))
		}
	}
}

func TestSilence(t *testing.T) {
	m := testkit.NewModel(t)
	never := testkit.Gate(make(chan struct{}))
	m.Queue(testkit.Say().With(never), testkit.Say("Port").With(never))
	cfg := patient(m)
	cfg.FirstByte = 20 * time.Millisecond
	_, err := llm.NewClient(cfg).Stream(t.Context(), ask, new(heard).take)
	wantPublic(t, err, 0, "gave no answer for 20ms")
	<-m.Closed()

	cfg.FirstByte, cfg.Idle = 0, 20*time.Millisecond
	reply, err := llm.NewClient(cfg).Stream(t.Context(), ask, new(heard).take)
	wantPublic(t, err, 0, "fell silent", "20ms")
	if reply.Text != "Port" {
		t.Errorf("what came is lost: %+v", reply)
	}
	<-m.Closed()
}

func TestUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := listener.Addr().String()
	listener.Close()
	m := testkit.NewModel(t)
	plain := strings.TrimPrefix(m.URL, "http://")
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	for _, c := range []struct {
		name, url string
		public    []string
	}{
		{"refused", "http://" + dead + "/v1", []string{dead, "refuses connections", "BOR_LLM_BASE_URL"}},
		{"no such name", "http://user:sk-secret@model.invalid/v1", []string{"model.invalid", "can't be resolved"}},
		{"TLS where there is none", "https://" + plain, []string{"doesn't speak TLS", "http://"}},
		{"certificate of nobody", tls.URL, []string{"isn't trusted"}},
		{"no address", "", []string{"(no address)", "failed"}},
		{"no scheme that is known", "ftp://x/v1", []string{"unsupported protocol"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := patient(m)
			cfg.BaseURL, cfg.Retries = c.url, 0
			_, err := llm.NewClient(cfg).Stream(t.Context(), ask, new(heard).take)
			wantPublic(t, err, 0, c.public...)
		})
	}
}

func TestConnectTimeout(t *testing.T) {
	// A listener that accepts no TLS handshake: the connection stands, the server is silent.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	m := testkit.NewModel(t)
	cfg := patient(m)
	cfg.BaseURL, cfg.ConnectTimeout, cfg.Retries = "https://"+listener.Addr().String(), 20*time.Millisecond, 0
	_, err = llm.NewClient(cfg).Stream(t.Context(), ask, new(heard).take)
	wantPublic(t, err, 0, "wasn't accepted in time")
}

func TestRedirects(t *testing.T) {
	m := testkit.NewModel(t)
	other := testkit.NewModel(t)
	other.Script(func(testkit.ModelRequest) testkit.Step { return testkit.Say("stolen") })
	m.Handle("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/chat/completions", http.StatusTemporaryRedirect)
	})
	_, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, new(heard).take)
	wantPublic(t, err, http.StatusTemporaryRedirect, "redirects to "+strings.TrimSuffix(strings.TrimPrefix(other.URL, "http://"), "/v1"))
	if len(other.Requests()) != 0 {
		t.Error("the request, and the key, went to another host")
	}

	m.Handle("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/v2/chat/completions", http.StatusMovedPermanently) // would become a GET
	})
	_, err = llm.NewClient(patient(m)).Stream(t.Context(), ask, new(heard).take)
	wantPublic(t, err, http.StatusMovedPermanently, "another address")

	m.Handle("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/v2/chat/completions", http.StatusPermanentRedirect)
	})
	m.Handle("/v2/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"Port 53\"}}]}\n\ndata: [DONE]\n\n"))
	})
	if reply, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, new(heard).take); err != nil || reply.Text != "Port 53" {
		t.Errorf("within the host: %+v, %v", reply, err)
	}
}

func TestNoKeyNoHeader(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(testkit.Say("ok"), testkit.Fail(401, "{}"))
	cfg := patient(m)
	cfg.APIKey = " \n"
	c := llm.NewClient(cfg)
	if _, err := c.Stream(t.Context(), ask, new(heard).take); err != nil || m.Chats()[0].Header.Get("Authorization") != "" {
		t.Errorf("%v, %q", err, m.Chats()[0].Header.Get("Authorization"))
	}
	_, err := c.Stream(t.Context(), ask, new(heard).take)
	wantPublic(t, err, 401, "wants an API key", "Set BOR_LLM_API_KEY")
}
