package llm_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bor/internal/llm"
	"bor/internal/testkit"
)

// replies are the committed cases; their README says what each is for.
const replies = "testdata/replies"

// What must be in no message: the key, and what the base URL holds beside the
// address.
const (
	wireKey      = "sk-secret"
	wireUser     = "wire-user"
	wirePassword = "wire-pass"
)

// wireConfig is a configuration for a Wire. It has a password in its base URL,
// as servers behind a proxy have.
func wireConfig(w *testkit.Wire) llm.Config {
	return llm.Config{
		BaseURL: strings.Replace(w.URL, "http://", "http://"+wireUser+":"+wirePassword+"@", 1), APIKey: wireKey, ChatModel: "turbo",
		MaxTokens: 32768, Retries: 3, RetryDelay: time.Millisecond,
		ConnectTimeout: 10 * time.Second, FirstByte: 5 * time.Minute, Idle: 2 * time.Minute, StreamThinking: true,
	}
}

// outcome is all that came of a request.
type outcome struct {
	heard
	reply llm.Reply
	err   error
}

// errEnough ends a case whose wait for a retry is all that matters.
var errEnough = errors.New("enough")

// play asks a client and collects. With atRetry a retry ends the request.
func play(t *testing.T, c *llm.Client, atRetry bool) *outcome {
	t.Helper()
	o := &outcome{}
	o.reply, o.err = c.Stream(t.Context(), ask, func(d llm.Delta) error {
		if err := o.take(d); err != nil {
			return err
		}
		if d.Retry != nil && atRetry {
			return errEnough
		}
		return nil
	})
	return o
}

// queue gives a server a case's replies; the last one as often as it is asked
// for.
func queue(w *testkit.Wire, c testkit.WireCase, change func(testkit.WireReply) testkit.WireReply) {
	for i := range max(len(c.Replies), wanted(c, "requests", len(c.Replies))) {
		w.Queue(change(c.Replies[min(i, len(c.Replies)-1)]))
	}
}

// wanted is a number that a case expects, or else.
func wanted(c testkit.WireCase, name string, otherwise int) int {
	if values := c.Want[name]; len(values) == 1 {
		n, err := strconv.Atoi(values[0])
		if err != nil {
			panic(err)
		}
		return n
	}
	return otherwise
}

func TestReplies(t *testing.T) {
	for _, c := range testkit.WireCases(t, replies) {
		for _, way := range []struct {
			name  string
			piece int
		}{{"whole", 0}, {"byte by byte", 1}, {"in sevens", 7}} {
			t.Run(c.Name+"/"+way.name, func(t *testing.T) {
				t.Parallel()
				w := testkit.NewWire(t)
				queue(w, c, func(r testkit.WireReply) testkit.WireReply {
					r.Piece = way.piece
					return r
				})
				cfg := wireConfig(w)
				if patience := c.Want["patience"]; patience != nil {
					d, err := time.ParseDuration(patience[0])
					if err != nil {
						t.Fatal(err)
					}
					if c.Want["text"] == nil {
						cfg.FirstByte = d
					} else {
						cfg.Idle = d
					}
				}
				judge(t, c, w, play(t, llm.NewClient(cfg), c.Want["wait"] != nil))
			})
		}
	}
}

// judge compares an outcome with what its case expects. What a case doesn't
// name isn't there.
func judge(t *testing.T, c testkit.WireCase, w *testkit.Wire, o *outcome) {
	t.Helper()
	noSecrets(t, o)
	var got, want []string
	add := func(name, value string) {
		switch {
		case c.Want[name] != nil:
			got, want = append(got, name+": "+value), append(want, name+": "+strings.Join(c.Want[name], "\n"))
		case value != "" && name != "finish":
			got = append(got, name+": "+value)
		}
	}
	if c.Want["chars"] != nil {
		add("chars", strconv.Itoa(len(o.reply.Text)))
	} else {
		add("text", o.reply.Text)
	}
	add("thinking", o.reply.Thinking)
	add("retracted", o.retracted)
	var calls []string
	for _, call := range o.reply.ToolCalls {
		calls = append(calls, call.ID+" "+call.Name+" "+call.Arguments)
	}
	add("call", strings.Join(calls, "\n"))
	if c.Want["public"] == nil && c.Want["wait"] == nil {
		add("finish", o.reply.Finish)
	}
	if c.Want["usage"] != nil {
		add("usage", fmt.Sprint(o.reply.Usage.Prompt, o.reply.Usage.Completion))
	}
	if c.Want["wait"] != nil {
		if len(o.retries) != 1 || !errors.Is(o.err, errEnough) {
			t.Fatalf("%d retries, %v", len(o.retries), o.err)
		}
		add("wait", o.retries[0].Wait.String())
		o.err = nil
	} else {
		want = append(want, fmt.Sprint("retries: ", wanted(c, "retries", 0)), fmt.Sprint("requests: ", wanted(c, "requests", 1)), fmt.Sprint("stripped: ", wanted(c, "stripped", 0)))
		got = append(got, fmt.Sprint("retries: ", len(o.retries)), fmt.Sprint("requests: ", len(w.Requests())), fmt.Sprint("stripped: ", o.reply.Stripped))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q\n%v", got, want, o.err)
	}
	if public := c.Want["public"]; public != nil {
		wantPublic(t, o.err, wanted(c, "status", -1), public...)
	} else if o.err != nil {
		t.Error(o.err)
	}
	if o.text != o.reply.Text || o.thinking != o.reply.Thinking {
		t.Errorf("emitted %q and %q, the reply holds %q and %q", o.text, o.thinking, o.reply.Text, o.reply.Thinking)
	}
}

