package llm_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"bor/internal/llm"
	"bor/internal/testkit"
)

// patient is a configuration for a server of the test.
func patient(m *testkit.Model) llm.Config {
	return llm.Config{
		BaseURL: m.URL, APIKey: "sk-secret", ChatModel: "turbo", LiteModel: "lite", EmbedModel: "embed", Dimension: 768,
		MaxTokens: 1000, Retries: 3, RetryDelay: time.Millisecond,
		ConnectTimeout: 10 * time.Second, FirstByte: time.Minute, Idle: time.Minute, StreamThinking: true,
	}
}

// heard collects deltas.
type heard struct {
	text, thinking string
	deltas         int
	retries        []llm.Retry
}

func (h *heard) take(d llm.Delta) error {
	h.text += d.Text
	h.thinking += d.Thinking
	h.deltas++
	if d.Retry != nil {
		h.retries = append(h.retries, *d.Retry)
	}
	return nil
}

var ask = llm.Request{Messages: []llm.Message{{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: "Which port?"}}}

func TestStream(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(testkit.Think("let me look", "Port ", "53", " on pug"))
	var h heard
	reply, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, h.take)
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Reply{Text: "Port 53 on pug", Thinking: "let me look", Finish: "stop", Usage: llm.Usage{Prompt: 10, Completion: 5}}
	if !reflect.DeepEqual(reply, want) {
		t.Errorf("%+v, want %+v", reply, want)
	}
	if h.text != want.Text || h.thinking != want.Thinking || h.deltas != 4 {
		t.Errorf("heard %+v", h)
	}
	req := m.Chats()[0]
	if req.Model != "turbo" || !req.Stream || req.MaxTokens != 1000 || len(req.Tools) != 0 || !reflect.DeepEqual(req.Messages, ask.Messages) {
		t.Errorf("request %s", req.Body)
	}
	if got := req.Header.Get("Authorization"); got != "Bearer sk-secret" {
		t.Errorf("Authorization %q", got)
	}
	if !strings.Contains(string(req.Body), `"include_usage":true`) {
		t.Errorf("usage isn't asked for: %s", req.Body)
	}
}

func TestStreamArrivesPieceByPiece(t *testing.T) {
	m := testkit.NewModel(t)
	gate := make(chan struct{})
	m.Queue(testkit.Say("Port ").With(testkit.Gate(gate), testkit.Part{Text: "53"}))
	var h heard
	reply, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, func(d llm.Delta) error {
		if d.Text == "Port " {
			close(gate) // the rest comes only after this was heard
		}
		return h.take(d)
	})
	if err != nil || reply.Text != "Port 53" || h.deltas != 2 {
		t.Errorf("%+v, %v, %+v", reply, err, h)
	}
}

