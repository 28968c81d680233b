//lint:file-ignore SA1019 max_tokens is the older name, and the only one that most servers know

package llm

import (
	"context"
	"encoding/json"
	"errors"

	openai "github.com/sashabaranov/go-openai"
)

// open starts a streamed chat request.
func (c *Client) open(ctx context.Context, e *endpoint, req Request, send optional) (*openai.ChatCompletionStream, error) {
	out := openai.ChatCompletionRequest{Model: e.model}
	if send.streamOptions {
		out.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if send.maxTokens {
		out.MaxTokens = c.cfg.MaxTokens
		if req.MaxTokens > 0 {
			out.MaxTokens = req.MaxTokens
		}
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, wireMessage(m))
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Parameters,
		}})
	}
	stream, err := e.api.CreateChatCompletionStream(ctx, out)
	if errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated) {
		// The library knows models that want the newer name of the field.
		out.MaxTokens, out.MaxCompletionTokens = 0, out.MaxTokens
		stream, err = e.api.CreateChatCompletionStream(ctx, out)
	}
	return stream, err
}

func wireMessage(m Message) openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{Role: m.Role, Content: m.Content, ReasoningContent: m.Reasoning, ToolCallID: m.ToolCallID}
	if m.Content == "" && m.Role != Assistant {
		out.Content = " " // servers refuse a message without content, and the library leaves an empty one out
	}
	for _, call := range m.ToolCalls {
		arguments := call.Arguments
		if !isObject(arguments) {
			arguments = "{}" // servers that parse past calls fail on anything else; the tool's answer says what was wrong
		}
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID: call.ID, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: call.Name, Arguments: arguments},
		})
	}
	return out
}

func isObject(text string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &object) == nil && object != nil
}

// recoveryTokens bounds the one request that is made after a reply which was
// nothing but scaffolding.
const recoveryTokens = 4096

const recoveryNote = "Your last reply held only template markup, and nothing of it could be shown. Answer now, in plain Markdown text, without calling tools."

// recovery asks again, without tools, so that nothing but an answer can come.
func recovery(req Request) Request {
	messages := append([]Message(nil), req.Messages...)
	if n := len(messages); n > 0 && messages[n-1].Role == User {
		messages[n-1].Content += "\n\n" + recoveryNote // some templates refuse two user messages in a row
	} else {
		messages = append(messages, Message{Role: User, Content: recoveryNote})
	}
	return Request{Messages: messages, MaxTokens: recoveryTokens}
}
