package chat

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"bor/internal/agent"
	"bor/internal/agent/tools"
	"bor/internal/kb"
	"bor/internal/llm"
	"bor/internal/markdown"
	"bor/internal/testkit"
)

// soon is how quickly a Stop must have ended the turn and closed the model's socket.
const soon = time.Second

// phase is a moment of a turn at which it is stopped: enter starts one with the
// model doing what brings it there, and returns when it is there. gone gives once
// the model's server sees its socket closed; nil where no socket is open.
type phase struct {
	enter func(t *testing.T, h *house, start func() int64, follow func(turn int64) *Follower) (turn int64, gone <-chan struct{})
	text  string // that stays
}

var phases = map[string]phase{
	"embedding the question": {enter: func(t *testing.T, h *house, start func() int64, _ func(int64) *Follower) (int64, <-chan struct{}) {
		arrived, gone := make(chan struct{}), make(chan struct{}, 1)
		h.model.Handle("/v1/embeddings", func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
			gone <- struct{}{}
		})
		turn := start()
		<-arrived
		return turn, gone
	}},
	"connecting": {enter: func(t *testing.T, h *house, start func() int64, _ func(int64) *Follower) (int64, <-chan struct{}) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		connected, gone := make(chan struct{}), make(chan struct{}, 1)
		go func() { // a server that never answers the TLS handshake
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			close(connected)
			io.Copy(io.Discard, conn)
			gone <- struct{}{}
		}()
		client := llm.NewClient(llm.Config{BaseURL: "https://" + listener.Addr().String() + "/v1", ChatModel: "turbo"})
		h.pipe.Agent = agent.New(client, tools.New(kb.NewStore(h.db.Pool), markdown.Lang))
		turn := start()
		<-connected
		return turn, gone
	}},
	"before the headers": {enter: func(t *testing.T, h *house, start func() int64, _ func(int64) *Follower) (int64, <-chan struct{}) {
		arrived, gone := make(chan struct{}), make(chan struct{}, 1)
		h.model.Handle("/v1/chat/completions", func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
			gone <- struct{}{}
		})
		turn := start()
		<-arrived
		return turn, gone
	}},
	"before the first token": {enter: func(t *testing.T, h *house, start func() int64, _ func(int64) *Follower) (int64, <-chan struct{}) {
		h.model.Queue(testkit.Step{}.With(testkit.Gate(make(chan struct{}))))
		turn := start()
		h.chatArrived()
		return turn, h.socketClosed()
	}},
	"mid-text": {text: "It listens on ", enter: func(t *testing.T, h *house, start func() int64, follow func(int64) *Follower) (int64, <-chan struct{}) {
		h.model.Queue(testkit.Say("It listens on ").With(testkit.Gate(make(chan struct{})), testkit.Part{Text: "8642."}))
		turn := start()
		await(t, follow(turn), KindDelta)
		return turn, h.socketClosed()
	}},
	"mid-tool": {enter: func(t *testing.T, h *house, start func() int64, _ func(int64) *Follower) (int64, <-chan struct{}) {
		g := make(chan struct{})
		step := testkit.Call("ls", "{}")
		step.Parts = append([]testkit.Part{testkit.Gate(g)}, step.Parts...)
		h.model.Queue(step)
		turn := start()
		h.chatArrived()
		tx, err := h.db.Pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tx.Rollback(t.Context()) })
		if _, err := tx.Exec(t.Context(), "LOCK TABLE sources, documents IN ACCESS EXCLUSIVE MODE"); err != nil {
			t.Fatal(err)
		}
		close(g)
		for waiting := 0; waiting == 0; { // until the tool waits for our lock
			if err := tx.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
				WHERE NOT granted AND datname = current_database()`).Scan(&waiting); err != nil {
				t.Fatal(err)
			}
		}
		return turn, nil
	}},
	"during a retry's wait": {enter: func(t *testing.T, h *house, start func() int64, follow func(int64) *Follower) (int64, <-chan struct{}) {
		busy := testkit.Fail(http.StatusServiceUnavailable, `{"error":{"message":"loading"}}`)
		busy.Header = http.Header{"Retry-After": {"20"}}
		h.model.Queue(busy)
		turn := start()
		await(t, follow(turn), KindRetry)
		return turn, nil
	}},
}

// TestStopInEveryPhase stops a turn at the process that runs it and at another: it
// ends at once, the model's server sees that, and no further request comes (CH2, REL1).
func TestStopInEveryPhase(t *testing.T) {
	for name, p := range phases {
		for _, where := range []string{"here", "at another process"} {
			t.Run(strings.ReplaceAll(name+" "+where, "'", ""), func(t *testing.T) {
				h := newHouse(t)
				here, there := serve(t, h.db, "p1", h.pipe, Limits{}), serve(t, h.db, "p2", newScript(), Limits{})
				stopper := here
				if where != "here" {
					stopper = there
				}
				follow := func(turn int64) *Follower {
					f, err := here.Follow(t.Context(), reese, turn)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(f.Close)
					return f
				}
				turn, gone := p.enter(t, h, func() int64 { return start(t, here, 0, "a", "Which port does gufo listen on?").ID }, follow)
				reader := follow(turn)
				chats := len(h.model.Chats())
				began := time.Now()
				if err := stopper.Stop(t.Context(), reese, turn); err != nil {
					t.Fatal(err)
				}
				if gone != nil {
					select {
					case <-gone:
					case <-time.After(soon - time.Since(began)):
						t.Errorf("the model's socket is still open after %v", soon)
					}
				}
				rec, _ := drainInto(t, reader)
				if took := time.Since(began); took > soon {
					t.Errorf("the turn ended after %v", took)
				}
				if rec.State != Stopped || rec.Text != p.text || rec.Error != "" || rec.Retry != nil {
					t.Errorf("the record is %+v", rec)
				}
				if n := len(h.model.Chats()); n != chats {
					t.Errorf("%d requests came after the stop", n-chats)
				}
			})
		}
	}
}

// await reads until an event of the kind has come.
func await(t *testing.T, f *Follower, kind Kind) {
	t.Helper()
	if kind == KindDelta && f.Record.Text != "" || kind == KindRetry && f.Record.Retry != nil {
		return
	}
	for {
		events, err := f.Next(t.Context())
		if errors.Is(err, io.EOF) {
			t.Fatalf("the turn ended without a %s", kind)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Kind == kind {
				return
			}
		}
	}
}

// chatArrived waits for the model's next chat request.
func (h *house) chatArrived() {
	for r := range h.model.Arrived() {
		if strings.HasSuffix(r.Path, "/chat/completions") && r.Model != h.model.Lite {
			return
		}
	}
}

// socketClosed gives when the model's server has seen its client leave.
func (h *house) socketClosed() <-chan struct{} {
	gone := make(chan struct{}, 1)
	go func() {
		<-h.model.Closed()
		gone <- struct{}{}
	}()
	return gone
}
