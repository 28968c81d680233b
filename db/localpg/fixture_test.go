//go:build linux

package localpg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// holderDir names the environment variable that turns the test binary into
// another process with a lease: it starts the server in that folder, says so on
// its standard output, and waits to be killed.
const holderDir = "LOCALPG_TEST_HOLDER_DIR"

// home is the folder of the cluster that the tests use one after the other.
var home string

func TestMain(m *testing.M) {
	if dir := os.Getenv(holderDir); dir != "" {
		s, err := Start(context.Background(), options(dir, nil))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ready", s.URL())
		select {}
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	parent, err := os.MkdirTemp("", "bor-localpg-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(parent)
	if err := os.Chmod(parent, 0o755); err != nil {
		panic(err)
	}
	home = filepath.Join(parent, "made", "on demand")
	return m.Run()
}

// options are those of every test: binaries shared with the other tests of this
// checkout, and no fsync.
func options(dir string, log func(string)) Options {
	root, err := os.Getwd()
	for ; err == nil; root = filepath.Dir(root) {
		if _, e := os.Stat(filepath.Join(root, "go.mod")); e == nil || root == "/" {
			break
		}
	}
	return Options{Dir: dir, DistDir: filepath.Join(root, "data", "postgres", "dist"), Fast: true, Log: log}
}

// folder is a new temporary folder that the server's account can reach; those
// of testing.T are mode 0700.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bor-localpg-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func start(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), options(dir, func(line string) { t.Log(line) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// connect retries until the server is back: a test that kills it has nothing
// else to wait for.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		c, err := pgx.Connect(ctx, url)
		if err == nil {
			t.Cleanup(func() { c.Close(context.Background()) })
			return c
		}
		select {
		case <-ctx.Done():
			t.Fatalf("no connection: %v", err)
		case <-tick.C:
		}
	}
}

func exec1(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func scalar[T any](t *testing.T, c *pgx.Conn, sql string) (v T) {
	t.Helper()
	if err := c.QueryRow(t.Context(), sql).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// processesIn lists every process that works in dir: the server and its children.
func processesIn(t *testing.T, dir string) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && inFolder(pid, dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}
