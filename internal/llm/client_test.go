package llm_test

import (
	"reflect"
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
	retracted      string
	deltas         int
	retries        []llm.Retry
}

func (h *heard) take(d llm.Delta) error {
	if d.Retract {
		h.retracted += h.text
		h.text = ""
	}
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
		testkit.Say("hm", "</think>Port 53"), // "hm" is retracted
		testkit.Say("hm", "</think>", "Port 53"),
		testkit.Say("Port 53"), // no reasoning for once: all of it is the answer
		testkit.Say("Port 53"),
	)
	c := llm.NewClient(patient(m))
	for i, want := range []llm.Reply{
		{Text: "Port 53", Thinking: "hm"}, {Text: "Port 53", Thinking: "hm"}, {Text: "Port 53", Thinking: "Port 53"}, {Text: "Port 53"},
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
