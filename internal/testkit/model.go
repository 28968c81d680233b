package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"bor/internal/llm"
	"bor/internal/llm/librarian"
)

// Model is an OpenAI-compatible server on this machine that answers chat
// requests as it is told, and records them. Requests to the model Lite are
// summaries: the librarian writes them, unless a step is queued for them.
// Embeddings are the librarian's, of the requested dimension or of Dimension.
type Model struct {
	URL       string // the base URL, up to and with /v1
	Lite      string // "lite" unless changed before the first request
	Names     []string
	Dimension int

	server   *http.Server
	handlers map[string]http.HandlerFunc

	mu       sync.Mutex
	steps    []Step
	script   func(ModelRequest) Step
	requests []ModelRequest
	arrived  chan ModelRequest
	closed   chan ModelRequest
	starved  func(ModelRequest)
}

// ModelRequest is a request as it arrived.
type ModelRequest struct {
	Path      string
	Header    http.Header
	Body      []byte
	Model     string
	Stream    bool
	MaxTokens int // 0: not sent
	Messages  []llm.Message
	Tools     []llm.Tool
}

// NewModel starts a server for the test. A chat request that finds neither a
// step nor a script fails the test.
func NewModel(t testing.TB) *Model {
	t.Helper()
	m, err := StartModel()
	if err != nil {
		t.Fatal(err)
	}
	m.starved = func(r ModelRequest) { t.Errorf("the model has no step left for: %s", r.Body) }
	t.Cleanup(m.Close)
	return m
}

// StartModel starts a server without a test around it; Close ends it.
func StartModel() (*Model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &Model{
		URL: "http://" + listener.Addr().String() + "/v1", Lite: "lite", Names: []string{"turbo", "lite", "embed"}, Dimension: 768,
		handlers: map[string]http.HandlerFunc{},
		arrived:  make(chan ModelRequest, 1024), closed: make(chan ModelRequest, 1024),
		starved: func(ModelRequest) {},
	}
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	go m.server.Serve(listener)
	return m, nil
}

// Close ends the server and every open reply.
func (m *Model) Close() { m.server.Close() }

// Queue adds steps; each chat request takes the next.
func (m *Model) Queue(steps ...Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps = append(m.steps, steps...)
}

// Script answers chat requests while no step is queued.
func (m *Model) Script(script func(ModelRequest) Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script = script
}

// Handle replaces what serves a path such as /v1/embeddings.
func (m *Model) Handle(path string, h http.HandlerFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.handlers[path] = h
}

// Requests are all requests so far, oldest first.
func (m *Model) Requests() []ModelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Chats are the chat requests so far, without those for summaries.
func (m *Model) Chats() []ModelRequest {
	return slices.DeleteFunc(m.Requests(), func(r ModelRequest) bool {
		return r.Path != "/v1/chat/completions" || r.Model == m.Lite
	})
}

// Arrived gives each request when it has arrived.
func (m *Model) Arrived() <-chan ModelRequest { return m.arrived }

// Closed gives each request whose client went away before its reply was
// complete, when the server has seen that.
func (m *Model) Closed() <-chan ModelRequest { return m.closed }

// ServeHTTP is the server.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, err := readRequest(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, req)
	handler := m.handlers[req.Path]
	m.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(req.Body)) // for the handler, who reads it again
	select {
	case m.arrived <- req:
	default: // nobody has read for a thousand requests
	}
	switch {
	case handler != nil:
		handler(w, r)
	case req.Path == "/v1/models":
		m.serveModels(w)
	case req.Path == "/v1/embeddings":
		m.serveEmbeddings(w, r, req)
	case req.Path == "/v1/chat/completions":
		m.serveChat(w, r, req)
	default:
		http.NotFound(w, r)
	}
}

func (m *Model) serveChat(w http.ResponseWriter, r *http.Request, req ModelRequest) {
	step, ok := m.next(req)
	if !ok {
		m.starved(req)
		step = Fail(http.StatusInternalServerError, `{"error":{"message":"the script has no step left"}}`)
	}
	if step.serve(w, r, req) != nil {
		select {
		case m.closed <- req:
		default:
		}
	}
	if step.Cut {
		panic(http.ErrAbortHandler)
	}
}

// next is the step for a request.
func (m *Model) next(req ModelRequest) (Step, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.steps, func(s Step) bool { return s.Lite == (req.Model == m.Lite) }); i >= 0 {
		step := m.steps[i]
		m.steps = slices.Delete(m.steps, i, i+1)
		return step, true
	}
	if req.Model == m.Lite {
		text, err := librarian.New().Complete(context.Background(), llm.Request{Messages: req.Messages})
		return Say(text), err == nil
	}
	if m.script == nil {
		return Step{}, false
	}
	return m.script(req), true
}

func (m *Model) serveModels(w http.ResponseWriter) {
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	var list struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}
	list.Object = "list"
	for _, name := range m.Names {
		list.Data = append(list.Data, model{name, "model"})
	}
	writeJSON(w, list)
}

func (m *Model) serveEmbeddings(w http.ResponseWriter, r *http.Request, req ModelRequest) {
	var in struct {
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions"`
	}
	if err := json.Unmarshal(req.Body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if in.Dimensions == 0 {
		in.Dimensions = m.Dimension
	}
	vectors, err := librarian.NewEmbedder(in.Dimensions).Embed(r.Context(), in.Input)
	if err != nil {
		return // the client is gone
	}
	type embedding struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var list struct {
		Object string      `json:"object"`
		Model  string      `json:"model"`
		Data   []embedding `json:"data"`
	}
	list.Object, list.Model = "list", req.Model
	for i, v := range vectors {
		list.Data = append(list.Data, embedding{"embedding", i, v})
	}
	writeJSON(w, list)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// readRequest reads what a client sent.
func readRequest(r *http.Request) (ModelRequest, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return ModelRequest{}, err
	}
	req := ModelRequest{Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	if len(body) == 0 {
		return req, nil
	}
	type function struct {
		Name, Description, Arguments string
		Parameters                   json.RawMessage
	}
	var wire struct {
		Model     string
		Stream    bool
		MaxTokens int `json:"max_tokens"`
		Messages  []struct {
			Role, Content    string
			ReasoningContent string `json:"reasoning_content"`
			ToolCallID       string `json:"tool_call_id"`
			ToolCalls        []struct {
				ID       string
				Function function
			} `json:"tool_calls"`
		}
		Tools []struct{ Function function }
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return ModelRequest{}, fmt.Errorf("testkit: request: %w", err)
	}
	req.Model, req.Stream, req.MaxTokens = wire.Model, wire.Stream, wire.MaxTokens
	for _, m := range wire.Messages {
		message := llm.Message{Role: m.Role, Content: m.Content, Reasoning: m.ReasoningContent, ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			message.ToolCalls = append(message.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		req.Messages = append(req.Messages, message)
	}
	for _, t := range wire.Tools {
		req.Tools = append(req.Tools, llm.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	return req, nil
}
