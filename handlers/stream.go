package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/chat"
	"bor/internal/fault"
	"bor/internal/turnview"
)

const (
	tick       = 50 * time.Millisecond // at most so often a stream sends text (DEC1)
	keepAlive  = 15 * time.Second
	aliveEvery = 3 * time.Second // how soon a logout cuts open streams: within 5 s, its own 2 s included (SEC4)
	maxStreams = 16              // open streams of one session
)

// streamTurn sends a turn as it happens. It begins with the bubble as it is,
// when the page has less than that, and goes on with what comes; the final state
// is followed by the named event done, again for whoever connects later (DEC6).
func (s *Server) streamTurn(c echo.Context) error {
	id, err := number(c, "turn")
	if err != nil {
		return err
	}
	who := s.visitor(c)
	if !s.streams.enter(who.Session) {
		return fault.New(fault.Limited, "Too many answers are open at once in this browser. Close some of the tabs and reload.")
	}
	defer s.streams.leave(who.Session)
	defer s.Metrics.StreamOpened("page")()
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	defer context.AfterFunc(s.closing, cancel)()
	turn, err := s.Chat.Turn(ctx, who, id)
	if err != nil {
		return err
	}
	follower, err := s.Chat.Follow(ctx, who, id)
	if err != nil {
		return err
	}
	defer follower.Close()

	out := beginStream(c)
	turn.Record, turn.State = follower.Record, follower.Record.State
	live := turnview.NewLive(turn, s.look())
	defer live.Close()
	switch {
	case live.Ended():
		out.message(follower.Seq, live.Snapshot())
		out.event(follower.Seq, "done")
		return nil
	case lastSeen(c) != follower.Seq:
		out.message(follower.Seq, live.Snapshot())
	default:
		out.comment()
	}
	s.relay(ctx, out, live, follower, s.token(c))
	return nil
}

// lastSeen is the number of the last event that the page has: what it was made
// with, or what the stream has brought since.
func lastSeen(c echo.Context) int64 {
	after, _ := strconv.ParseInt(c.QueryParam("after"), 10, 64)
	header, _ := strconv.ParseInt(c.Request().Header.Get("Last-Event-ID"), 10, 64)
	return max(after, header)
}

// batch is what one read of the follower gave.
type batch struct {
	events []chat.Event
	err    error
}

// relay copies events to the browser until the turn or the stream ends.
func (s *Server) relay(ctx context.Context, out *eventWriter, live *turnview.Live, follower *chat.Follower, token string) {
	ctx, cancel := context.WithCancel(ctx)
	batches := make(chan batch)
	var reading sync.WaitGroup
	defer reading.Wait() // the follower is the caller's again, to close
	defer cancel()
	reading.Go(func() {
		for {
			events, err := follower.Next(ctx)
			select {
			case batches <- batch{events, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	})
	quiet, alive := time.NewTicker(keepAlive), time.NewTicker(aliveEvery)
	defer quiet.Stop()
	defer alive.Stop()
	flush := time.NewTimer(0)
	<-flush.C
	defer flush.Stop()
	var waiting bool // for flush
	var sent time.Time
	seq := follower.Seq
	for out.err == nil {
		select {
		case b := <-batches:
			for _, e := range b.events {
				live.Apply(e)
				seq = e.Seq
			}
			if errors.Is(b.err, io.EOF) {
				out.message(seq, live.Final())
				out.event(seq, "done")
				return
			}
			if b.err != nil {
				return // the browser comes back and asks anew
			}
			switch {
			case live.Ended():
				flush.Stop() // Final says it all, under its own number
			case !waiting:
				waiting = true
				flush.Reset(tick - time.Since(sent))
			}
		case <-flush.C:
			waiting, sent = false, time.Now()
			out.message(seq, live.Flush())
		case <-quiet.C:
			out.comment()
		case <-alive.C:
			if err := s.Sessions.Alive(ctx, token); err != nil && !s.Away(err) {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// eventWriter writes server-sent events, each flushed at once. The first error
// sticks.
type eventWriter struct {
	w       io.Writer
	control *http.ResponseController
	err     error
}

// beginStream sends the head of a stream, which proxies are not to hold back.
func beginStream(c echo.Context) *eventWriter {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	return &eventWriter{w: c.Response(), control: http.NewResponseController(c.Response())}
}

// message sends HTML to swap in, under the number it brings the page to.
func (e *eventWriter) message(seq int64, html []byte) {
	if len(html) == 0 {
		return
	}
	var b bytes.Buffer
	b.WriteString("id: " + strconv.FormatInt(seq, 10) + "\n")
	for line := range bytes.Lines(html) {
		b.WriteString("data: ")
		b.Write(bytes.TrimSuffix(line, []byte("\n")))
		b.WriteByte('\n')
	}
	if html[len(html)-1] == '\n' {
		b.WriteString("data: \n") // the text's own last line end
	}
	b.WriteByte('\n')
	e.write(b.Bytes())
}

// event sends a named event without content.
func (e *eventWriter) event(seq int64, name string) {
	e.write(fmt.Appendf(nil, "id: %d\nevent: %s\ndata: \n\n", seq, name))
}

// comment keeps proxies awake, and shows a closed connection.
func (e *eventWriter) comment() { e.write([]byte(": \n\n")) }

func (e *eventWriter) write(p []byte) {
	if e.err != nil {
		return
	}
	if _, e.err = e.w.Write(p); e.err == nil {
		e.err = e.control.Flush()
	}
}

// streamLimiter bounds the open streams of each session.
type streamLimiter struct {
	mu   sync.Mutex
	open map[string]int
}

func newStreamLimiter() *streamLimiter { return &streamLimiter{open: map[string]int{}} }

func (l *streamLimiter) enter(session string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[session] >= maxStreams {
		return false
	}
	l.open[session]++
	return true
}

func (l *streamLimiter) leave(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[session]--; l.open[session] == 0 {
		delete(l.open, session)
	}
}
