//go:build linux

package localpg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// maxLog is the size of postgres.log, in bytes, that makes the next start begin a
// new one.
const maxLog = 16 << 20

// errExited says that the server ended before it was ready.
var errExited = errors.New("the server ended")

// ensure leaves a server that takes connections and has what bor needs. It is
// called under ctl.lock.
func (s *Server) ensure(ctx context.Context) error {
	if err := s.up(ctx); err != nil {
		return err
	}
	return s.bootstrap(ctx)
}

// up starts the server unless one runs. A killed starter's server may get to the
// cluster before ours or be on its way out, so a lost race is run again.
func (s *Server) up(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		var err error
		running := s.pid()
		switch {
		case running > 0:
			err = s.ready(ctx, running)
		case s.answers(ctx): // it runs in another container that shares the folder
			err = s.ready(ctx, 0)
		default:
			if err = s.launch(ctx); errors.Is(err, errExited) && s.pid() == 0 {
				return err // and nobody else's has taken its place
			}
		}
		if !errors.Is(err, errExited) || attempt == 3 {
			return err
		}
	}
}

// launch starts a server and waits until it is ready.
func (s *Server) launch(ctx context.Context) error {
	if err := s.findBinaries(ctx); err != nil {
		return err
	}
	if err := s.initCluster(ctx); err != nil {
		return err
	}
	if err := s.writeConf(); err != nil {
		return err
	}
	if err := s.makeRunDir(); err != nil {
		return err
	}
	if err := s.clearRemains(ctx); err != nil {
		return err
	}
	log, err := s.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	c := s.acct.command(context.Background(), filepath.Join(s.bin, "postgres"), "-D", s.data) // outlives ctx
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		return fmt.Errorf("the private database's server could not be started: %w", err)
	}
	go c.Wait() // leaves no zombie; who needs the exit awaits the process itself
	if err = s.ready(ctx, c.Process.Pid); errors.Is(err, errExited) {
		said, _ := io.ReadAll(io.NewSectionReader(log, from, maxLog))
		return fmt.Errorf("the private database did not start (%w); %s says:\n%s", err, log.Name(), tail(said))
	}
	return err
}

// openLog opens postgres.log, a new one when it has grown too long.
func (s *Server) openLog() (*os.File, error) {
	path := s.file("postgres.log")
	if fi, err := os.Stat(path); err == nil && fi.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return s.acct.openFile(path, os.O_APPEND|os.O_RDWR, 0o600)
}

// makeRunDir makes the socket's folder, which only the server's account enters.
// In /tmp anyone may have been there first.
func (s *Server) makeRunDir() error {
	err := os.Mkdir(s.run, 0o700)
	if err == nil {
		err = errors.Join(os.Chmod(s.run, 0o700), os.Lchown(s.run, s.acct.uid, s.acct.gid))
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	fi, err := os.Lstat(s.run)
	if err != nil {
		return err
	}
	if !fi.IsDir() || fi.Mode().Perm() != 0o700 || ownerOf(s.run) != s.acct.uid {
		return fmt.Errorf("%q is not a private folder of user id %d, so the database's socket would not be safe there; remove it", s.run, s.acct.uid)
	}
	return nil
}

// ready waits until the server at the socket takes connections, however long
// its recovery lasts, or returns errExited when it has ended: when process pid
// has, or, with pid 0, when nothing answers.
func (s *Server) ready(ctx context.Context, pid int) error {
	watch, cancel := context.WithCancel(ctx)
	defer cancel()
	exited := make(chan error, 1)
	if pid > 0 {
		go func() { exited <- waitExit(watch, pid) }()
	}
	tick := time.NewTicker(20 * time.Millisecond) // no signal tells readiness
	defer tick.Stop()
	notice := time.NewTimer(10 * time.Second)
	defer notice.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-exited:
			if err == nil {
				err = errExited
			}
			return err
		case <-notice.C:
			s.opts.logf("the private database is not ready yet, perhaps recovering from a crash; its log is %q", s.file("postgres.log"))
		case <-tick.C:
			if now, status := s.pidFile(); pid > 0 && (now != pid || status == "starting") {
				continue // asking would only fill its log
			}
			err := s.ping(ctx)
			switch refusal, refused := errors.AsType[*pgconn.PgError](err); {
			case err == nil, refused && !passing(refusal.Code):
				return err
			case pid == 0 && !s.answers(ctx):
				return errExited
			}
		}
	}
}

// passing tells whether a server that refuses with this SQLSTATE is starting,
// recovering or shutting down: 57P01 to 57P03 in appendix A of PostgreSQL's manual.
func passing(code string) bool { return strings.HasPrefix(code, "57P") }

// answers tells whether a server listens at the socket, however busy it is.
func (s *Server) answers(ctx context.Context) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", filepath.Join(s.run, ".s.PGSQL."+port))
	if err != nil {
		return !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ECONNREFUSED)
	}
	conn.Close()
	return true
}

func (s *Server) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.AdminURL())
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// shutdown stops the server: fast, and if that takes too long, at once, with a
// recovery at the next start. It is called under ctl.lock.
func (s *Server) shutdown(ctx context.Context) error {
	pid := s.pid()
	if pid == 0 {
		return nil
	}
	if err := end(ctx, pid, 60*time.Second, syscall.SIGINT, syscall.SIGQUIT); err != nil {
		return fmt.Errorf("the private database's server did not stop: process %d: %w", pid, err)
	}
	if s.run != s.file("run") {
		return os.Remove(s.run)
	}
	return nil
}
