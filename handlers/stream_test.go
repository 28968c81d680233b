package handlers

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestStreamBeginsWithWhatThePageLacksAndEndsWithDone(t *testing.T) {
	s := newSite(t, answerer{"It is **8642**.\n"}, nil)
	c := s.signedIn()
	s.settled(c, s.ask(c, "q", "one"))
	for _, path := range []string{"/chat/turns/1/events", "/chat/turns/1/events?after=1", "/chat/turns/1/events?after=999"} {
		got := s.get(c, path)
		if got.header.Get("Content-Type") != "text/event-stream" || got.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("%s: headers are %v", path, got.header)
		}
		if !strings.Contains(got.body, "<strong>8642</strong>") || !strings.HasSuffix(got.body, "event: done\ndata: \n\n") || !strings.HasPrefix(got.body, "id: ") {
			t.Errorf("%s: the stream is %q", path, got.body)
		}
		numbersRise(t, got.body)
		if strings.ContainsRune(got.body, '\r') {
			t.Errorf("%s: a raw CR would split a line", path)
		}
	}
}

// numbersRise fails unless each message of a stream has a number above the last
// one's; done repeats that of the final state, which it follows.
func numbersRise(t *testing.T, stream string) {
	t.Helper()
	last := int64(-1)
	for message := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		if strings.HasPrefix(message, ":") {
			continue
		}
		var seq int64
		if _, err := fmt.Sscanf(message, "id: %d\n", &seq); err != nil {
			t.Errorf("a message without its number: %q", message)
		}
		if done := strings.Contains(message, "\nevent: done"); done && seq != last || !done && seq <= last {
			t.Errorf("number %d after %d: %q", seq, last, message)
		}
		last = seq
	}
}

// events opens the stream of the first turn.
func (s *site) events(c *http.Client, query string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", s.url+"/chat/turns/1/events"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := c.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return response
}

func TestNumbersOfALiveStreamRise(t *testing.T) {
	s := newSite(t, answerer{""}, nil)
	c := s.signedIn()
	s.ask(c, "q", "one")
	response := s.events(c, "?after=0")
	defer response.Body.Close()
	s.post(c, "/chat/turns/1/stop", nil)
	body, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(body), "event: done") {
		t.Errorf("the stream ended with %v: %q", err, body)
	}
	numbersRise(t, string(body))
}

func TestLogoutCutsOpenStreams(t *testing.T) {
	s := newSite(t, answerer{""}, nil)
	c := s.signedIn()
	s.ask(c, "q", "one")
	response := s.events(c, "")
	defer response.Body.Close()
	s.post(c, "/logout", nil)
	began := time.Now()
	body, err := io.ReadAll(response.Body) // ends only when the server cuts it
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the stream went on for %v", took)
	}
	if err != nil || strings.Contains(string(body), "event: done") {
		t.Errorf("the stream ended with %v: %q", err, body)
	}
}

func TestStreamsOfASessionAreBounded(t *testing.T) {
	l := newStreamLimiter()
	for range maxStreams {
		if !l.enter("a") {
			t.Fatal("refused too early")
		}
	}
	if l.enter("a") || !l.enter("b") {
		t.Error("the limit isn't per session")
	}
	l.leave("a")
	if !l.enter("a") {
		t.Error("a closed stream still counts")
	}
	for range maxStreams {
		l.leave("a")
	}
	l.leave("b")
	if len(l.open) != 0 {
		t.Errorf("the limiter remembers %v", l.open)
	}
}
