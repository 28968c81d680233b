package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/fault"
	"bor/internal/llm"
	"bor/internal/verbatim"
)

// scripted is an answerer that is one function.
type scripted func(context.Context, chat.Job, chat.Sink) (chat.Outcome, error)

func (f scripted) Answer(ctx context.Context, job chat.Job, sink chat.Sink) (chat.Outcome, error) {
	return f(ctx, job, sink)
}

// event is one server-sent event; a comment has no name.
type event struct{ name, data string }

// parseEvents reads a whole stream, strictly.
func parseEvents(t *testing.T, stream string) (events []event) {
	t.Helper()
	if !strings.HasSuffix(stream, "\n\n") {
		t.Errorf("the stream ends within an event: %q", stream)
	}
	for _, block := range strings.Split(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(strings.TrimPrefix(block, "event: "), "\ndata: ")
		switch {
		case strings.HasPrefix(block, ":"):
			events = append(events, event{})
		case !ok || !json.Valid([]byte(data)) || strings.ContainsAny(data, "\r\n"):
			t.Errorf("this is no event of ours: %q", block)
		default:
			events = append(events, event{name, data})
		}
	}
	return events
}

func TestChatTellsEverythingOnce(t *testing.T) {
	argument, cut := "lab/dns.md", "lab/big.log"
	block := verbatim.Block{Source: "lab", Path: "dns.md", Title: "DNS", StartLine: 1, EndLine: 1, TotalLines: 1, Text: "x<&>\r\n", Locator: "lab/dns.md", SHA256: strings.Repeat("0", 64)}
	var heard chat.Job
	s := newSite(t, scripted(func(_ context.Context, job chat.Job, sink chat.Sink) (chat.Outcome, error) {
		heard = job
		card, _ := json.Marshal(agent.ReadCard{Path: argument, Offset: 1, Lines: []agent.CardLine{{Number: 1, Text: "x"}}, TotalLines: 1})
		done := agent.ToolLine{Name: "read", Argument: &argument, Done: true, Text: "x", Card: card}
		return chat.Outcome{Sources: []chat.Source{{Source: "lab", Path: "dns.md", Title: "DNS"}}, Blocks: []verbatim.Block{block}, Incomplete: chat.CutByLength}, errors.Join(
			sink.Retry(llm.Retry{Attempt: 2, Max: 3, Cause: "refused"}),
			sink.Thinking("hm\n"),
			sink.Tool(agent.ToolLine{Name: "ls"}), sink.ToolResult(agent.ToolLine{Name: "ls", Done: true, Card: json.RawMessage(`["odd"]`)}),
			sink.Tool(agent.ToolLine{Name: "read", Argument: &argument}), sink.ToolResult(done),
			sink.Tool(agent.ToolLine{Name: "read", Argument: &cut}),
			sink.ToolResult(agent.ToolLine{Name: "read", Argument: &cut, Done: true, Truncated: true, CharsShown: 10, CharsTotal: 20}),
			sink.Delta("hm…"), sink.Retract(3, 0),
			sink.Delta("It is <b>\r\n\u2028"), sink.Delta("there\n"), sink.Fence(verbatim.Fence{Locator: "lab/dns.md", Block: &block}))
	}), nil)
	got := s.postJSON(s.signedIn(), "/api/chat", `{"message":" where? ","history":[
		{"who":"user","text":"first"},{"who":"brain","text":"answer","state":"done","trace":[{"thinking":"thought"}],"sources":[{"source":"a","path":"b","title":"c"}]},
		{"who":"user","text":"unanswered"},{"who":"user","text":"second"},{"who":"brain","text":""}]}`)
	if got.status != 200 || got.header.Get("Content-Type") != "text/event-stream" || got.header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("%d %v: %s", got.status, got.header, got.body)
	}
	want := []event{
		{"retry", `{"attempt":2,"max_attempts":3}`},
		{"thinking", `{"text":"hm\n"}`},
		{"tool", `{"name":"ls","argument":null}`},
		{"tool", `{"name":"read","argument":"lab/dns.md"}`},
		{"tool", `{"name":"read","argument":"lab/big.log"}`},
		{"tool_result", `{"name":"read","argument":"lab/big.log","truncated":true,"chars_shown":10,"chars_total":20}`},
		{"delta", `{"text":"hm…"}`},
		{"retract", `{"chars":3}`},
		{"delta", `{"text":"It is <b>\r\n\u2028"}`},
		{"delta", `{"text":"there\n"}`},
		{"done", `{"deflected":false,"sources":[{"source":"lab","path":"dns.md","title":"DNS"}],"suggestions":[],` +
			`"answer_text":[{"source":"lab","path":"dns.md","title":"DNS","start_line":1,"end_line":1,"total_lines":1,"text":"x<&>\r\n","truncated":false,"locator":"lab/dns.md","sha256":"` + block.SHA256 + `"}],` +
			`"cards":[{"lines":[{"number":1,"text":"x"}],"offset":1,"path":"lab/dns.md","tool":"read","totalLines":1}],"incomplete":"length"}`},
	}
	events := parseEvents(t, got.body)
	if diff := cmp.Diff(want, events, cmp.AllowUnexported(event{})); diff != "" {
		t.Error(diff)
	}
	checkEvents(t, events)
	if heard.Question != "where?" || !slices.Equal(heard.History, []chat.Exchange{{Question: "first", Answer: "answer", Thinking: "thought"}}) {
		t.Errorf("the turn was given %+v", heard)
	}
	for _, table := range []string{"conversations", "turns", "turn_events"} {
		var rows int
		if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%s has %d rows (%v)", table, rows, err)
		}
	}
}

