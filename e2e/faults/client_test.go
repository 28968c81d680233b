//go:build faults

package faults

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// patience is how long a turn may take, with all that happens to it.
const patience = 60 * time.Second

// client is one browser session, which takes any of the product's addresses.
type client struct {
	http    *http.Client
	address func() string // http://host:port, perhaps another each time
}

// signIn makes a session. transport nil is a plain one.
func signIn(ctx context.Context, transport http.RoundTripper, address func() string) (*client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	if transport == nil {
		transport = &http.Transport{MaxIdleConnsPerHost: 32}
	}
	c := &client{&http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, address}
	status, _, _, err := c.post(ctx, "/login", url.Values{"password": {password}})
	if err == nil && status != http.StatusSeeOther {
		err = fmt.Errorf("signing in gave %d", status)
	}
	return c, err
}

func (c *client) post(ctx context.Context, path string, form url.Values) (int, http.Header, string, error) {
	r, err := http.NewRequestWithContext(ctx, "POST", c.address()+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("HX-Request", "true")
	r.Header.Set("HX-Request-Type", "partial")
	return c.do(r)
}

func (c *client) get(ctx context.Context, path string) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", c.address()+path, nil)
	if err != nil {
		return 0, "", err
	}
	status, _, body, err := c.do(r)
	return status, body, err
}

func (c *client) do(r *http.Request) (int, http.Header, string, error) {
	response, err := c.http.Do(r)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(body), err
}

var (
	turnID         = regexp.MustCompile(`id="t(\d+)"`)
	conversationID = regexp.MustCompile(`/c/(\d+)`)
)

// taken is a question that the product has acknowledged.
type taken struct{ turn, conversation int64 }

// ask sends a question as a form does, once.
func (c *client) ask(ctx context.Context, question, submit string) (taken, int, error) {
	status, header, body, err := c.post(ctx, "/chat", url.Values{"message": {question}, "submit_id": {submit}})
	if err != nil || status != http.StatusOK {
		return taken{}, status, err
	}
	turn, conversation := turnID.FindStringSubmatch(body), conversationID.FindStringSubmatch(header.Get("HX-Push-Url"))
	if turn == nil || conversation == nil {
		return taken{}, status, fmt.Errorf("a taken question's answer names no turn: %.200s", body)
	}
	t, _ := strconv.ParseInt(turn[1], 10, 64)
	k, _ := strconv.ParseInt(conversation[1], 10, 64)
	return taken{t, k}, status, nil
}

// insist sends a question again, with the same submit id, until it is taken.
func (c *client) insist(ctx context.Context, question, submit string) (got taken, err error) {
	return got, again(ctx, func() error {
		var status int
		if got, status, err = c.ask(ctx, question, submit); err == nil && got.turn == 0 {
			err = fmt.Errorf("asking gave %d", status)
		}
		return err
	})
}

// viewer is one open page with one turn.
type viewer struct {
	*client
	taken
	page     *page
	last     int64 // the number that it would come back with
	opened   int   // connections so far
	packed   bool  // the last of them was compressed
	progress func(text string)
	done     bool
}

// errWrong says that a page shows something that isn't so.
var errWrong = errors.New("wrong page")

// watch follows the turn to its end, coming back whenever the stream is cut, and
// compares the page with what a new one shows.
func (v *viewer) watch(ctx context.Context) error {
	if err := again(ctx, func() error { return v.follow(ctx) }); err != nil {
		return err
	}
	fresh := ""
	if err := again(ctx, func() error {
		p, err := v.load(ctx)
		if err == nil {
			fresh = p.bubble(v.turn)
		}
		return err
	}); err != nil {
		return err
	}
	if got := v.page.bubble(v.turn); got != fresh {
		return fmt.Errorf("%w: turn %d after %d connections is\n%s\nand anew\n%s", errWrong, v.turn, v.opened, got, fresh)
	}
	return nil
}

func (v *viewer) load(ctx context.Context) (*page, error) {
	status, body, err := v.get(ctx, fmt.Sprintf("/c/%d", v.conversation))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the page gave %d", status)
	}
	if err != nil {
		return nil, err
	}
	p, err := parsePage(body)
	if err == nil && p.bubble(v.turn) == "" {
		err = fmt.Errorf("%w: turn %d isn't in its conversation", errWrong, v.turn)
	}
	return p, err
}

// follow is one connection; nil at the turn's end.
func (v *viewer) follow(ctx context.Context) error {
	if v.page == nil {
		p, err := v.load(ctx)
		if err != nil {
			return err
		}
		v.page = p
		v.shown()
	}
	events := v.page.events()
	if v.done || events == "" {
		return nil
	}
	r, err := http.NewRequestWithContext(ctx, "GET", v.address()+events, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/event-stream")
	if v.last > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatInt(v.last, 10))
	}
	response, err := v.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the stream gave %d", response.StatusCode)
	}
	v.opened++
	v.packed = response.Uncompressed
	return v.read(response.Body)
}

// read takes a stream's messages until it ends.
func (v *viewer) read(stream io.Reader) error {
	in := bufio.NewReaderSize(stream, 64<<10)
	before, first := int64(0), true
	for {
		m, err := readMessage(in)
		if err != nil {
			return err
		}
		if m.id == "" {
			continue // a comment
		}
		id, err := strconv.ParseInt(m.id, 10, 64)
		done := m.event == "done"
		if err != nil || !first && !done && id <= before || done && !first && id != before {
			return fmt.Errorf("%w: number %q after %d", errWrong, m.id, before)
		}
		before, first, v.last = id, false, id
		if done {
			v.done = true
			return nil
		}
		if err := v.page.apply(m.data); err != nil {
			return fmt.Errorf("%w: turn %d: %v", errWrong, v.turn, err)
		}
		v.shown()
	}
}

// shown tells what the page shows now.
func (v *viewer) shown() {
	if v.progress != nil {
		v.progress(v.page.text(v.turn))
	}
}

type message struct{ id, event, data string }

func readMessage(in *bufio.Reader) (message, error) {
	var m message
	var data []string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return m, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			m.id = value
		case "event":
			m.event = value
		case "data":
			data = append(data, value)
		case "":
			if line == "\n" {
				m.data = strings.Join(data, "\n")
				return m, nil
			}
		}
	}
}

// again tries until it works, for as long as patience; a wrong page is no reason to
// try again.
func again(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	pause := time.NewTicker(50 * time.Millisecond)
	defer pause.Stop()
	for {
		err := try()
		if err == nil || errors.Is(err, errWrong) {
			return err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return fmt.Errorf("not within %v: %w", patience, err)
		}
	}
}
