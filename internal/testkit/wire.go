package testkit

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Wire is a server that answers HTTP requests with bytes as they are, one
// request a connection: what no HTTP library would send, and connections that
// end anywhere. Model is the one for replies that are well formed.
type Wire struct {
	URL string // the base URL, up to and with /v1

	listener net.Listener
	work     sync.WaitGroup
	arrived  chan ModelRequest
	closed   chan struct{}

	mu       sync.Mutex
	conns    map[net.Conn]bool
	replies  []WireReply
	requests []ModelRequest
	starved  int // requests that found no reply
}

// WireReply is what one request gets.
type WireReply struct {
	Bytes []byte // status line, headers and body, with its framing
	Piece int    // bytes a write; 0: all at once
	End   WireEnd
}

// WireEnd is what becomes of a connection after the last byte of a reply.
type WireEnd int

// The ends.
const (
	WireClose WireEnd = iota // closed in order, as after a reply without a length
	WireReset                // broken
	WireHang                 // kept open and silent until the client goes away
)

// NewWire starts a server for the test. A request that finds no reply fails the
// test; what isn't a request, such as the beginning of a TLS handshake, is met
// with silence.
func NewWire(t testing.TB) *Wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{
		URL: "http://" + listener.Addr().String() + "/v1", listener: listener, conns: map[net.Conn]bool{},
		arrived: make(chan ModelRequest, 1024), closed: make(chan struct{}, 1024),
	}
	w.work.Go(w.accept)
	t.Cleanup(func() {
		w.close()
		if w.starved > 0 {
			t.Errorf("the server had no reply for %d requests", w.starved)
		}
	})
	return w
}

// Queue adds replies; each request takes the next.
func (w *Wire) Queue(replies ...WireReply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replies = append(w.replies, replies...)
}

// Requests are all requests so far, oldest first.
func (w *Wire) Requests() []ModelRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]ModelRequest(nil), w.requests...)
}

// Arrived gives each request when it has arrived.
func (w *Wire) Arrived() <-chan ModelRequest { return w.arrived }

// Closed gives a value for each connection that the client closed while the
// server held it open.
func (w *Wire) Closed() <-chan struct{} { return w.closed }

func (w *Wire) close() {
	w.listener.Close()
	w.mu.Lock()
	for conn := range w.conns {
		conn.Close()
	}
	w.mu.Unlock()
	w.work.Wait()
}

func (w *Wire) accept() {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		w.mu.Lock()
		w.conns[conn] = true
		w.mu.Unlock()
		w.work.Go(func() { w.serve(conn) })
	}
}

func (w *Wire) serve(conn net.Conn) {
	defer func() {
		conn.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.conns, conn)
	}()
	in := bufio.NewReader(conn)
	reply, ok := w.read(in)
	if !ok {
		return
	}
	if reply.write(conn) != nil {
		w.gone()
		return
	}
	switch reply.End {
	case WireReset:
		conn.(*net.TCPConn).SetLinger(0)
	case WireHang:
		io.Copy(io.Discard, in)
		w.gone()
	}
}

// read reads a request and gives its reply. What isn't one arrives empty.
func (w *Wire) read(in *bufio.Reader) (reply WireReply, ok bool) {
	var req ModelRequest
	first, err := in.Peek(1)
	if err != nil {
		return reply, false
	}
	reply.End = WireHang
	if 'A' <= first[0] && first[0] <= 'Z' {
		r, err := http.ReadRequest(in)
		if err != nil {
			return reply, false
		}
		if req, err = readRequest(r); err != nil {
			return reply, false
		}
		reply = w.take(req)
	}
	select {
	case w.arrived <- req:
	default: // nobody reads
	}
	return reply, true
}

// take notes a request and gives its reply.
func (w *Wire) take(req ModelRequest) (reply WireReply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, req)
	if len(w.replies) == 0 {
		w.starved++
		return reply
	}
	reply, w.replies = w.replies[0], w.replies[1:]
	return reply
}

func (w *Wire) gone() {
	select {
	case w.closed <- struct{}{}:
	default: // nobody reads
	}
}

func (r WireReply) write(to io.Writer) error {
	for rest := r.Bytes; len(rest) > 0; {
		n := len(rest)
		if r.Piece > 0 {
			n = min(n, r.Piece)
		}
		if _, err := to.Write(rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}
