//go:build faults

package faults

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"bor/db/localpg"
)

// postgres is the suite's own server. It may be killed: the product's watchman
// brings it back.
var postgres cluster

type cluster struct {
	once    sync.Once
	err     error
	server  *localpg.Server
	unwatch context.CancelFunc
	watched sync.WaitGroup
	made    atomic.Int64
}

// start brings the server up, once for all tests.
func (c *cluster) start(t *testing.T) {
	t.Helper()
	c.once.Do(func() {
		c.server, c.err = localpg.Start(context.Background(), localpg.Options{
			Dir: filepath.Join(root, "data", "faults-postgres"), DistDir: filepath.Join(root, "data", "postgres", "dist"),
			BinDir: os.Getenv("BOR_PG_BINDIR"), Mirror: os.Getenv("BOR_PG_MIRROR"), User: os.Getenv("BOR_PG_USER"), Fast: true,
		})
		if c.err != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		c.unwatch = cancel
		c.watched.Go(func() { c.server.Watch(ctx) })
	})
	if c.err != nil {
		t.Fatalf("no PostgreSQL for the faults: %v", c.err)
	}
}

func (c *cluster) stop() {
	c.unwatch()
	c.watched.Wait()
	if err := c.server.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// strike sends the server's first process a signal: SIGKILL, or SIGINT for a restart
// that waits for nobody. It returns when another server has taken its place.
func (c *cluster) strike(t *testing.T, s syscall.Signal) {
	t.Helper()
	var dir string
	var before, now time.Time
	started := func(at *time.Time) func(context.Context, *pgx.Conn) error {
		return func(ctx context.Context, conn *pgx.Conn) error {
			return conn.QueryRow(ctx, "SELECT pg_postmaster_start_time(), current_setting('data_directory')").Scan(at, &dir)
		}
	}
	c.admin(t, started(&before))
	text, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	must(t, err)
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	must(t, err)
	must(t, syscall.Kill(pid, s))
	must(t, again(t.Context(), func() error {
		err := c.try(c.server.AdminURL(), started(&now))
		if err == nil && now.Equal(before) {
			err = errors.New("the server still stands")
		}
		return err
	}))
}

// admin does something as the superuser, when the server answers.
func (c *cluster) admin(t *testing.T, do func(context.Context, *pgx.Conn) error) {
	t.Helper()
	must(t, again(t.Context(), func() error { return c.try(c.server.AdminURL(), do) }))
}

func (c *cluster) try(address string, do func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return do(ctx, conn)
}

// database makes an empty one and gives its address; it is dropped after the test.
func (c *cluster) database(t *testing.T) string {
	t.Helper()
	c.start(t)
	name := fmt.Sprintf("bor_faults_%d_%d", os.Getpid(), c.made.Add(1))
	statement := func(sql string) {
		must(t, again(context.Background(), func() error {
			return c.try(c.server.URL(), func(ctx context.Context, conn *pgx.Conn) error { _, err := conn.Exec(ctx, sql); return err })
		}))
	}
	statement("CREATE DATABASE " + name)
	t.Cleanup(func() {
		statement("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "' AND usename = current_user")
		statement("DROP DATABASE " + name)
	})
	u, err := url.Parse(c.server.URL())
	must(t, err)
	u.Path = "/" + name
	return u.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
