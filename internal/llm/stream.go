package llm

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Stream asks the chat model. The reply's text and thinking are emitted as they
// arrive, filtered; on an error the reply holds what came until then. Before
// the first output failed requests are tried again.
func (c *Client) Stream(ctx context.Context, req Request, emit func(Delta) error) (Reply, error) {
	return c.reply(ctx, c.chat, req, emit)
}

// reply asks an endpoint. A reply that was nothing but scaffolding is asked for
// once more; a second one is an error.
func (c *Client) reply(ctx context.Context, e *endpoint, req Request, emit func(Delta) error) (Reply, error) {
	first, err := c.request(ctx, e, req, emit)
	if err != nil || !first.wiped() {
		return first, err
	}
	again, err := c.request(ctx, e, recovery(req), emit)
	again.Thinking = first.Thinking + again.Thinking
	again.Stripped += first.Stripped
	again.Usage.Prompt += first.Usage.Prompt
	again.Usage.Completion += first.Usage.Completion
	if err == nil && again.wiped() {
		err = newFault(false, 0, nil, "The model %q answered twice with nothing but its template's markup, so there is no answer to show. Its server's chat template or tool parser may not fit it.", e.model).err
	}
	return again, err
}

// wiped reports whether the scaffolding filter left nothing of the answer.
func (r Reply) wiped() bool {
	return r.Stripped > 0 && len(r.ToolCalls) == 0 && strings.TrimSpace(r.Text) == ""
}

// request makes one request, with retries.
func (c *Client) request(ctx context.Context, e *endpoint, req Request, emit func(Delta) error) (reply Reply, err error) {
	announce := func(r Retry) error { return emit(Delta{Retry: &r}) }
	err = c.retrying(ctx, announce, func(deadline time.Time) (err error) {
		var s *streaming
		for again := true; again; {
			s = &streaming{
				client: c, endpoint: e, req: req, emit: emit, deadline: deadline,
				optional: optional{maxTokens: !e.noMaxTokens.Load(), streamOptions: !e.noStreamOptions.Load()},
			}
			err = s.run(ctx)
			again = !s.started && e.drop(rejectedField(err), s.optional)
		}
		reply = s.reply
		var f *fault
		if errors.As(err, &f) && s.started {
			f.retry = false
		}
		return err
	})
	return reply, err
}

// optional are the fields of a request that some servers refuse.
type optional struct{ maxTokens, streamOptions bool }

// drop leaves a refused field out of this endpoint's requests from now on, if
// it was sent.
func (e *endpoint) drop(field string, sent optional) bool {
	switch {
	case field == "max_tokens" && sent.maxTokens:
		e.noMaxTokens.Store(true)
	case field == "stream_options" && sent.streamOptions:
		e.noStreamOptions.Store(true)
	default:
		return false
	}
	return true
}

// streaming is one try of one request.
type streaming struct {
	client   *Client
	endpoint *endpoint
	req      Request
	emit     func(Delta) error
	deadline time.Time // for the first output
	optional optional

	decoder            chunkDecoder
	content, reasoning textJoiner
	think              *thinkSplitter
	scaffold           *scaffoldFilter
	calls              callAssembler
	text, thinking     strings.Builder
	reply              Reply
	started            bool // something of the reply was there
	done               bool // the server ended the stream properly
}

// run makes the request and reads its stream to the end.
func (s *streaming) run(ctx context.Context) error {
	dog, watched := newWatchdog(ctx)
	defer dog.end()
	dog.until(s.deadline, errNoOutput)
	stream, err := s.client.open(watched, s.endpoint, s.req, s.optional)
	if err != nil {
		return s.endpoint.asFault(watched, err)
	}
	defer stream.Close()
	s.think = newThinkSplitter(s.endpoint.preopened.Load())
	s.scaffold = newScaffoldFilter()
	err = s.read(stream, dog)
	s.reply.Text, s.reply.Thinking = s.text.String(), s.thinking.String()
	s.reply.Stripped = s.scaffold.removed
	var e *emitError
	switch {
	case errors.As(err, &e):
		return e.err
	case err != nil:
		return s.endpoint.asFault(watched, err)
	}
	return s.conclude()
}

// read takes the stream's events until it ends.
func (s *streaming) read(stream *openai.ChatCompletionStream, dog *watchdog) error {
	for !s.done {
		if s.started {
			dog.wait(s.endpoint.idle, errIdle)
		} else {
			dog.until(s.deadline, errNoOutput)
		}
		raw, err := stream.RecvRaw()
		dog.rest()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		p, err := s.decoder.decode(raw)
		if err != nil {
			return err
		}
		if err := s.take(p); err != nil {
			return err
		}
	}
	return s.finish()
}

