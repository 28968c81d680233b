//go:build faults

package faults

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const password = "correct horse battery staple"

// house is a database with a small knowledge base, a model, and processes of the
// product on both.
type house struct {
	t        *testing.T
	database string
	model    *model
	apps     []*app
}

// newHouse starts so many processes; env is added to their settings.
func newHouse(t *testing.T, processes int, env ...string) *house {
	t.Helper()
	h := &house{t: t, database: postgres.database(t), model: newModel(t)}
	dir := t.TempDir()
	for path, text := range map[string]string{
		"gufo.md": "# Gufo\n\nWhich port does gufo listen on? In turn, in words: gufo listens on port 8137.\n",
		"disk.md": "# The disk filled up\n\nThe journal had grown to 40 GB. journalctl --vacuum-size=1G freed it.\n",
	} {
		must(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644))
	}
	settings := append(clean(os.Environ()), "DATABASE_URL="+h.database, "BOR_ADMIN_PASSWORD="+password,
		"BOR_LLM_BASE_URL="+h.model.baseURL(), "BOR_LLM_RETRY_DELAY=1", "BOR_TRUSTED_PROXIES=127.0.0.1", "BOR_DATA_DIR="+t.TempDir())
	settings = append(settings, env...)
	importing := exec.Command(binary, "import", "--source", dir, "--name", "homelab")
	importing.Env = settings
	out, err := importing.CombinedOutput()
	if err != nil {
		t.Fatalf("importing: %v\n%s", err, out)
	}
	for range processes {
		a := &app{t: t, env: settings, address: freeAddress(t)}
		h.apps = append(h.apps, a)
		a.start()
		t.Cleanup(a.stop)
	}
	for _, a := range h.apps {
		must(t, a.ready(t.Context()))
	}
	return h
}

// anywhere is the address of any process, another at each call.
func (h *house) anywhere() string { return h.apps[rand.IntN(len(h.apps))].url() }

// only gives the address of one process.
func (h *house) only(i int) func() string { return h.apps[i].url }

// query reads from the house's database.
func (h *house) query(do func(context.Context, *pgx.Conn) error) {
	h.t.Helper()
	must(h.t, again(context.Background(), func() error { return postgres.try(h.database, do) }))
}

// app is one process of the product at a fixed address.
type app struct {
	t       *testing.T
	env     []string
	address string

	mu  sync.Mutex
	cmd *exec.Cmd
	out bytes.Buffer
}

func (a *app) url() string { return "http://" + a.address }

func (a *app) start() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cmd = exec.Command(binary, "serve")
	a.cmd.Env = append(a.env, "BOR_ADDR="+a.address)
	a.cmd.Stdout, a.cmd.Stderr = &a.out, &a.out
	if err := a.cmd.Start(); err != nil {
		a.t.Error(err)
	}
}

// end sends a signal and waits for the process's end.
func (a *app) end(s syscall.Signal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cmd == nil || a.cmd.ProcessState != nil {
		return
	}
	a.cmd.Process.Signal(s)
	a.cmd.Wait()
}

func (a *app) stop() {
	a.end(syscall.SIGTERM)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.t.Failed() {
		said := strings.Split(a.out.String(), "\n")
		a.t.Logf("%s said:\n%s", a.address, strings.Join(said[max(0, len(said)-12):], "\n"))
	}
}

// ready waits until the process serves, database included.
func (a *app) ready(ctx context.Context) error {
	return again(ctx, func() error {
		r, err := http.NewRequestWithContext(ctx, "GET", a.url()+"/readyz", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("not ready: %d", response.StatusCode)
		}
		return nil
	})
}

// freeAddress is one that nobody listens on now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
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

// signIn makes a session that takes the given addresses.
func (h *house) signIn(address func() string) *client {
	h.t.Helper()
	var c *client
	must(h.t, again(h.t.Context(), func() (err error) { c, err = signIn(h.t.Context(), nil, address); return err }))
	return c
}

// taken asks and insists, for a test that can't go on without.
func (h *house) taken(c *client, question, submit string) taken {
	h.t.Helper()
	got, err := c.insist(h.t.Context(), question, submit)
	must(h.t, err)
	return got
}

// elapsed is a clock that begins now.
func elapsed() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}