func TestToolCallsAndTheirResults(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(
		testkit.Calls(llm.ToolCall{ID: "a", Name: "read", Arguments: `{"path":"x"}`}, llm.ToolCall{ID: "b", Name: "ls", Arguments: `{}`}),
		testkit.Say("Port 53"),
	)
	c := llm.NewClient(patient(m))
	req := ask
	req.Tools = []llm.Tool{{Name: "read", Description: "Reads.", Parameters: []byte(`{"type":"object"}`)}}
	reply, err := c.Stream(t.Context(), req, new(heard).take)
	if err != nil || len(reply.ToolCalls) != 2 || reply.Finish != "tool_calls" {
		t.Fatalf("%+v, %v", reply, err)
	}
	reply.ToolCalls[1].Arguments = "{path: nonsense" // as a model might have written it
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.Assistant, Reasoning: "hm", ToolCalls: reply.ToolCalls},
		llm.Message{Role: llm.ToolRole, ToolCallID: "a", Content: "text"},
		llm.Message{Role: llm.ToolRole, ToolCallID: "b"})
	if reply, err = c.Stream(t.Context(), req, new(heard).take); err != nil || reply.Text != "Port 53" {
		t.Fatalf("%+v, %v", reply, err)
	}
	sent := m.Chats()[1]
	if len(sent.Tools) != 1 || sent.Tools[0].Name != "read" || string(sent.Tools[0].Parameters) != `{"type":"object"}` {
		t.Errorf("tools %+v", sent.Tools)
	}
	got := sent.Messages[2:]
	want := []llm.Message{
		{Role: llm.Assistant, Reasoning: "hm", ToolCalls: []llm.ToolCall{{ID: "a", Name: "read", Arguments: `{"path":"x"}`}, {ID: "b", Name: "ls", Arguments: `{}`}}},
		{Role: llm.ToolRole, ToolCallID: "a", Content: "text"},
		{Role: llm.ToolRole, ToolCallID: "b", Content: " "},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

func TestThinkingInTheContent(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(testkit.Say("<thi", "nk>hm</th", "ink>\n\nPort", " 53"), testkit.Think("hm", "Port 53"))
	cfg := patient(m)
	cfg.StreamThinking = false
	c := llm.NewClient(cfg)
	for range 2 {
		var h heard
		reply, err := c.Stream(t.Context(), ask, h.take)
		if err != nil || reply.Text != "Port 53" || reply.Thinking != "hm" {
			t.Errorf("%+v, %v", reply, err)
		}
		if h.text != "Port 53" || h.thinking != "" {
			t.Errorf("hidden thinking was heard: %+v", h)
		}
	}
}

func TestReasoningOpenedByTheTemplateIsLearned(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(
		testkit.Say("hm</think>Port 53"), // a stream can't take back what is out
		testkit.Say("hm", "</think>", "Port 53"),
		testkit.Say("Port 53"), // no reasoning for once: all of it is the answer
		testkit.Say("Port 53"),
	)
	c := llm.NewClient(patient(m))
	for i, want := range []llm.Reply{
		{Text: "hmPort 53"}, {Text: "Port 53", Thinking: "hm"}, {Text: "Port 53", Thinking: "Port 53"}, {Text: "Port 53"},
	} {
		reply, err := c.Stream(t.Context(), ask, new(heard).take)
		if err != nil || reply.Text != want.Text || reply.Thinking != want.Thinking {
			t.Errorf("reply %d: %+v, %v", i, reply, err)
		}
	}
}

func TestScaffoldingIsRemovedAndCounted(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(testkit.Say("<|im_start|>assis", "tant\nPort 53<|im_", "end|>"))
	var h heard
	reply, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, h.take)
	if err != nil || reply.Text != "Port 53" || reply.Stripped != 2 || h.text != "Port 53" {
		t.Errorf("%+v, %v, heard %+v", reply, err, h)
	}
}

func TestWipedAnswerIsAskedForOnceMore(t *testing.T) {
	m := testkit.NewModel(t)
	wiped := testkit.Say(`<tool_call>{"name":"read"}</tool_call>`)
	m.Queue(wiped, testkit.Think("hm", "Port 53<|im_end|>"), wiped, wiped)
	c := llm.NewClient(patient(m))
	req := ask
	req.Tools = []llm.Tool{{Name: "read"}}
	reply, err := c.Stream(t.Context(), req, new(heard).take)
	if err != nil || reply.Text != "Port 53" || reply.Stripped != 2 || reply.Thinking != "hm" || reply.Usage.Prompt != 20 {
		t.Errorf("%+v, %v", reply, err)
	}
	again := m.Chats()[1]
	if len(again.Tools) != 0 || again.MaxTokens != 4096 || len(again.Messages) != 2 || !strings.HasPrefix(again.Messages[1].Content, "Which port?\n\nYour last reply") {
		t.Errorf("the second request: %s", again.Body)
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.ToolRole, Content: "x", ToolCallID: "a"})
	_, err = c.Stream(t.Context(), req, new(heard).take)
	wantPublic(t, err, 0, "markup", `"turbo"`)
	if chats := m.Chats(); len(chats) != 4 || len(chats[3].Messages) != 4 || chats[3].Messages[3].Role != llm.User {
		t.Errorf("%d requests", len(chats))
	}
}

