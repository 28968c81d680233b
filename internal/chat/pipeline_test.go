package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bor/db"
	"bor/internal/agent"
	"bor/internal/agent/tools"
	"bor/internal/chunk"
	"bor/internal/ingest"
	"bor/internal/kb"
	"bor/internal/llm"
	"bor/internal/llm/librarian"
	"bor/internal/markdown"
	"bor/internal/retrieval"
	"bor/internal/source"
	"bor/internal/testkit"
	"bor/internal/verbatim"
)

// gufo has what a careless copy loses: carriage returns, a tab, trailing blanks,
// and no line end at its end.
const gufo = "[Container]\r\nImage=docker.io/library/gufo:2.4.1\r\n\tPublishPort=8642:8080  \r\nNetwork=gufo.network"

var notes = map[string]string{
	"quadlets/gufo.container": gufo,
	"dns.md":                  "# DNS\n\nThe resolver unbound listens on port 5353 of the host atlas.\n",
	"backup.md":               "# Backups\n\nEvery night restic copies the volumes to the host lund.\n",
	"disk.md":                 "# The disk filled up\n\nThe journal had grown to 40 GB. I vacuumed it with journalctl.\n",
}

// house is a knowledge base of a few files, a model that follows a script, and
// the log of what happened.
type house struct {
	db    *db.DB
	model *testkit.Model
	pipe  *Pipeline
	log   *bytes.Buffer

	logQuestions bool
}

const dimension = 64

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{db: testkit.DB(t), model: testkit.NewModel(t), log: new(bytes.Buffer)}
	h.model.Dimension = dimension
	dir := t.TempDir()
	for path, text := range notes {
		file := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	client := llm.NewClient(llm.Config{BaseURL: h.model.URL, ChatModel: "turbo", LiteModel: "lite", EmbedModel: "embed",
		Dimension: dimension, Retries: 2, RetryDelay: time.Millisecond, StreamThinking: true})
	extensions, names, err := source.ParseExtensions(source.DefaultExtensions)
	if err != nil {
		t.Fatal(err)
	}
	importer := ingest.New(ingest.Config{DB: h.db, Embedder: client, Completer: librarian.New(), Chunks: chunk.Options{MaxChars: 1200},
		Scope: source.Scope{Extensions: extensions, Names: names}, Log: slog.New(slog.DiscardHandler)})
	if _, err := importer.Run(t.Context(), []ingest.Source{{Dir: dir, Name: "homelab"}}, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	store := kb.NewStore(h.db.Pool)
	h.pipe = &Pipeline{
		Search:    retrieval.New(h.db, client, retrieval.Options{Threshold: 0.18}),
		Documents: store,
		Overview:  func(context.Context) (string, error) { return "Notes of a homelab.", nil },
		Agent:     agent.New(client, tools.New(store, markdown.Lang)),
		Settings:  agent.Settings{Name: "Reese", MaxRounds: 3},
		Verbatim:  verbatim.Resolver{Store: store, MaxBlocks: 5}, AnswerText: true,
	}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(h.log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return h
}

// heard is a sink that keeps what it is told, each event a line.
type heard struct {
	mu     sync.Mutex
	events []string
	more   chan struct{} // gives after each event
}

func newHeard() *heard { return &heard{more: make(chan struct{}, 1000)} }

func (h *heard) note(format string, args ...any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, fmt.Sprintf(format, args...))
	h.more <- struct{}{}
	return nil
}

func (h *heard) Thinking(text string) error { return h.note("thinking %q", text) }
func (h *heard) Delta(text string) error    { return h.note("delta %q", text) }
func (h *heard) Retract(chars, fences int) error {
	return h.note("retract %d, %d fences left", chars, fences)
}
func (h *heard) Tool(t agent.ToolLine) error       { return h.note("tool %s", t.Name) }
func (h *heard) ToolResult(t agent.ToolLine) error { return h.note("result %s", t.Name) }
func (h *heard) Retry(r llm.Retry) error           { return h.note("retry %d of %d", r.Attempt, r.Max) }

func (h *heard) Fence(f verbatim.Fence) error {
	if f.Block != nil {
		return h.note("block %s %q", f.Locator, f.Block.Text)
	}
	return h.note("fence %q %q because %q", f.Locator, f.Asked, f.Reason)
}

// has tells whether an event begins so.
func (h *heard) has(prefix string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.events, func(e string) bool { return strings.HasPrefix(e, prefix) })
}

