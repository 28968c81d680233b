package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bor/internal/llm"
	"bor/internal/testkit"
)

var errStop = errors.New("stopped")

// Pieces of replies that hang.
const (
	streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	someText   = `data: {"choices":[{"index":0,"delta":{"content":"Port "}}]}` + "\n\n"
	someThink  = `data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}` + "\n\n"
	halfACall  = `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"pa"}}]}}]}` + "\n\n"
	onlyMarkup = `data: {"choices":[{"index":0,"delta":{"content":"<tool_call>{}</tool_call>"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	busy       = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 50\r\nContent-Length: 2\r\n\r\n{}"
)

// TestStopInEveryPhase stops a request at each of its stages: it ends with the
// stop's cause, and the server sees its connection close within a second.
func TestStopInEveryPhase(t *testing.T) {
	hang := func(bytes string) testkit.WireReply {
		return testkit.WireReply{Bytes: []byte(bytes), End: testkit.WireHang}
	}
	for _, c := range []struct {
		name    string
		secure  bool // the server never answers the handshake
		replies []testkit.WireReply
		arrived int                  // stop when so many requests have arrived,
		heard   func(llm.Delta) bool // or when this was heard
		text    string
	}{
		{name: "while connecting", secure: true, arrived: 1},
		{name: "before the reply's head", replies: []testkit.WireReply{hang("")}, arrived: 1},
		{name: "inside of the reply's head", replies: []testkit.WireReply{hang(streamHead[:20])}, arrived: 1},
		{name: "before the first token", replies: []testkit.WireReply{hang(streamHead + ": ping\n\n")}, arrived: 1},
		{name: "while thinking", replies: []testkit.WireReply{hang(streamHead + someThink)}, heard: func(d llm.Delta) bool { return d.Thinking != "" }},
		{name: "mid-text", replies: []testkit.WireReply{hang(streamHead + someText)}, heard: func(d llm.Delta) bool { return d.Text != "" }, text: "Port "},
		{name: "inside of an event", replies: []testkit.WireReply{hang(streamHead + someText + someText[:30])}, heard: func(d llm.Delta) bool { return d.Text != "" }, text: "Port "},
		{name: "inside of a tool call", replies: []testkit.WireReply{hang(streamHead + halfACall + someText)}, heard: func(d llm.Delta) bool { return d.Text != "" }, text: "Port "},
		{name: "during a retry's wait", replies: []testkit.WireReply{hang(busy)}, heard: func(d llm.Delta) bool { return d.Retry != nil }},
		{name: "in the second try", replies: []testkit.WireReply{{Bytes: []byte(strings.Replace(busy, "50", "0", 1))}, hang(streamHead)}, arrived: 2},
		{name: "in the recovery request", replies: []testkit.WireReply{{Bytes: []byte(streamHead + onlyMarkup)}, hang(streamHead)}, arrived: 2},
		{name: "mid-text of the recovery request", replies: []testkit.WireReply{{Bytes: []byte(streamHead + onlyMarkup)}, hang(streamHead + someText)}, heard: func(d llm.Delta) bool { return d.Text != "" }, text: "Port "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := testkit.NewWire(t)
			w.Queue(c.replies...)
			cfg := wireConfig(w)
			if c.secure {
				cfg.BaseURL = strings.Replace(cfg.BaseURL, "http://", "https://", 1)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped := make(chan time.Time, 1)
			stop := func() {
				stopped <- time.Now()
				cancel(errStop)
			}
			if c.arrived > 0 {
				go func() {
					for range c.arrived {
						<-w.Arrived()
					}
					stop()
				}()
			}
			reply, err := llm.NewClient(cfg).Stream(ctx, ask, func(d llm.Delta) error {
				if c.heard != nil && c.heard(d) {
					stop()
				}
				return nil
			})
			if !errors.Is(err, errStop) || reply.Text != c.text || len(reply.ToolCalls) != 0 {
				t.Errorf("%+v, %v", reply, err)
			}
			select {
			case <-w.Closed():
				if took := time.Since(<-stopped); took > time.Second {
					t.Errorf("the server saw it after %s", took)
				}
			case <-time.After(10 * time.Second):
				t.Error("the server never saw it")
			}
		})
	}
}

// TestStopByTheReceiver ends a request by the receiver's error.
func TestStopByTheReceiver(t *testing.T) {
	for name, bytes := range map[string]string{"text": streamHead + someText, "a retry's announcement": busy} {
		t.Run(name, func(t *testing.T) {
			w := testkit.NewWire(t)
			w.Queue(testkit.WireReply{Bytes: []byte(bytes), End: testkit.WireHang})
			_, err := llm.NewClient(wireConfig(w)).Stream(t.Context(), ask, func(llm.Delta) error { return errStop })
			if !errors.Is(err, errStop) {
				t.Errorf("%v", err)
			}
			<-w.Closed()
		})
	}
}

// TestStopOfOtherRequests stops what has no stream of its own.
func TestStopOfOtherRequests(t *testing.T) {
	for name, request := range map[string]func(context.Context, *llm.Client) error{
		"embedding": func(ctx context.Context, c *llm.Client) error {
			_, err := c.Embed(ctx, []string{"x"})
			return err
		},
		"completion": func(ctx context.Context, c *llm.Client) error {
			_, err := c.Complete(ctx, ask)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := testkit.NewWire(t)
			w.Queue(testkit.WireReply{End: testkit.WireHang})
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-w.Arrived()
				cancel(errStop)
			}()
			if err := request(ctx, llm.NewClient(wireConfig(w))); !errors.Is(err, errStop) {
				t.Errorf("%v", err)
			}
			<-w.Closed()
		})
	}
}