func TestJSONInsteadOfAStream(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(testkit.Step{Status: 200, Body: "{\n \"choices\": [{\"message\": {\"content\": \"Port 53\"}, \"finish_reason\": \"stop\"}]\n}"})
	reply, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, new(heard).take)
	if err != nil || reply.Text != "Port 53" || reply.Finish != "stop" {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestHowRepliesEnd(t *testing.T) {
	chunk := `data: {"choices":[{"delta":{"content":"Port 53"}}]}` + "\n\n"
	for _, c := range []struct {
		name   string
		step   testkit.Step
		finish string
		public []string
	}{
		{"length", testkit.Step{Parts: []testkit.Part{{Text: "Port"}}, Finish: "length"}, "length", nil},
		{"done without a reason", testkit.Raw(chunk, "data: [DONE]\n\n"), "stop", nil},
		{"no terminal signal", testkit.Raw(chunk), "", nil},
		{"length without content", testkit.Step{Parts: []testkit.Part{{Thinking: "hm"}}, Finish: "length"}, "", []string{"thinking", "BOR_LLM_MAX_TOKENS"}},
		{"filtered", testkit.Step{Finish: "content_filter"}, "", []string{"content filter"}},
		{"cut in the middle", testkit.Step{Parts: []testkit.Part{{Text: "Port"}}, Cut: true}, "", []string{"closed the connection"}},
		{"cut in an event", testkit.Raw(chunk, `data: {"choi`), "", []string{"closed the connection"}},
		{"garbage", testkit.Raw(chunk, "data: {oops\n\n"), "", []string{"unreadable"}},
		{"error in the stream", testkit.Raw(chunk, `data: {"error":{"message":"out of memory"}}`+"\n\n"), "", []string{"out of memory"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := testkit.NewModel(t)
			m.Queue(c.step)
			reply, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, new(heard).take)
			if c.public != nil {
				wantPublic(t, err, -1, c.public...)
			} else if err != nil || reply.Finish != c.finish || reply.Text == "" {
				t.Errorf("%+v, %v", reply, err)
			}
			if len(m.Chats()) != 1 {
				t.Errorf("%d requests after output had begun", len(m.Chats()))
			}
		})
	}
}

func TestNothingToSay(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(testkit.Raw("data: [DONE]\n\n"), testkit.Think("hm"))
	c := llm.NewClient(patient(m))
	for _, thinking := range []string{"", "hm"} {
		reply, err := c.Stream(t.Context(), ask, new(heard).take)
		if err != nil || reply.Text != "" || reply.Thinking != thinking || reply.Finish != "stop" {
			t.Errorf("%+v, %v", reply, err)
		}
	}
}

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
		{"forbidden", testkit.Fail(403, `{"error":"key sk-secret may not\u0007 use this"}`), 1, []string{"403", "[key] may not use this"}},
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

func TestNewerNameOfMaxTokens(t *testing.T) {
	m := testkit.NewModel(t)
	m.Queue(testkit.Say("Port 53"))
	cfg := patient(m)
	cfg.ChatModel = "gpt-5-mini"
	if _, err := llm.NewClient(cfg).Stream(t.Context(), ask, new(heard).take); err != nil {
		t.Fatal(err)
	}
	if body := string(m.Chats()[0].Body); !strings.Contains(body, `"max_completion_tokens":1000`) || strings.Contains(body, `"max_tokens"`) {
		t.Errorf("%s", body)
	}
}