// await waits for an event that begins so, while the answer goes on.
func (h *heard) await(t *testing.T, prefix string) {
	t.Helper()
	for !h.has(prefix) {
		select {
		case <-h.more:
		case <-time.After(time.Minute):
			t.Fatalf("there is no %q: %q", prefix, h.events)
		}
	}
}

// ask runs one turn's work, and gives the line of the log that it wrote.
func (h *house) ask(t *testing.T, question string, steps ...testkit.Step) (out Outcome, sink *heard, line string, err error) {
	t.Helper()
	h.log.Reset()
	h.model.Queue(steps...)
	sink = newHeard()
	out, err = h.pipe.Answer(t.Context(), Job{Turn: 7, Question: question}, sink)
	state, _ := endOf(err)
	LogTurn(h.logQuestions)(t.Context(), Report{Turn: 7, Question: question, State: state, Deflected: out.Deflected, Sources: out.Sources, Blocks: len(out.Blocks), Facts: out.Facts})
	return out, sink, h.log.String(), err
}

const show = "show me the quadlet for gufo"

func TestPipelineGrounded(t *testing.T) {
	h := newHouse(t)
	out, sink, line, err := h.ask(t, show, testkit.Think("hm", "Here:\n\n```bor homelab/quadlets/gu", "fo.container\nImage=typed-wrong\n`", "``\n\nIt listens on 8642.\n"))
	if err != nil || out.Deflected || out.Incomplete != "" || len(out.Suggestions) != 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if len(out.Blocks) != 1 || out.Blocks[0].Text != gufo || out.Blocks[0].Locator != "homelab/quadlets/gufo.container" {
		t.Errorf("blocks are %+v", out.Blocks)
	}
	if len(out.Sources) == 0 || out.Sources[0].Path != "quadlets/gufo.container" {
		t.Errorf("sources are %+v", out.Sources)
	}
	want := []string{`thinking "hm"`, `delta "Here:\n\n` + "```bor homelab/quadlets/gu\"", `delta "fo.container\nImage=typed-wrong\n` + "`\"",
		fmt.Sprintf("block homelab/quadlets/gufo.container %q", gufo), "delta \"``\\n\\nIt listens on 8642.\\n\""}
	if !slices.Equal(sink.events, want) {
		t.Errorf("events are\n%s\nnot\n%s", strings.Join(sink.events, "\n"), strings.Join(want, "\n"))
	}
	keys := regexp.MustCompile(`msg=turn id=7 why=.+ first_ms=\d+ prompt_tokens=\d+ completion_tokens=\d+ question="\(28 characters\)" embed_ms=\d+ top_score=\S+ fts_hits=[1-9]\d* summary_hits=\d+ tuning=0 kb_chars=19 history_msgs=0 ` +
		`threshold=0\.18 deflected=false sources=homelab/quadlets/gufo\.container\S* thinking_chars=2 tool_calls=0 total_ms=\d+ retries=0 scaffold_stripped=0 verbatim_blocks=1\n$`)
	if !keys.MatchString(line) {
		t.Errorf("the log line is %s", line)
	}
	prompt := h.model.Chats()[0].Messages[0].Content
	if !strings.Contains(prompt, "Image=docker.io/library/gufo:2.4.1") || !strings.Contains(prompt, "Notes of a homelab.") {
		t.Errorf("the prompt is %s", prompt)
	}
}

