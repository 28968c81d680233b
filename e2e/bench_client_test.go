//go:build bench

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// client is a signed-in browser without its screen: it asks and reads streams.
type client struct {
	t    *testing.T
	base string
	http *http.Client
}

// newClient signs in. The address sets clients apart for the limit on logins; the
// product must trust this machine as a proxy.
func newClient(t *testing.T, base string, n int) *client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	c := &client{t: t, base: base, http: &http.Client{Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: 32},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	response := c.send(http.MethodPost, "/login", url.Values{"password": {password}}, http.Header{"X-Forwarded-For": {fmt.Sprintf("10.1.%d.%d", n/250, n%250)}})
	response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		t.Fatalf("logging in: %s", response.Status)
	}
	return c
}

func (c *client) send(method, path string, form url.Values, header http.Header) *http.Response {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(form.Encode()))
	must(c.t, err)
	for name, values := range header {
		request.Header[name] = values
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := c.http.Do(request)
	must(c.t, err)
	return response
}

var eventsPath = regexp.MustCompile(`hx-sse:connect="([^"]+)"`)

// ask sends a question in a new conversation and opens its stream.
func (c *client) ask(question string) *events {
	c.t.Helper()
	response := c.send(http.MethodPost, "/chat", url.Values{"message": {question}, "submit_id": {strconv.FormatInt(time.Now().UnixNano(), 36)}},
		http.Header{"Hx-Request": {"true"}, "Hx-Request-Type": {"partial"}})
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	must(c.t, err)
	found := eventsPath.FindSubmatch(body)
	if found == nil {
		c.t.Fatalf("no stream in the answer to a question: %s\n%s", response.Status, body)
	}
	response = c.send(http.MethodGet, strings.ReplaceAll(string(found[1]), "&amp;", "&"), nil, http.Header{"Accept": {"text/event-stream"}})
	if response.StatusCode != http.StatusOK {
		c.t.Fatalf("opening a stream: %s", response.Status)
	}
	return newEvents(response.Body)
}

// events reads server-sent events.
type events struct {
	body  io.ReadCloser
	lines *bufio.Reader
	bytes int // read so far, framing included
}

func newEvents(body io.ReadCloser) *events {
	return &events{body: body, lines: bufio.NewReaderSize(body, 4<<10)}
}

// message is one event with the moment when its last byte was read.
type message struct {
	name, data string
	at         time.Time
}

// next is the next event; comments are passed over.
func (e *events) next() (message, error) {
	var m message
	var data []string
	for {
		line, err := e.lines.ReadString('\n')
		e.bytes += len(line)
		if err != nil {
			return m, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "data: "):
			data = append(data, line[len("data: "):])
		case strings.HasPrefix(line, "event: "):
			m.name = line[len("event: "):]
		case line == "" && (data != nil || m.name != ""):
			m.data, m.at = strings.Join(data, "\n"), time.Now()
			return m, nil
		}
	}
}

// process figures of a running program, from /proc (proc(5)).

// cpuTime is what a process has used, in its own and the kernel's code.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(t, err)
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
	user, err := strconv.Atoi(fields[11])
	must(t, err)
	kernel, err := strconv.Atoi(fields[12])
	must(t, err)
	const hertz = 100 // USER_HZ on every Linux that Go runs on
	return time.Duration(user+kernel) * time.Second / hertz
}

var memoryLine = regexp.MustCompile(`(?m)^(VmRSS|VmHWM):\s+(\d+) kB`)

// memory is a process's resident memory now and at its highest, in bytes.
func memory(t *testing.T, pid int) (now, highest int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	for _, m := range memoryLine.FindAllStringSubmatch(string(status), -1) {
		kb, err := strconv.Atoi(m[2])
		must(t, err)
		if m[1] == "VmRSS" {
			now = kb << 10
		} else {
			highest = kb << 10
		}
	}
	return now, highest
}