func TestStopClosesTheConnection(t *testing.T) {
	stop := errors.New("stopped")
	for name, step := range map[string]testkit.Step{
		"before the first token": testkit.Say().With(testkit.Gate(nil), testkit.Gate(make(chan struct{}))),
		"in the middle":          testkit.Say("Port").With(testkit.Gate(make(chan struct{}))),
	} {
		t.Run(name, func(t *testing.T) {
			m := testkit.NewModel(t)
			m.Queue(step)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-m.Arrived()
				cancel(stop)
			}()
			if _, err := llm.NewClient(patient(m)).Stream(ctx, ask, new(heard).take); !errors.Is(err, stop) {
				t.Errorf("%v", err)
			}
			<-m.Closed()
		})
	}
	t.Run("by the receiver", func(t *testing.T) {
		m := testkit.NewModel(t)
		m.Queue(testkit.Say("Port").With(testkit.Gate(make(chan struct{}))))
		reply, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, func(llm.Delta) error { return stop })
		if !errors.Is(err, stop) || reply.Text != "Port" {
			t.Errorf("%+v, %v", reply, err)
		}
		<-m.Closed()
	})
	t.Run("while waiting to try again", func(t *testing.T) {
		m := testkit.NewModel(t)
		m.Queue(testkit.Fail(503, "{}"))
		cfg := patient(m)
		cfg.RetryDelay = 30 * time.Second
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := llm.NewClient(cfg).Stream(ctx, ask, func(llm.Delta) error { cancel(stop); return nil })
		if !errors.Is(err, stop) || len(m.Chats()) != 1 {
			t.Errorf("%v, %d requests", err, len(m.Chats()))
		}
	})
	t.Run("at a retry's announcement", func(t *testing.T) {
		m := testkit.NewModel(t)
		m.Queue(testkit.Fail(503, "{}"))
		if _, err := llm.NewClient(patient(m)).Stream(t.Context(), ask, func(llm.Delta) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("%v", err)
		}
	})
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

func TestComplete(t *testing.T) {
	m := testkit.NewModel(t)
	fail := testkit.Fail(503, "{}")
	fail.Lite = true
	answer := testkit.Think("hm", " A note about DNS.\n")
	answer.Lite = true
	m.Queue(fail, answer, fail)
	c := llm.NewClient(patient(m))
	var retries []llm.Retry
	ctx := llm.OnRetry(t.Context(), func(r llm.Retry) error { retries = append(retries, r); return nil })
	text, err := c.Complete(ctx, ask)
	if err != nil || text != "A note about DNS." || len(retries) != 1 {
		t.Errorf("%q, %v, %+v", text, err, retries)
	}
	if req := m.Requests()[0]; req.Model != "lite" {
		t.Errorf("model %q", req.Model)
	}
	stop := errors.New("stop")
	ctx = llm.OnRetry(t.Context(), func(llm.Retry) error { return stop })
	if _, err := c.Complete(ctx, ask); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

func TestEmbed(t *testing.T) {
	m := testkit.NewModel(t)
	m.Dimension = 32
	cfg := patient(m)
	cfg.Dimension = 32
	c := llm.NewClient(cfg)
	texts := make([]string, 130)
	for i := range texts {
		texts[i] = "text number " + strconv.Itoa(i*i)
	}
	vectors, err := c.Embed(t.Context(), texts)
	if err != nil || len(vectors) != 130 || c.Dimension() != 32 || c.Model() != "embed" {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	alone, err := c.Embed(t.Context(), texts[100:101])
	if err != nil || !reflect.DeepEqual(alone[0], vectors[100]) {
		t.Errorf("the order of texts is not the order of vectors: %v", err)
	}
	if n := len(m.Requests()); n != 4 {
		t.Errorf("%d requests, want 64 + 64 + 2, and 1", n)
	}
	if none, err := c.Embed(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
}

func TestEmbedChecksWhatComesBack(t *testing.T) {
	m := testkit.NewModel(t)
	cfg := patient(m)
	cfg.Dimension = 2
	answer := func(body string) {
		m.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(body)) })
	}
	c := llm.NewClient(cfg)
	for _, c2 := range []struct {
		name, body string
		want       [][]float32
		public     []string
	}{
		{"by index", `{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]}`, [][]float32{{1, 2}, {3, 4}}, nil},
		{"no index", `{"data":[{"embedding":[1,2]},{"embedding":[3,4]}]}`, [][]float32{{1, 2}, {3, 4}}, nil},
		{"mad index", `{"data":[{"index":7,"embedding":[1,2]},{"index":-1,"embedding":[3,4]}]}`, [][]float32{{1, 2}, {3, 4}}, nil},
		{"wrong dimension", `{"data":[{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[1,2,3]}]}`, nil, []string{"3 numbers", "BOR_EMBEDDING_DIM is 2", "BOR_EMBEDDING_DIM=3"}},
		{"too few", `{"data":[{"index":0,"embedding":[1,2]}]}`, nil, []string{"1 vectors for 2 texts", "BOR_EMBED_MODEL"}},
		{"not JSON", `hello`, nil, []string{"isn't a model's reply"}},
		{"another shape", `{"data":[{"embedding":"AAAA"},{}]}`, nil, []string{"isn't a model's reply"}},
	} {
		t.Run(c2.name, func(t *testing.T) {
			answer(c2.body)
			got, err := c.Embed(t.Context(), []string{"a", "b"})
			if c2.public != nil {
				wantPublic(t, err, -1, c2.public...)
			} else if err != nil || !reflect.DeepEqual(got, c2.want) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

func TestEmbedRetriesAndWaits(t *testing.T) {
	m := testkit.NewModel(t)
	var tries int
	m.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte(`{"data":[{"index":0,"embedding":[1,2]}]}`))
	})
	cfg := patient(m)
	cfg.Dimension = 2
	var retries int
	ctx := llm.OnRetry(t.Context(), func(llm.Retry) error { retries++; return nil })
	if _, err := llm.NewClient(cfg).Embed(ctx, []string{"a"}); err != nil || retries != 1 {
		t.Errorf("%v, %d retries", err, retries)
	}

	gone := make(chan struct{})
	m.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	})
	cfg.FirstByte = 20 * time.Millisecond
	_, err := llm.NewClient(cfg).Embed(t.Context(), []string{"a"})
	wantPublic(t, err, 0, "gave no answer")
	<-gone
}