// The panel is there while the model still types.
func TestPipelineResolvesAFenceInPlace(t *testing.T) {
	h := newHouse(t)
	gate := make(chan struct{})
	h.model.Queue(testkit.Say("```bor homelab/dns.md#3-3\n").With(testkit.Gate(gate), testkit.Part{Text: "typed\n```\n\n```bor homelab/nothing.md\n```\n"}))
	sink := newHeard()
	over := make(chan error, 1)
	go func() {
		_, err := h.pipe.Answer(t.Context(), Job{Question: "which port does the resolver unbound listen on"}, sink)
		over <- err
	}()
	sink.await(t, `block homelab/dns.md#3-3 "The resolver unbound`)
	if sink.has(`delta "typed`) {
		t.Error("the model had typed on before the block came")
	}
	close(gate)
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if !sink.has(`fence "" "homelab/nothing.md" because "`) {
		t.Errorf("events are %q", sink.events)
	}
}

func TestPipelineToolBlockWithoutAFence(t *testing.T) {
	h := newHouse(t)
	h.logQuestions = true
	out, sink, line, err := h.ask(t, show, testkit.Call("show_text", `{"path":"homelab/quadlets/gufo.container"}`), testkit.Say("There it is."))
	if err != nil || len(out.Blocks) != 1 || out.Blocks[0].Text != gufo {
		t.Errorf("%+v, %v", out, err)
	}
	if out.Facts.PromptTokens != 20 || out.Facts.CompletionTokens != 10 {
		t.Errorf("tokens of both requests: %d and %d", out.Facts.PromptTokens, out.Facts.CompletionTokens)
	}
	if !slices.Equal(sink.events, []string{"tool show_text", "result show_text", `delta "There it is."`}) {
		t.Errorf("events are %q", sink.events)
	}
	if !strings.Contains(line, `question="show me the quadlet for gufo"`) || !strings.Contains(line, " tool_calls=1 ") || !strings.HasSuffix(line, " verbatim_blocks=1\n") {
		t.Errorf("the log line is %s", line)
	}
}

// A deflected turn has no documents and no tools, and its fences show nothing.
func TestPipelineDeflected(t *testing.T) {
	h := newHouse(t)
	out, sink, line, err := h.ask(t, "what is the best recipe for lasagne with mushrooms", testkit.Say("Nothing on that.\n\n```bor homelab/quadlets/gufo.container\n```\n"))
	if err != nil || !out.Deflected || len(out.Blocks) != 0 || len(out.Sources) != 0 || len(out.Suggestions) == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if !sink.has(`fence "" "homelab/quadlets/gufo.container" because "`) || sink.has("block") {
		t.Errorf("events are %q", sink.events)
	}
	chat := h.model.Chats()[0]
	if len(chat.Tools) != 0 || strings.Contains(string(chat.Body), "docker.io") || !strings.Contains(string(chat.Body), "DEFLECT_MODE") {
		t.Errorf("the request is %s", chat.Body)
	}
	if !strings.Contains(line, ` deflected=true `) || !strings.Contains(line, ` sources="" `) || !strings.HasSuffix(line, " verbatim_blocks=0\n") {
		t.Errorf("the log line is %s", line)
	}
}

// What was placed before an error stays; what was cut off in its name is nobody's.
func TestPipelineErrorInAFence(t *testing.T) {
	h := newHouse(t)
	step := testkit.Say("```bor homelab/dns.md\n```\n\n```bor homelab/backup.md\ntyped", "\n```\n\n```bor homelab/di")
	step.Cut = true
	out, sink, line, err := h.ask(t, "which port does the resolver unbound listen on", step)
	var endpoint *llm.Error
	if !errors.As(err, &endpoint) || len(out.Blocks) != 2 || out.Blocks[0].Text != notes["dns.md"] || out.Blocks[1].Text != notes["backup.md"] {
		t.Errorf("%+v, %v", out, err)
	}
	if sink.has("fence") {
		t.Errorf("a name that was cut off was looked up: %q", sink.events)
	}
	if strings.Contains(line, "msg=turn") {
		t.Errorf("a failed turn wrote %s", line)
	}
}

