package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bor/internal/llm"
)

// Agent answers questions with one model and one set of tools. It is safe for
// concurrent use when they are.
type Agent struct {
	chat  llm.Chat
	tools Toolset
}

// New makes an agent.
func New(chat llm.Chat, tools Toolset) *Agent { return &Agent{chat: chat, tools: tools} }

// What a model is told beside results and refusals.
const (
	onlyOne  = "Not run: call only one tool at a time. Make this call again on its own if you still need it."
	lastCall = "No tool calls are left. Answer now, with what you have."
)

// errEmpty ends a turn in which the model said nothing.
var errEmpty = &llm.Error{Public: "The model ended without an answer. Ask again, or put the question in other words; if it happens often, look at the model server's log."}

// Run answers the turn's question. The outcome holds what there was when it
// ended, with or without an error. Errors are the model's, the store's, the
// sink's, or the context's.
func (a *Agent) Run(ctx context.Context, t Turn, sink Sink) (Outcome, error) {
	r := &run{chat: a.chat, sink: sink, settings: t.Settings, done: map[string]string{}}
	r.text.emit, r.thinking.emit = sink.Delta, sink.Thinking
	r.begin(t, a.tools)
	err := r.rounds(ctx)
	r.outcome.Text, r.outcome.Thinking = r.text.all.String(), r.thinking.all.String()
	if err == nil && strings.TrimSpace(r.outcome.Text) == "" && (t.Answer == nil || len(t.Answer.Blocks()) == 0) && !r.pictured {
		err = errEmpty
	}
	return r.outcome, err
}

// run is one turn under way.
type run struct {
	chat     llm.Chat
	sink     Sink
	settings Settings
	tools    []Tool
	messages []llm.Message
	done     map[string]string // by call: what to answer when it is made again
	ran      bool              // a tool ran in the round before
	pictured bool              // an image stands below the answer
	text     speech
	thinking speech
	outcome  Outcome
}

// begin writes the messages of the first request.
func (r *run) begin(t Turn, toolset Toolset) {
	prompt := promptOf(t)
	if t.Relevance == High {
		for _, d := range t.Documents {
			r.outcome.cite(Source{d.Source, d.Path, d.Title, d.First, d.Last})
		}
		if t.Settings.MaxRounds > 0 {
			t.Documents = prompt.whole
			r.tools = toolset(t)
		}
	}
	r.messages = append(r.messages, llm.Message{Role: llm.System, Content: prompt.text(r.tools)})
	r.messages = append(r.messages, t.History...)
	r.messages = append(r.messages, llm.Message{Role: llm.User, Content: t.Question})
}

// rounds lets the model call tools until it answers, and makes it answer when
// no rounds are left.
func (r *run) rounds(ctx context.Context) error {
	if len(r.tools) > 0 {
		for left := r.settings.MaxRounds; left > 0; left-- {
			reply, err := r.ask(ctx, r.tools)
			if err != nil || len(reply.ToolCalls) == 0 {
				return err
			}
			if err := r.respond(ctx, reply, left == 1); err != nil {
				return err
			}
		}
	}
	_, err := r.ask(ctx, nil)
	return err
}

// ask makes one request and passes on what comes of it.
func (r *run) ask(ctx context.Context, tools []Tool) (llm.Reply, error) {
	request := llm.Request{Messages: r.messages, MaxTokens: r.settings.MaxTokens}
	for _, t := range tools {
		request.Tools = append(request.Tools, t.Spec())
	}
	r.text.round(true)
	r.thinking.round(!r.ran) // a tool's line stands between, if one ran
	r.ran = false
	reply, err := r.chat.Stream(ctx, request, func(d llm.Delta) error {
		if d.Retry != nil {
			if err := r.sink.Retry(*d.Retry); err != nil {
				return err
			}
		}
		if d.Retract {
			if err := r.sink.Retract(r.text.retract()); err != nil {
				return err
			}
		}
		if err := r.thinking.say(d.Thinking); err != nil {
			return err
		}
		return r.text.say(d.Text)
	})
	r.outcome.Stripped += reply.Stripped
	r.outcome.Finish = reply.Finish
	r.outcome.Usage.Prompt += reply.Usage.Prompt
	r.outcome.Usage.Completion += reply.Usage.Completion
	return reply, err
}