// noSecrets looks through everything that may reach a person, a log or a
// client.
func noSecrets(t *testing.T, o *outcome) {
	t.Helper()
	said := fmt.Sprintf("%v %+v %#v", o.err, o.err, o.retries)
	for err := o.err; err != nil; err = errors.Unwrap(err) {
		said += fmt.Sprintf(" %v %+v %#v", err, err, err)
	}
	for _, secret := range []string{wireKey, wireUser, wirePassword, "d2lyZS11c2VyOndpcmUtcGFzcw"} {
		if strings.Contains(said, secret) {
			t.Errorf("%q is in: %s", secret, said)
		}
	}
}

// everyByte are the replies that are cut after each of their bytes; the others
// are cut here and there.
var everyByte = []string{
	"call-in-pieces", "call-with-text", "emoji-cut-2", "end-finish-without-done", "end-no-signal", "form-cr", "form-multi-line",
	"json-body", "json-body-pretty", "scaffold-tokens", "think-lone-closer", "think-reasoning-content", "think-tags", "usage-without-choices",
}

// TestDeathAtEveryByte cuts replies that give an answer: what comes of it is the
// beginning of the right text, and never passes for all of it.
func TestDeathAtEveryByte(t *testing.T) {
	for _, c := range testkit.WireCases(t, replies) {
		if len(c.Replies) > 1 || c.Want["public"] != nil || c.Want["wait"] != nil || c.Want["chars"] != nil {
			continue
		}
		step := 37 // no divisor of anything here
		if slices.Contains(everyByte, c.Name) {
			step = 1
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			w := testkit.NewWire(t)
			cfg := wireConfig(w)
			cfg.Retries = 0
			whole := c.Replies[0]
			w.Queue(whole)
			full := play(t, llm.NewClient(cfg), false)
			for n := 0; n < len(whole.Bytes); n += step {
				w.Queue(testkit.WireReply{Bytes: whole.Bytes[:n], End: testkit.WireEnd(n % 2)})
				o := play(t, llm.NewClient(cfg), false)
				noSecrets(t, o)
				if why := wrong(o, full); why != "" {
					t.Fatalf("cut after %q: %s: %+v, %v", whole.Bytes[:n], why, o.reply, o.err)
				}
			}
		})
	}
}

// wrong says what is wrong with the outcome of a reply that was cut.
func wrong(cut, full *outcome) string {
	complete := cut.reply.Text == full.reply.Text && slices.Equal(cut.reply.ToolCalls, full.reply.ToolCalls)
	switch {
	case cut.err == nil && cut.reply.Finish != "" && !complete:
		return "passes for complete"
	case cut.err == nil && len(cut.reply.ToolCalls) > 0 && !slices.Equal(cut.reply.ToolCalls, full.reply.ToolCalls[:len(cut.reply.ToolCalls)]):
		return "another call"
	case !strings.HasPrefix(full.reply.Text, cut.reply.Text) && !strings.HasPrefix(full.retracted, cut.reply.Text):
		return "wrong text"
	case !strings.HasPrefix(full.reply.Thinking, cut.reply.Thinking):
		return "wrong thinking"
	case cut.text != cut.reply.Text || cut.thinking != cut.reply.Thinking:
		return "what was heard isn't what the reply holds"
	case cut.err != nil && !strings.Contains(cut.err.Error(), "closed the connection before its reply was complete") &&
		!strings.Contains(cut.err.Error(), "ended its reply before it had said anything"):
		return "another message"
	}
	return ""
}

// TestEveryReplyIsInTheTable keeps the table of REL1's phrases and the files
// together.
func TestEveryReplyIsInTheTable(t *testing.T) {
	table, err := os.ReadFile(replies + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		_, cases, _ := strings.Cut(strings.TrimPrefix(line, "|"), " | ")
		for i, name := range strings.Split(cases, "`") {
			if i%2 == 1 && !strings.HasPrefix(name, "Test") {
				named[name] = true
			}
		}
	}
	for _, c := range testkit.WireCases(t, replies) {
		if !named[c.Name] {
			t.Errorf("%s isn't in the table", c.Name)
		}
		delete(named, c.Name)
	}
	for name := range named {
		t.Errorf("the table names %s, which isn't there", name)
	}
}