func TestChatEndsWithWhatWentWrong(t *testing.T) {
	for name, c := range map[string]struct {
		answer scripted
		status int
		want   []event
	}{
		"deflected": {func(_ context.Context, _ chat.Job, sink chat.Sink) (chat.Outcome, error) {
			return chat.Outcome{Deflected: true, Suggestions: []string{"That?"}}, sink.Delta("No notes.")
		}, 200, []event{{"delta", `{"text":"No notes."}`}, {"done", `{"deflected":true,"sources":[],"suggestions":["That?"]}`}}},
		"the model is away": {func(context.Context, chat.Job, chat.Sink) (chat.Outcome, error) {
			return chat.Outcome{}, &llm.Error{Public: "The model can’t be reached."}
		}, 200, []event{{"error", `{"detail":"The model can’t be reached."}`}}},
		"it breaks off": {func(_ context.Context, _ chat.Job, sink chat.Sink) (chat.Outcome, error) {
			return chat.Outcome{}, errors.Join(sink.Delta("so far"), fault.New(fault.Internal, "It broke."))
		}, 200, []event{{"delta", `{"text":"so far"}`}, {"error", `{"detail":"It broke."}`}}},
		"a panic": {func(context.Context, chat.Job, chat.Sink) (chat.Outcome, error) { panic("boom") },
			200, []event{{"error", `{"detail":"Something went wrong on the server. The details are in its log; trying again may help."}`}}},
	} {
		s := newSite(t, c.answer, nil)
		got := s.postJSON(s.signedIn(), "/api/chat", `{"message":"q"}`)
		events := parseEvents(t, got.body)
		if diff := cmp.Diff(c.want, events, cmp.AllowUnexported(event{})); diff != "" || got.status != c.status {
			t.Errorf("%s: %d %s", name, got.status, diff)
		}
		checkEvents(t, events)
	}
}

