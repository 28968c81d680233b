package testkit

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"bor/internal/llm"
)

// post sends a chat request as a plain HTTP client would.
func post(t *testing.T, ctx context.Context, m *Model, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return http.DefaultClient.Do(req)
}

func posted(t *testing.T, m *Model, body string) (status int, text string) {
	t.Helper()
	resp, err := post(t, t.Context(), m, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(out)
}

const question = `{"model":"turbo","stream":true,"messages":[{"role":"user","content":"hi"}]}`

func TestModelStreamsItsSteps(t *testing.T) {
	m := NewModel(t)
	m.Queue(Think("hm", "a", "b"), Call("read", `{"path":"x"}`), Fail(http.StatusTeapot, `{"x":1}`), Raw("anything\n"))
	for i, want := range [][]string{
		{`"reasoning_content":"hm"`, `"content":"a"`, `"content":"b"`, `"finish_reason":"stop"`, `"usage"`, "data: [DONE]"},
		{`"name":"read"`, `"finish_reason":"tool_calls"`},
		{`{"x":1}`},
		{"anything\n"},
	} {
		status, text := posted(t, m, question)
		if (i == 2) != (status == http.StatusTeapot) {
			t.Errorf("step %d: status %d", i, status)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("step %d lacks %s: %s", i, part, text)
			}
		}
	}
	if got := m.Chats(); len(got) != 4 || got[0].Messages[0].Role != llm.User || got[0].Messages[0].Content != "hi" {
		t.Errorf("%+v", got)
	}
}

func TestModelScriptAndSummaries(t *testing.T) {
	m := NewModel(t)
	m.Script(func(r ModelRequest) Step { return Say("you said " + r.Messages[0].Content) })
	if _, text := posted(t, m, question); !strings.Contains(text, "you said hi") {
		t.Errorf("%s", text)
	}
	_, text := posted(t, m, strings.Replace(question, "turbo", "lite", 1))
	if !strings.Contains(text, `"content":"hi."`) {
		t.Errorf("the librarian's summary: %s", text)
	}
	if len(m.Requests()) != 2 || len(m.Chats()) != 1 {
		t.Error("a summary counts as no chat")
	}
}

func TestModelGateAndClose(t *testing.T) {
	m := NewModel(t)
	gate := make(chan struct{})
	m.Queue(Say("a").With(Gate(gate), Part{Text: "b"}), Say("a").With(Gate(make(chan struct{}))))
	resp, err := post(t, t.Context(), m, question)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"content":"a"`) {
		t.Fatalf("%q", lines.Text())
	}
	close(gate)
	for lines.Scan() && !strings.Contains(lines.Text(), `"content":"b"`) {
	}
	if lines.Text() == "" {
		t.Fatal("nothing after the gate")
	}

	ctx, cancel := context.WithCancel(t.Context())
	resp, err = post(t, ctx, m, question)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cancel()
	if gone := <-m.Closed(); gone.Path != "/v1/chat/completions" {
		t.Errorf("%+v", gone)
	}
	if first := <-m.Arrived(); first.Model != "turbo" {
		t.Errorf("%+v", first)
	}
}

func TestModelCutsTheConnection(t *testing.T) {
	m := NewModel(t)
	step := Say("a")
	step.Cut = true
	m.Queue(step)
	resp, err := post(t, t.Context(), m, question)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err == nil || !strings.Contains(string(text), `"content":"a"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestModelOtherPaths(t *testing.T) {
	m, err := StartModel()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	get := func(path, body string) string {
		resp, err := http.Post(strings.TrimSuffix(m.URL, "/v1")+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		out, _ := io.ReadAll(resp.Body)
		return resp.Status + " " + string(out)
	}
	for _, c := range []struct{ path, body, want string }{
		{"/v1/models", "", `"id":"turbo"`},
		{"/v1/embeddings", `{"input":["a","b"],"dimensions":3}`, `"index":1`},
		{"/v1/embeddings", `{"input":"a"}`, "400"},
		{"/v1/nothing", "", "404"},
		{"/v1/chat/completions", "{oops", "400"},
		{"/v1/chat/completions", question, "no step left"},
	} {
		if got := get(c.path, c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
	m.Handle("/v1/models", http.NotFound)
	if got := get("/v1/models", ""); !strings.Contains(got, "404") {
		t.Errorf("a handler of the test's own: %s", got)
	}
}
