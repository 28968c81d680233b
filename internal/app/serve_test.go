package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"bor/internal/auth"
	"bor/internal/config"
	"bor/internal/testkit"
)

// served is a running product.
type served struct {
	url, password string
	stop          func() error // gives what Serve returned
}

// serve starts the product and waits for its words.
func serve(t *testing.T, c config.Config) served {
	t.Helper()
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() {
		err := Serve(ctx, c, ServeOptions{Version: "v1", FirstRun: true, Out: in})
		in.CloseWithError(err)
		over <- err
	}()
	var s served
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := regexp.MustCompile(`is ready:  (http://\S+)/$`).FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
		}
		if m := regexp.MustCompile(`^Log in with the password  (\S+)  \(made just now`).FindStringSubmatch(lines.Text()); m != nil {
			s.password = m[1]
		}
		if strings.HasPrefix(lines.Text(), "Ctrl-C") {
			break
		}
	}
	go io.Copy(io.Discard, out)
	s.stop = func() error { cancel(); return <-over }
	if s.url == "" {
		t.Fatalf("it didn't start: %v", s.stop())
	}
	return s
}

func TestServeFromAnEmptyDatabaseToAnAnswer(t *testing.T) {
	d := testkit.DB(t)
	c := settings(t, d)
	log := captureLog(t, c)
	s := serve(t, c)
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	get := func(path string) (int, string) {
		t.Helper()
		r, err := client.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(body)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/": 401} {
		if status, body := get(path); status != want {
			t.Errorf("%s gives %d: %s", path, status, body)
		}
	}
	for path, form := range map[string]url.Values{"/login": {"password": {s.password}}} {
		if r, err := client.PostForm(s.url+path, form); err != nil || r.StatusCode != 200 {
			t.Fatalf("logging in gave %v, %v", r, err)
		}
	}
	if _, body := get("/metrics"); !strings.Contains(body, `bor_import_documents_total{change="added"}`) || !strings.Contains(body, "bor_db_pool_max_connections") {
		t.Errorf("the metrics are %s", body)
	}
	if _, body := get("/"); !strings.Contains(body, "No model connected: exact passages only.") || !strings.Contains(body, "v1") {
		t.Errorf("the front page is %s", body)
	}
	r, err := client.PostForm(s.url+"/chat", url.Values{"message": {"show me the quadlet for gufo"}, "submit_id": {"a"}})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if _, body := get("/chat/turns/1/events"); !strings.Contains(body, `data-bor-locator="homelab/quadlets/gufo.container"`) || !strings.HasSuffix(body, "event: done\ndata: \n\n") {
		t.Errorf("the stream is %s", body)
	}
	if err := s.stop(); err != nil {
		t.Errorf("stopping gave %v", err)
	}
	if !strings.Contains(log.String(), "msg=turn ") || !strings.Contains(log.String(), "the sample knowledge base is in") {
		t.Errorf("the log is %s", log)
	}

	// The second run imports nothing and makes no password; a turn that runs when
	// the server stops gets its end.
	log.Reset()
	model := testkit.NewModel(t)
	model.Queue(testkit.Say("so far ").With(testkit.Gate(make(chan struct{}))))
	c.LLM.BaseURL = model.URL
	again := serve(t, c)
	if again.password != "" || strings.Contains(log.String(), "sample knowledge base") {
		t.Errorf("the second run says %q and %s", again.password, log)
	}
	s.url = again.url
	r, err = client.PostForm(s.url+"/login", url.Values{"password": {s.password}})
	if err != nil || r.StatusCode != 200 {
		t.Fatalf("logging in again gave %v, %v", r, err)
	}
	if r, err = client.PostForm(s.url+"/chat", url.Values{"message": {"show me the quadlet for gufo"}, "submit_id": {"b"}}); err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	stream, err := client.Get(s.url + "/chat/turns/2/events")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	<-model.Arrived()
	ended := make(chan error, 1)
	go func() { ended <- again.stop() }()
	body, err := io.ReadAll(stream.Body)
	if err != nil || !strings.Contains(string(body), "is-interrupted") || !strings.HasSuffix(string(body), "event: done\ndata: \n\n") {
		t.Errorf("a reader hears of the end: %v, %s", err, body)
	}
	if err := <-ended; err != nil {
		t.Errorf("stopping gave %v", err)
	}
}

func TestServeSaysWhyItCannot(t *testing.T) {
	c := settings(t, nil)
	if err := Serve(t.Context(), c, ServeOptions{Out: io.Discard}); !errors.Is(err, auth.ErrNoPassword) {
		t.Errorf("without a password: %v", err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for addr, says := range map[string]string{
		taken.Addr().String(): "is taken by another program", "192.0.2.1:8484": "can't listen on 192.0.2.1:8484", "host.invalid:1": "can't listen",
	} {
		c.Addr = addr
		if err := Serve(t.Context(), c, ServeOptions{Out: io.Discard}); err == nil || !strings.Contains(err.Error(), "BOR_ADDR") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	c = settings(t, nil)
	c.AdminPassword, c.DatabaseURL = "chosen", "postgres://127.0.0.1:1/bor"
	if err := Serve(t.Context(), c, ServeOptions{Out: io.Discard}); err == nil || !strings.Contains(err.Error(), "can't reach the database") {
		t.Errorf("without a database: %v", err)
	}
}

func TestTheAddressToOpen(t *testing.T) {
	for addr, want := range map[string]string{"0.0.0.0:8484": "localhost:8484", "[::]:80": "localhost:80", "127.0.0.1:1": "127.0.0.1:1", "[::1]:2": "[::1]:2"} {
		tcp, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := reachable(tcp); got != want {
			t.Errorf("%s is opened at %s, not %s", addr, got, want)
		}
	}
}