func TestPipelineWithoutExactText(t *testing.T) {
	h := newHouse(t)
	h.pipe.AnswerText = false
	s := serve(t, h.db, "p1", h.pipe, Limits{})
	h.model.Queue(testkit.Say("```bor homelab/dns.md\ntyped\n```\n"))
	turn := start(t, s, 0, "a", show)
	rec, events := readAll(t, s, turn.ID)
	raw, err := json.Marshal(rec)
	if err != nil || rec.State != Done || bytes.Contains(raw, []byte("answer_text")) || bytes.Contains(raw, []byte("fences")) {
		t.Errorf("the record is %s (%v)", raw, err)
	}
	if slices.ContainsFunc(events, func(e Event) bool { return e.Kind == KindFence }) {
		t.Errorf("events are %+v", events)
	}
	if bytes.Contains(h.model.Chats()[0].Body, []byte("show_text")) {
		t.Error("show_text is offered")
	}
}

func TestPipelineAnnouncesRetriesOfTheEmbedding(t *testing.T) {
	h := newHouse(t)
	left := 2
	h.model.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		if left--; left >= 0 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		vectors, err := librarian.NewEmbedder(dimension).Embed(r.Context(), []string{show})
		if err != nil {
			t.Error(err)
		}
		json.NewEncoder(w).Encode(map[string]any{"data": []any{map[string]any{"index": 0, "embedding": vectors[0]}}})
	})
	_, sink, line, err := h.ask(t, show, testkit.Fail(http.StatusServiceUnavailable, "busy"), testkit.Say("Fine. <|im_end|>"))
	if err != nil || !slices.Equal(sink.events, []string{"retry 2 of 3", "retry 3 of 3", "retry 2 of 3", `delta "Fine. "`}) {
		t.Errorf("events are %q, %v", sink.events, err)
	}
	if !strings.Contains(line, " retries=3 scaffold_stripped=1 ") {
		t.Errorf("the log line is %s", line)
	}
}

// A reply that may lack its end is an answer all the same, and says so (REL1).
func TestPipelineTellsThatAnAnswerMayBeIncomplete(t *testing.T) {
	h := newHouse(t)
	cut := func(finish string, noEnd bool) testkit.Step {
		step := testkit.Say("The port is")
		step.Finish, step.NoEnd = finish, noEnd
		return step
	}
	s := serve(t, h.db, "p1", h.pipe, Limits{})
	for name, c := range map[string]struct {
		step testkit.Step
		want Incomplete
	}{
		"stop": {cut("", false), ""}, "length": {cut("length", false), CutByLength},
		"filter": {cut("content_filter", false), CutByFilter}, "no sign": {cut("", true), NoEnd},
	} {
		h.model.Queue(c.step)
		rec, _ := readAll(t, s, start(t, s, 0, name, show).ID)
		if rec.State != Done || rec.Incomplete != c.want {
			t.Errorf("%s: %+v", name, rec)
		}
	}
}

// Earlier turns reach the model whole, with their thinking.
func TestPipelineGoesOnWithAConversation(t *testing.T) {
	h := newHouse(t)
	s := serve(t, h.db, "p1", h.pipe, Limits{})
	h.model.Queue(testkit.Think("which one", "Gufo runs on atlas."), testkit.Say("On 8642."))
	first := start(t, s, 0, "a", show)
	readAll(t, s, first.ID)
	readAll(t, s, start(t, s, first.Conversation, "b", show).ID)
	messages := h.model.Chats()[1].Messages
	if len(messages) != 4 || messages[1].Content != show || messages[2].Content != "Gufo runs on atlas." || messages[2].Reasoning != "which one" || messages[3].Content != show {
		t.Errorf("the model is asked %+v", messages)
	}
}

func TestPipelineNeedsTheDatabase(t *testing.T) {
	h := newHouse(t)
	broken := errors.New("away")
	h.pipe.Overview = func(context.Context) (string, error) { return "", broken }
	if _, _, line, err := h.ask(t, show); !errors.Is(err, broken) || line != "" {
		t.Errorf("%v, %s", err, line)
	}
	h.db.Pool.Close()
	if out, _, _, err := h.ask(t, show); err == nil {
		t.Errorf("%+v", out)
	}
}