func TestEmbeddingsElsewhere(t *testing.T) {
	chat, embed := testkit.NewModel(t), testkit.NewModel(t)
	for _, c := range []struct{ key, header string }{{"ek", "Bearer ek"}, {"", ""}} {
		cfg := patient(chat)
		cfg.EmbedBaseURL, cfg.EmbedAPIKey = embed.URL, c.key
		if _, err := llm.NewClient(cfg).Embed(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
		requests := embed.Requests()
		if got := requests[len(requests)-1].Header.Get("Authorization"); got != c.header {
			t.Errorf("Authorization %q, want %q: the chat's key must not go to another server", got, c.header)
		}
	}
	cfg := patient(chat)
	cfg.EmbedBaseURL = embed.URL
	embed.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	_, err := llm.NewClient(cfg).Embed(t.Context(), []string{"a"})
	wantPublic(t, err, 401, "Set BOR_EMBED_API_KEY")
}

func TestProbe(t *testing.T) {
	m := testkit.NewModel(t)
	m.Dimension = 12
	c := llm.NewClient(patient(m))
	p := c.Probe(t.Context())
	if p.ModelsErr != nil || !reflect.DeepEqual(p.Models, []string{"embed", "lite", "turbo"}) || p.EmbedErr != nil || p.Dimension != 12 {
		t.Errorf("%+v", p)
	}
	cfg := patient(m)
	cfg.BaseURL, cfg.EmbedBaseURL = "", m.URL
	if p := llm.NewClient(cfg).Probe(t.Context()); p.ModelsErr != nil || len(p.Models) != 3 {
		t.Errorf("without a chat endpoint: %+v", p)
	}
	m.Handle("/v1/models", http.NotFound)
	m.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	before := len(m.Requests())
	p = c.Probe(t.Context())
	wantPublic(t, p.ModelsErr, 404, "BOR_LLM_BASE_URL")
	wantPublic(t, p.EmbedErr, 503, "503")
	if len(m.Requests()) != before+2 {
		t.Error("a probe tries once")
	}
}
