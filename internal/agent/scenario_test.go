package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/agent/tools"
	"bor/internal/kb"
	"bor/internal/kb/kbtest"
	"bor/internal/llm"
	"bor/internal/testkit"
	"bor/internal/verbatim"
)

var update = flag.Bool("update", false, "write what happens into the scenarios")

// TestScenarios plays every file in testdata/scenarios: documents in a real
// knowledge base, a turn, a model that follows a script, and what is expected
// to happen. A file is made of sections that begin with a line "-- name --":
//
//	doc IDENTITY [image]   a document's text
//	turn                   "key: value" lines, see play.set
//	model                  one reply, see script.step
//	want                   the transcript
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	pool := testkit.DB(t).Pool
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pool.Exec(t.Context(), "TRUNCATE sources CASCADE"); err != nil {
				t.Fatal(err)
			}
			p := newPlay(t, string(raw))
			kbtest.Add(t, pool, p.corpus...)
			got := p.run(t, kb.NewStore(pool))
			if *update {
				before, _, _ := strings.Cut(string(raw), "-- want --\n")
				if err := os.WriteFile(file, []byte(before+"-- want --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != p.want {
				t.Errorf("%s:\n%s", file, difference(got, p.want))
			}
		})
	}
}

// difference shows where two transcripts part.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is\n%s\nwant\n%s\n\nall of it:\n%s", i+1, g[i], w[i], got)
		}
	}
	return fmt.Sprintf("%d lines, want %d:\n%s", len(g), len(w), got)
}

// play is a scenario.
type play struct {
	corpus     []kb.Document
	turn       agent.Turn
	documents  []string // identities of the prompt's, perhaps with best lines
	resolver   verbatim.Resolver
	display    bool
	showPrompt bool
	script     script
	want       string
}

func newPlay(t *testing.T, text string) *play {
	p := &play{display: true, turn: agent.Turn{Relevance: agent.High, Settings: agent.Settings{Name: "Reese", MaxRounds: 10}}}
	var name, body string
	end := func() {
		section, rest, _ := strings.Cut(name, " ")
		switch section {
		case "doc":
			identity, isImage := strings.CutSuffix(rest, " image")
			source, path, _ := kb.SplitIdentity(identity)
			doc := kb.Document{Source: source, Path: path, Title: "About " + path, Content: body}
			if isImage {
				doc.Kind, doc.Content = kb.KindImage, ""
			}
			p.corpus = append(p.corpus, doc)
		case "turn":
			for line := range strings.Lines(body) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				p.set(t, strings.TrimSuffix(key, ":"), value)
			}
		case "model":
			p.script.steps = append(p.script.steps, body)
		case "want":
			p.want = body
		}
	}
	for line := range strings.Lines(text) {
		marker := strings.TrimSpace(line)
		if name != "want" && strings.HasPrefix(marker, "-- ") && strings.HasSuffix(marker, " --") {
			end()
			name, body = strings.TrimSuffix(strings.TrimPrefix(marker, "-- "), " --"), ""
			continue
		}
		body += line
	}
	end()
	return p
}

func (p *play) set(t *testing.T, key, value string) {
	n, _ := strconv.Atoi(value)
	switch key {
	case "question":
		p.turn.Question = value
	case "relevance":
		p.turn.Relevance = agent.Relevance(value)
	case "document":
		p.documents = append(p.documents, value)
	case "weak":
		p.turn.WeakTitles = append(p.turn.WeakTitles, value)
	case "overview":
		p.turn.Overview = value
	case "tuning":
		p.turn.Tuning = append(p.turn.Tuning, value)
	case "earlier":
		q, a, _ := strings.Cut(value, " => ")
		p.turn.History = append(p.turn.History, llm.Message{Role: llm.User, Content: q}, llm.Message{Role: llm.Assistant, Content: a})
	case "rounds":
		p.turn.Settings.MaxRounds = n
	case "read_cap":
		p.turn.Settings.ReadMaxChars = n
	case "documents_cap":
		p.turn.Settings.DocumentsMaxChars = n
	case "block_cap":
		p.resolver.MaxChars = n
	case "blocks":
		p.resolver.MaxBlocks = n
	case "display":
		p.display = value != "off"
	case "prompt":
		p.showPrompt = value == "show"
	default:
		t.Fatalf("unknown key %q in turn", key)
	}
}

// run plays the scenario and gives its transcript.
func (p *play) run(t *testing.T, store *kb.Store) string {
	for _, d := range p.documents {
		identity, best, _ := strings.Cut(d, "#")
		doc, err := store.ByIdentity(t.Context(), identity)
		if err != nil {
			t.Fatalf("%s: %v", identity, err)
		}
		found := agent.Document{Document: doc}
		if best != "" {
			if _, err := fmt.Sscanf(best, "%d-%d", &found.First, &found.Last); err != nil {
				t.Fatal(err)
			}
		}
		p.turn.Documents = append(p.turn.Documents, found)
	}
	p.resolver.Store = store
	if p.display {
		p.turn.Answer = p.resolver.Answer(p.turn.Relevance == agent.Low)
	}
	out := &transcript{}
	p.script.out, p.script.showPrompt = out, p.showPrompt
	lang := func(path string) string { return strings.TrimPrefix(filepath.Ext(path), ".") }
	outcome, err := agent.New(&p.script, tools.New(store, lang)).Run(t.Context(), p.turn, out)
	p.script.check(t)
	if out.text != outcome.Text || out.thinking != outcome.Thinking {
		t.Errorf("the sink got %q and %q, the outcome is %q and %q", out.text, out.thinking, outcome.Text, outcome.Thinking)
	}
	out.printf("outcome: %q, tool calls: %d", outcome.Text, outcome.ToolCalls)
	for _, s := range outcome.Sources {
		out.printf("source: %s/%s %q %d-%d", s.Source, s.Path, s.Title, s.StartLine, s.EndLine)
	}
	if p.turn.Answer != nil {
		for _, b := range p.turn.Answer.Blocks() {
			out.printf("block: %s %q", b.Locator, b.Text)
		}
	}
	if err != nil {
		out.printf("error: %v", err)
	}
	return out.String()
}