func TestADatabaseThatGoesBeforeTheStreamIsAStatus(t *testing.T) {
	s := newSite(t, scripted(func(context.Context, chat.Job, chat.Sink) (chat.Outcome, error) { return chat.Outcome{}, io.EOF }), func(d *Deps) {
		d.Ready = func(context.Context) error { return io.EOF }
	})
	got := s.postJSON(s.signedIn(), "/api/chat", `{"message":"q"}`)
	if got.status != 503 || !strings.Contains(detail(t, got), "database") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// open starts an answer and waits for its first event.
func (s *site) open(c *http.Client) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.url+"/api/chat", strings.NewReader(`{"message":"q"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := c.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	begun := make([]byte, len("event: delta\n"))
	if _, err := io.ReadFull(response.Body, begun); err != nil || string(begun) != "event: delta\n" {
		s.t.Fatalf("the stream begins with %q (%v)", begun, err)
	}
	return response
}

func TestAClientThatGoesEndsTheModelsRequest(t *testing.T) {
	ended := make(chan error, 1)
	s := newSite(t, scripted(func(ctx context.Context, _ chat.Job, sink chat.Sink) (chat.Outcome, error) {
		if err := sink.Delta("begun"); err != nil {
			return chat.Outcome{}, err
		}
		<-ctx.Done()
		ended <- ctx.Err()
		return chat.Outcome{}, ctx.Err()
	}), nil)
	s.open(s.signedIn()).Body.Close()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

func TestSigningOutEndsOpenAnswers(t *testing.T) {
	s := newSite(t, answerer{""}, nil)
	c := s.signedIn()
	response := s.open(c)
	defer response.Body.Close()
	s.send(c, "POST", "/api/logout")
	rest, err := io.ReadAll(response.Body)
	if err != nil || strings.Count(string(rest), "event: error\n") != 1 || !strings.Contains(string(rest), "signed out") || strings.Contains(string(rest), "event: done") {
		t.Errorf("the stream ends with %q (%v)", rest, err)
	}
}

// told runs an answer without a server and gives what its client got.
func told(t *testing.T, ctx context.Context, cancel context.CancelCauseFunc, answer func(*asking)) string {
	t.Helper()
	w := httptest.NewRecorder()
	a := &asking{events: make(chan chat.Event), over: make(chan error, 1), cancel: cancel,
		signedOut: func(context.Context) bool { return false }, ready: func(context.Context) error { return nil }}
	go answer(a)
	r := httptest.NewRequestWithContext(ctx, "POST", "/api/chat", nil)
	if err := a.tell(ctx, &jsonStream{c: echo.New().NewContext(r, w)}); err != nil {
		t.Error(err)
	}
	return w.Body.String()
}

func TestSilenceIsKeptAwake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		got := told(t, ctx, cancel, func(a *asking) {
			<-time.After(31 * time.Second) // of the bubble's clock
			a.events <- chat.Event{Kind: chat.KindDone, Record: &chat.Record{State: chat.Done}}
			a.over <- nil
		})
		events := parseEvents(t, got)
		if len(events) != 3 || events[0].name != "" || events[1].name != "" || events[2].name != "done" {
			t.Errorf("got %q", got)
		}
	})
}

func TestAServerThatGoesSaysSoOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		got := told(t, ctx, cancel, func(a *asking) {
			a.events <- chat.Event{Kind: chat.KindDelta, Text: "so"}
			cancel(errLeaving)
			synctest.Wait()
			a.events <- chat.Event{Kind: chat.KindDone, Record: &chat.Record{State: chat.Interrupted}}
			a.over <- nil
		})
		if events := parseEvents(t, got); len(events) != 2 || events[1].name != "error" || !strings.Contains(events[1].data, "shutting down") {
			t.Errorf("got %q", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		got := told(t, ctx, cancel, func(a *asking) {
			a.events <- chat.Event{Kind: chat.KindDone, Record: &chat.Record{State: chat.Interrupted}}
			cancel(errLeaving)
			synctest.Wait()
			a.over <- nil
		})
		if events := parseEvents(t, got); len(events) != 1 || events[0].name != "error" {
			t.Errorf("got %q", got)
		}
	})
}

func TestAnswersOfASessionAreBounded(t *testing.T) {
	s := newSite(t, answerer{""}, nil)
	c := s.signedIn()
	for range maxStreams {
		defer s.open(c).Body.Close()
	}
	got := s.postJSON(c, "/api/chat", `{"message":"q"}`)
	if got.status != 429 || got.header.Get("Retry-After") == "" || !strings.Contains(detail(t, got), "Too many answers") {
		t.Errorf("one more gave %d %s", got.status, got.body)
	}
}
