// Package e2e walks through the product as its users do: the real binary, a real
// PostgreSQL, a scripted model server, a real browser.
package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bor/internal/testkit"
)

// binary is the program under test, built once for all journeys.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "bor-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "bor")
	if out, err := exec.Command("go", "build", "-o", binary, "../cmd/bor").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building bor: %v\n%s", err, out)
		os.Exit(1)
	}
	code := func() int {
		defer os.RemoveAll(dir)
		defer stopBrowser()
		return testkit.Run(m)
	}()
	os.Exit(code)
}

// password signs in everywhere in these tests.
const password = "correct horse battery staple"

// product is a running bor with a database of its own.
type product struct {
	t    *testing.T
	url  string // http://127.0.0.1:port
	env  []string
	dir  string // a temporary folder, its data dir inside
	cmd  *exec.Cmd
	out  *lines
	once sync.Once
}

// options of a product; the zero value is the librarian with an empty knowledge
// base.
type options struct {
	model   *testkit.Model    // answers, embeds; nil for the librarian
	sources map[string]string // name → folder to import first
	args    []string          // for bor serve
	env     []string
}

// start runs bor on a fresh database, after importing what o names.
func start(t *testing.T, o options) *product {
	t.Helper()
	return startOn(t, testkit.EmptyDB(t), o)
}

// startOn runs bor on a database that may be another process's too.
func startOn(t *testing.T, database string, o options) *product {
	t.Helper()
	p := &product{t: t, dir: t.TempDir()}
	p.env = append(clean(os.Environ()), "DATABASE_URL="+database, "BOR_ADDR=127.0.0.1:0",
		"BOR_DATA_DIR="+filepath.Join(p.dir, "data"), "BOR_ADMIN_PASSWORD="+password)
	if o.model != nil {
		p.env = append(p.env, "BOR_LLM_BASE_URL="+o.model.URL, "BOR_LLM_RETRY_DELAY=0")
	}
	p.env = append(p.env, o.env...)
	for name, dir := range o.sources {
		p.run("import", "--source", dir, "--name", name)
	}
	p.cmd = exec.Command(binary, append([]string{"serve"}, o.args...)...)
	p.cmd.Env = p.env
	p.out = newLines()
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.out.read(stdout)
	go p.out.read(stderr)
	t.Cleanup(p.stop)
	p.url = p.out.find(t, regexp.MustCompile(`is ready:\s+(http://\S+?)/?$`))
	return p
}

// clean drops settings of the machine that runs the tests.
func clean(env []string) []string {
	var kept []string
	for _, e := range env {
		if !strings.HasPrefix(e, "BOR_") && !strings.HasPrefix(e, "DATABASE_URL=") && !strings.HasPrefix(e, "PG") {
			kept = append(kept, e)
		}
	}
	return kept
}

// run runs another command of the program with the same settings, to its end.
func (p *product) run(args ...string) string {
	p.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("bor %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// stop ends the program as Ctrl-C does, and waits for it.
func (p *product) stop() {
	p.once.Do(func() {
		p.cmd.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(30*time.Second, func() { p.cmd.Process.Kill() })
		err := p.cmd.Wait()
		if !timer.Stop() {
			p.t.Errorf("bor didn't stop within 30 s; it said:\n%s", p.out)
		} else if err != nil && !strings.Contains(err.Error(), "killed") {
			p.t.Errorf("bor ended with %v; it said:\n%s", err, p.out)
		}
	})
}

// lines collects a program's output and lets tests wait for a line.
type lines struct {
	mu    sync.Mutex
	all   []string
	added chan struct{}
}

func newLines() *lines { return &lines{added: make(chan struct{})} }

func (l *lines) read(r io.Reader) {
	for s := bufio.NewScanner(r); s.Scan(); {
		l.mu.Lock()
		l.all = append(l.all, s.Text())
		close(l.added)
		l.added = make(chan struct{})
		l.mu.Unlock()
	}
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// find waits for a line that matches and returns its first group, or the line.
func (l *lines) find(t *testing.T, want *regexp.Regexp) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for from := 0; ; {
		l.mu.Lock()
		for ; from < len(l.all); from++ {
			if m := want.FindStringSubmatch(l.all[from]); m != nil {
				l.mu.Unlock()
				return m[len(m)-1]
			}
		}
		added := l.added
		l.mu.Unlock()
		select {
		case <-added:
		case <-ctx.Done():
			t.Fatalf("no line %s in:\n%s", want, l)
		}
	}
}