// respond answers the calls of a reply: the first by running it, the others by
// saying that it was one too many.
func (r *run) respond(ctx context.Context, reply llm.Reply, last bool) error {
	r.messages = append(r.messages, llm.Message{
		Role: llm.Assistant, Content: reply.Text, Reasoning: reply.Thinking, ToolCalls: sendable(reply.ToolCalls),
	})
	for i, call := range reply.ToolCalls {
		text := onlyOne
		if i == 0 {
			var err error
			if text, err = r.call(ctx, call); err != nil {
				return err
			}
		}
		if last && i == len(reply.ToolCalls)-1 {
			text += "\n\n" + lastCall
		}
		r.messages = append(r.messages, llm.Message{Role: llm.ToolRole, Content: text, ToolCallID: call.ID})
	}
	return nil
}

// call gives the model's answer to a call: its result or a refusal. A call that
// was answered before isn't run again.
func (r *run) call(ctx context.Context, call llm.ToolCall) (string, error) {
	key := fingerprint(call)
	if again, ok := r.done[key]; ok {
		return again, nil
	}
	text, err := r.execute(ctx, call)
	var refusal Refusal
	if errors.As(err, &refusal) {
		r.done[key] = "Refused again, for the same reason: " + string(refusal)
		return string(refusal), nil
	}
	r.done[key] = "Not run again: you made exactly this call before, and its result is above. Use it, or ask for something else."
	return text, err
}

// execute runs a call, announced before its result.
func (r *run) execute(ctx context.Context, call llm.ToolCall) (string, error) {
	tool, err := r.find(call.Name)
	if err != nil {
		return "", err
	}
	ready, err := tool.Prepare(ctx, call.Arguments)
	if err != nil {
		return "", err
	}
	line := ToolLine{Name: call.Name, Argument: ready.Argument}
	if err := r.sink.Tool(line); err != nil {
		return "", err
	}
	result, err := ready.Run(ctx)
	if err != nil {
		return "", err
	}
	r.ran = true
	r.outcome.ToolCalls++
	if result.Read != nil {
		r.outcome.cite(*result.Read)
	}
	line.Done, line.Note, line.Text, line.Card = true, result.Note, result.Text, result.Card
	line.Image = result.Image
	r.pictured = r.pictured || result.Image != nil
	line.Truncated, line.CharsShown, line.CharsTotal = result.Truncated, result.CharsShown, result.CharsTotal
	return result.Text, r.sink.ToolResult(line)
}

func (r *run) find(name string) (Tool, error) {
	var names []string
	for _, t := range r.tools {
		if t.Spec().Name == name {
			return t, nil
		}
		names = append(names, t.Spec().Name)
	}
	return nil, Refusal(fmt.Sprintf("There is no tool %q. The tools are: %s.", name, strings.Join(names, ", ")))
}

// fingerprint is equal for calls that ask for the same, however their JSON is
// written.
func fingerprint(call llm.ToolCall) string {
	var arguments any
	if json.Unmarshal([]byte(call.Arguments), &arguments) == nil {
		if canonical, err := json.Marshal(arguments); err == nil { // sorts the keys
			return call.Name + "\n" + string(canonical)
		}
	}
	return call.Name + "\n" + strings.TrimSpace(call.Arguments)
}

// sendable is calls as they may be sent back: servers parse the arguments of
// past calls and fail on broken ones. What was wrong is in the refusal.
func sendable(calls []llm.ToolCall) []llm.ToolCall {
	sent := make([]llm.ToolCall, len(calls))
	for i, c := range calls {
		if !json.Valid([]byte(c.Arguments)) {
			c.Arguments = "{}"
		}
		sent[i] = c
	}
	return sent
}