// script is a model that follows the scenario.
type script struct {
	steps      []string
	at         int
	told       int // messages that the transcript has
	calls      int
	showPrompt bool
	out        *transcript
}

// Stream writes down what the model is told, then plays the next step:
//
//	think: TEXT   say: TEXT   (a Go string literal, or the text itself)
//	call: NAME ARGUMENTS      the reply's next tool call
//	retry: CAUSE              a lost connection, tried again
//	fail: WORDS               the request fails
func (s *script) Stream(_ context.Context, req llm.Request, emit func(llm.Delta) error) (llm.Reply, error) {
	s.tell(req)
	if s.at == len(s.steps) {
		return llm.Reply{}, errors.New("the script is at its end")
	}
	step := s.steps[s.at]
	s.at++
	var reply llm.Reply
	for line := range strings.Lines(step) {
		verb, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if text, err := strconv.Unquote(value); err == nil {
			value = text
		}
		var d llm.Delta
		switch verb {
		case "think":
			d.Thinking = value
			reply.Thinking += value
		case "say":
			d.Text = value
			reply.Text += value
		case "retract":
			d.Retract, d.Thinking = true, value
			reply.Thinking += value
			reply.Text = ""
		case "retry":
			d.Retry = &llm.Retry{Attempt: 2, Max: 3, Cause: value}
		case "call":
			s.calls++
			name, arguments, _ := strings.Cut(value, " ")
			reply.ToolCalls = append(reply.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("call_%d", s.calls), Name: name, Arguments: arguments})
			continue
		case "fail":
			return reply, &llm.Error{Public: value}
		default:
			return reply, fmt.Errorf("unknown verb %q in a model step", verb)
		}
		if err := emit(d); err != nil {
			return reply, err
		}
	}
	return reply, nil
}

// tell writes down a request: the tools it offers, and the messages that are new.
func (s *script) tell(req llm.Request) {
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	s.out.printf("request %d: tools %v, %d messages", s.at+1, names, len(req.Messages))
	for _, m := range req.Messages[s.told:] {
		switch {
		case m.Role == llm.System && !s.showPrompt:
			continue
		case m.Role == llm.Assistant:
			s.out.printf("  assistant: %q thinking %q", m.Content, m.Reasoning)
			for _, c := range m.ToolCalls {
				s.out.printf("    %s: %s %s", c.ID, c.Name, c.Arguments)
			}
		case m.Role == llm.ToolRole:
			s.out.printf("  answer to %s:", m.ToolCallID)
			s.out.quote(m.Content)
		default:
			s.out.printf("  %s:", m.Role)
			s.out.quote(m.Content)
		}
	}
	s.told = len(req.Messages)
}

func (s *script) check(t *testing.T) {
	if s.at != len(s.steps) {
		t.Errorf("the turn ended after %d of the script's %d replies", s.at, len(s.steps))
	}
}

// transcript is what happened, as text.
type transcript struct {
	strings.Builder
	text, thinking string
}

func (t *transcript) printf(format string, args ...any) {
	fmt.Fprintf(&t.Builder, format+"\n", args...)
}

// quote writes lines so that every byte can be seen.
func (t *transcript) quote(text string) {
	for line := range strings.Lines(text) {
		whole, ended := strings.CutSuffix(line, "\n")
		if strings.ContainsAny(whole, "\r\x00") {
			whole = strconv.Quote(whole)
		}
		if !ended {
			whole += " (no line end)"
		}
		t.printf("    | %s", whole)
	}
}

func (t *transcript) Thinking(text string) error {
	t.thinking += text
	t.printf("thinking: %q", text)
	return nil
}

func (t *transcript) Delta(text string) error {
	t.text += text
	t.printf("delta: %q", text)
	return nil
}

func (t *transcript) Retract(chars int) error {
	all := []rune(t.text)
	t.text = string(all[:len(all)-chars])
	t.printf("retract: %d characters", chars)
	return nil
}

func (t *transcript) Tool(l agent.ToolLine) error {
	argument := "null"
	if l.Argument != nil {
		argument = strconv.Quote(*l.Argument)
	}
	if l.Done || l.Note != "" || l.Card != nil {
		return errors.New("a call was announced with its result")
	}
	t.printf("tool: %s %s", l.Name, argument)
	return nil
}

func (t *transcript) ToolResult(l agent.ToolLine) error {
	if !l.Done || !json.Valid(l.Card) {
		return fmt.Errorf("a result without its mark or card: %+v", l)
	}
	note := l.Note
	if l.Truncated {
		note += fmt.Sprintf(" (truncated — showing %d of %d chars)", l.CharsShown, l.CharsTotal)
	}
	t.printf("tool_result: %s · %s\n    card %s", l.Name, note, l.Card)
	return nil
}

func (t *transcript) Retry(r llm.Retry) error {
	t.printf("retry: %d of %d, %s", r.Attempt, r.Max, r.Cause)
	return nil
}
