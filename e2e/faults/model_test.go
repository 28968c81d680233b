//go:build faults

package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bor/internal/testkit"
)

// model is a model server that can be killed and started again at its address. What
// it answers follows from the question: see question and answer.
type model struct {
	base    *testkit.Model
	address string
	pace    time.Duration // for a piece
	mu      sync.Mutex
	server  *http.Server
	hold    func(turn, piece, pieces int) <-chan struct{} // what a piece waits for; nil: nothing
}

func newModel(t *testing.T) *model {
	t.Helper()
	base, err := testkit.StartModel()
	must(t, err)
	t.Cleanup(base.Close)
	m := &model{base: base, address: "127.0.0.1:0", pace: 15 * time.Millisecond}
	m.start(t)
	t.Cleanup(m.kill)
	return m
}

func (m *model) baseURL() string { return "http://" + m.address + "/v1" }

// start listens where it did before, if it did.
func (m *model) start(t *testing.T) {
	t.Helper()
	var listener net.Listener
	must(t, again(t.Context(), func() (err error) { listener, err = net.Listen("tcp", m.address); return err }))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.address = listener.Addr().String()
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	go m.server.Serve(listener)
}

// kill ends every connection, as the end of its process would.
func (m *model) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.server.Close()
}

// question asks for an answer of so many words.
func question(turn, words int) string {
	return fmt.Sprintf("Which port does gufo listen on? (turn %d, words %d)", turn, words)
}

// answer is what the model says to it. Each word occurs once.
func answer(turn, words int) string { return strings.Join(pieces(turn, words), "") }

// chunks is in how many pieces a long answer comes; others come word for word.
const chunks = 96

func pieces(turn, words int) []string {
	all := make([]string, words)
	for i := range all {
		end := " "
		switch {
		case i == words-1:
			end = ".\n"
		case i%12 == 11 && words > chunks:
			end = "\n"
		case i%12 == 11:
			end = "\n\n"
		}
		all[i] = fmt.Sprintf("w%dx%d%s", turn, i, end)
	}
	if words <= chunks {
		return all
	}
	long := make([]string, 0, chunks)
	for part := range slices.Chunk(all, words/chunks) {
		long = append(long, strings.Join(part, ""))
	}
	long[0] = "```\n" + long[0] // one block: it isn't blocks that take so long to read
	long[len(long)-1] += "```\n"
	return long
}

var asks = regexp.MustCompile(`\(turn (\d+), words (\d+)\)`)

// ServeHTTP answers questions of the suite word for word; every third turn reads a
// document first. All else is the base's.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var request struct {
		Messages []struct{ Role, Content string }
		Tools    []json.RawMessage
	}
	if json.Unmarshal(body, &request) != nil || len(request.Messages) == 0 {
		m.base.ServeHTTP(w, r)
		return
	}
	asked, read := []string(nil), false
	for _, message := range request.Messages {
		if found := asks.FindStringSubmatch(message.Content); found != nil && message.Role == "user" {
			asked, read = found, false
		}
		read = read || message.Role == "tool"
	}
	if asked == nil {
		m.base.ServeHTTP(w, r)
		return
	}
	turn, _ := strconv.Atoi(asked[1])
	words, _ := strconv.Atoi(asked[2])
	w.Header().Set("Content-Type", "text/event-stream")
	if turn%3 == 0 && len(request.Tools) > 0 && !read {
		io.WriteString(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"homelab/disk.md\"}"}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
		return
	}
	m.say(w, r, turn, pieces(turn, words))
}

// say streams an answer, holding it before its second half where that is asked for.
func (m *model) say(w http.ResponseWriter, r *http.Request, turn int, all []string) {
	control := http.NewResponseController(w)
	beat := time.NewTicker(m.pace)
	defer beat.Stop()
	for i, piece := range all {
		gate := (<-chan struct{})(nil)
		if m.hold != nil {
			gate = m.hold(turn, i, len(all))
		}
		if gate != nil {
			select {
			case <-gate:
			case <-r.Context().Done():
				return
			}
		}
		select {
		case <-beat.C:
		case <-r.Context().Done():
			return
		}
		text, _ := json.Marshal(piece)
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\n", text)
		if control.Flush() != nil {
			return
		}
	}
	io.WriteString(w, `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}