// take adds one event to the reply.
func (s *streaming) take(p piece) error {
	s.done = p.done
	if p.finish != "" {
		s.reply.Finish = p.finish
	}
	if p.usage != (Usage{}) {
		s.reply.Usage = p.usage
	}
	for _, call := range p.calls {
		s.started = true
		s.calls.add(call)
	}
	if p.thinking != "" {
		s.think.separate()
		if err := s.give("", s.reasoning.write(p.thinking)); err != nil {
			return err
		}
	}
	return s.answer(s.think.write(s.content.write(p.text)))
}

// finish gives out what the filters still hold. At an end that wasn't the
// server's it may be half of something, and is left out.
func (s *streaming) finish() error {
	if s.unsigned() {
		return nil
	}
	if err := s.give("", s.reasoning.flush()); err != nil {
		return err
	}
	answered := s.reply.Finish != "length" && len(s.calls.calls) == 0
	spans := append(s.think.write(s.content.flush()), s.think.flush(answered)...)
	if err := s.answer(spans); err != nil {
		return err
	}
	return s.give(s.scaffold.flush(), "")
}

func (s *streaming) answer(spans []span) error {
	for _, part := range spans {
		var err error
		switch {
		case part.retract:
			err = s.retract(part.text)
		case part.thinking:
			err = s.give("", part.text)
		default:
			err = s.give(s.scaffold.write(part.text), "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unsigned reports whether the stream ended, if it did, without a sign that the
// reply was complete.
func (s *streaming) unsigned() bool { return !s.done && s.reply.Finish == "" }

// retract makes thinking of the text so far and last. This model's next replies
// are taken to begin like this one.
func (s *streaming) retract(last string) error {
	s.endpoint.preopened.Store(true)
	rest := s.scaffold.write(last) + s.scaffold.flush()
	removed := s.scaffold.removed
	s.scaffold = newScaffoldFilter()
	s.scaffold.removed = removed
	emitted := s.text.String()
	s.text.Reset()
	return s.send(Delta{Retract: emitted != "", Thinking: emitted + rest})
}

// give adds to the reply and emits.
func (s *streaming) give(text, thinking string) error {
	return s.send(Delta{Text: text, Thinking: thinking})
}

func (s *streaming) send(d Delta) error {
	if d == (Delta{}) {
		return nil
	}
	s.started = true
	s.text.WriteString(d.Text)
	s.thinking.WriteString(d.Thinking)
	if !s.client.cfg.StreamThinking {
		d.Thinking = ""
	}
	if d == (Delta{}) {
		return nil
	}
	if err := s.emit(d); err != nil {
		return &emitError{err}
	}
	return nil
}

// emitError keeps the receiver's own error apart from the endpoint's.
type emitError struct{ err error }

func (e *emitError) Error() string { return e.err.Error() }

// conclude settles how a reply that came to its end counts. One without text or
// calls that ended properly is no fault: after a tool has shown something there
// may be nothing left to say.
func (s *streaming) conclude() error {
	r := &s.reply
	if s.calls.broken() {
		switch {
		case s.unsigned():
			return s.endpoint.transport(io.ErrUnexpectedEOF)
		case r.Finish == "length":
			return newFault(false, 0, nil, "The model reached the limit on its output in the middle of a tool call, so the call was not made. Ask something narrower, or raise BOR_LLM_MAX_TOKENS.")
		}
	}
	r.ToolCalls = s.calls.finish(countCalls(s.req.Messages))
	if s.think.begun || s.think.loneCloser {
		s.endpoint.preopened.Store(s.think.loneCloser)
	}
	switch {
	case len(r.ToolCalls) > 0:
		r.Finish = "tool_calls"
	case r.Finish == aborted:
		r.Finish = ""
	case r.Finish == "" && s.done:
		r.Finish = "stop"
	}
	switch empty := len(r.ToolCalls) == 0 && strings.TrimSpace(r.Text) == ""; {
	case !empty, r.wiped():
	case r.Finish == "length" && strings.TrimSpace(r.Thinking) == "":
		return newFault(false, 0, nil, "The model was stopped by its length limit before it wrote a word: the question, its documents and the conversation probably fill its context. Start a new chat or ask for less at once; an operator can give the model a larger context or lower BOR_TOP_N_DOCS, BOR_READ_MAX_CHARS or BOR_HISTORY_MAX_CHARS.")
	case r.Finish == "length":
		return newFault(false, 0, nil, "The model used up all of its output on thinking and wrote no answer. Ask something narrower, or raise BOR_LLM_MAX_TOKENS.")
	case r.Finish == "content_filter":
		return newFault(false, 0, nil, "The model server's content filter held the answer back. Put the question differently.")
	case r.Finish == "":
		return newFault(true, 0, io.ErrUnexpectedEOF, "The model server at %s ended its reply before it had said anything. Its own log may say why; try again.", s.endpoint.host)
	}
	return nil
}

// countCalls is the number of tool calls in a conversation.
func countCalls(messages []Message) (n int) {
	for _, m := range messages {
		n += len(m.ToolCalls)
	}
	return n
}
