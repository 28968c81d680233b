//go:build faults

package faults

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestManyStreams has five hundred answers written and watched at the same time, at one
// process.
func TestManyStreams(t *testing.T) {
	const streams, each, words = 500, 16, 24
	h, r := newHouse(t, 1), &row{name: "500 streams at once, 1 process"}
	release := h.model.half()
	defer release()
	var open atomic.Int64
	full := make(chan struct{})
	var l ledger
	var people sync.WaitGroup
	var c *client
	for turn := 1; turn <= streams; turn++ {
		if turn%each == 1 { // so many streams a session may have
			c = h.signIn(h.only(0))
		}
		mine := c
		people.Go(func() {
			a := asked{submit: fmt.Sprint("s", turn), turn: turn, words: words}
			if a.acknowledged, a.err = mine.insist(t.Context(), question(turn, words), a.submit); a.err == nil {
				half := strings.TrimSpace(pieces(turn, words)[words/2-1])
				there := sync.OnceFunc(func() {
					if open.Add(1) == streams {
						close(full)
					}
				})
				v := &viewer{client: mine, taken: a.acknowledged, progress: func(text string) {
					if strings.Contains(text, half) {
						there()
					}
				}}
				a.err = v.watch(t.Context())
				if a.err == nil && v.opened > 1 {
					a.err = fmt.Errorf("%w: it took %d connections", errWrong, v.opened)
				}
			}
			l.add(a)
		})
	}
	within(t, fmt.Sprintf("half of %d answers at once", streams), 2*patience, full)
	release()
	people.Wait()
	h.audit(r, &l)
	if r.done != streams {
		t.Errorf("not all of %d answers are whole", streams)
	}
	r.judge(t)
}

// TestSlowReaderIsDropped has one page stop reading in the middle of a long answer:
// it is dropped after 30 s, while the turn and its other reader go on (SEC4).
func TestSlowReaderIsDropped(t *testing.T) {
	t.Parallel()
	const limit, slack = 30 * time.Second, 5 * time.Second
	const words = chunks * 8000 // 9 MB: more than what lies between two programs of one machine
	h, r := newHouse(t, 1), &row{name: "a reader that stops reading"}
	release := h.model.half()
	defer release()
	c := h.signIn(h.only(0))
	a := asked{submit: "slow", turn: 1, words: words}
	a.acknowledged = h.taken(c, question(1, words), a.submit)
	hook, half := shows(fmt.Sprintf("w1x%d ", words/3))
	end := watching(t.Context(), &viewer{client: c, taken: a.acknowledged, progress: hook})
	within(t, "half of the answer", patience, half)
	conn := h.stalled(c, a.acknowledged)
	defer conn.Close()
	release()
	a.err = within(t, "the end of the answer for who reads", 2*patience, end)
	took := elapsed()
	from, to := conn.LocalAddr().(*net.TCPAddr).Port, conn.RemoteAddr().(*net.TCPAddr).Port
	if !established(t, to, from) {
		t.Error("the slow reader was dropped before its time")
	}
	for established(t, to, from) && took() < limit+slack {
		rest(t.Context(), 100*time.Millisecond)
	}
	if established(t, to, from) {
		t.Errorf("it is still connected after %v", took())
	}
	t.Logf("dropped %v after the end of the answer", took())
	h.audit(r, &ledger{rows: []asked{a}})
	r.judge(t)
}

// stalled opens the turn's stream and reads no more of it than its headers.
func (h *house) stalled(c *client, what taken) net.Conn {
	h.t.Helper()
	dialer := net.Dialer{}
	conn, err := dialer.DialContext(context.Background(), "tcp", h.apps[0].address)
	must(h.t, err)
	must(h.t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	address, err := url.Parse(h.apps[0].url())
	must(h.t, err)
	cookies := ""
	for _, k := range c.http.Jar.Cookies(address) {
		cookies += k.Name + "=" + k.Value + "; "
	}
	_, err = fmt.Fprintf(conn, "GET /chat/turns/%d/events HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nAccept: text/event-stream\r\n\r\n", what.turn, h.apps[0].address, cookies)
	must(h.t, err)
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
	must(h.t, err)
	if response.StatusCode != http.StatusOK {
		h.t.Fatalf("the stream gave %d", response.StatusCode)
	}
	return conn
}

// established tells whether the kernel still has a connection from a port of this
// machine to another, seen from its first end.
func established(t *testing.T, from, to int) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/net/tcp")
	must(t, err)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) > 3 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", from)) && strings.HasSuffix(f[2], fmt.Sprintf(":%04X", to)) {
			return f[3] == "01"
		}
	}
	return false
}
