//go:build linux

package localpg

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestWatchRestartsKilledServer(t *testing.T) {
	holders := []*Server{start(t, home), start(t, home)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{}, len(holders))
	for _, s := range holders {
		go func() {
			s.Watch(ctx)
			ended <- struct{}{}
		}()
	}
	s := holders[0]
	exec1(t, connect(t, s.URL()), `CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)`)
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGINT} {
		pid := s.pid()
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
		if err := waitExit(t.Context(), pid); err != nil {
			t.Fatal(err)
		}
		if got := scalar[int](t, connect(t, s.URL()), `SELECT id FROM kept`); got != 7 {
			t.Errorf("after %v: %d, want 7", sig, got)
		}
	}
	cancel() // one Watch ends with its context, or both
	<-ended
	<-ended
}

func TestWatchEndsWithStop(t *testing.T) {
	s := start(t, home)
	ended := make(chan struct{})
	go func() {
		s.Watch(context.Background())
		close(ended)
	}()
	stop(t, s)
	<-ended
	if left := processesIn(t, s.data); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
}

// A backend that is busy does not notice its postmaster's death by itself.
func TestRestartEndsBusyChildren(t *testing.T) {
	s := start(t, home)
	conf, err := pgx.ParseConfig(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	running := make(chan string, 2) // and a second notice, of the end
	conf.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { running <- n.Message }
	c, err := pgx.ConnectConfig(t.Context(), conf)
	if err != nil {
		t.Fatal(err)
	}
	busy := make(chan error, 1)
	go func() {
		_, err := c.Exec(context.Background(), `DO $$ BEGIN RAISE NOTICE 'running'; LOOP END LOOP; END $$`)
		busy <- err
	}()
	<-running
	pid := s.pid()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := waitExit(t.Context(), pid); err != nil {
		t.Fatal(err)
	}
	again := start(t, home)
	if err := <-busy; err == nil {
		t.Error("an endless statement ended well")
	}
	connect(t, again.URL())
}

// Watch makes no new cluster under an application that runs, and goes on trying.
func TestWatchWaitsForLostFolder(t *testing.T) {
	said := make(chan string, 100)
	s, err := Start(t.Context(), options(home, func(line string) { said <- line }))
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, s)
	pid := s.pid()
	if err := os.Rename(s.data, s.data+".away"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := waitExit(t.Context(), pid); err != nil {
		t.Fatal(err)
	}
	go s.Watch(t.Context())
	for line := range said {
		if strings.Contains(line, "its data folder is gone") {
			break
		}
	}
	if err := os.Rename(s.data+".away", s.data); err != nil {
		t.Fatal(err)
	}
	connect(t, s.URL())
}
