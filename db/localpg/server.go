//go:build linux

package localpg

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopPatience bounds Stop: two signals of a minute each, and a little more.
const stopPatience = 150 * time.Second

// Server is this process's lease on the private server.
type Server struct {
	layout
	opts    Options
	acct    account
	bin     string        // folder of the server's programs, once needed
	users   *os.File      // the lease: users.lock, shared
	stopped chan struct{} // closed by Stop
	stop    sync.Once
	stopErr error
}

// Start finds or fetches the server's programs, makes the cluster when there is
// none, starts the server unless it runs already, and takes a lease on it. The
// first start on a machine takes 5 to 30 s, mostly for the download; a later one
// a few tenths of a second. When ctx ends, Start gives up and leaves nothing
// running that others do not use.
//
// It removes every PG* variable from the process's environment: see the package
// comment.
//
// An error says what to do. Call Stop when the server is no longer needed.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Dir == "" {
		return nil, errors.New("localpg: no folder for the private database")
	}
	dropPGVariables()
	dir, err := resolve(o.Dir)
	if err != nil {
		return nil, err
	}
	alt := fallback(dir)
	acct, err := pickAccount(ctx, o.User, dir, alt)
	if err != nil {
		return nil, needDatabase(err)
	}
	s := &Server{opts: o, acct: acct, stopped: make(chan struct{})}
	if s.layout, err = locate(ctx, o, acct, dir, alt); err != nil {
		return nil, err
	}
	if err := acct.makeDirs(s.home); err != nil {
		return nil, err
	}
	if s.users, err = s.lock(ctx, s.file("users.lock"), syscall.LOCK_SH); err != nil {
		return nil, err
	}
	if err := s.locked(ctx, func() error { return s.ensure(ctx) }); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// dropPGVariables takes the settings of other servers out of the environment.
func dropPGVariables() {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "PG") {
			os.Unsetenv(name)
		}
	}
}

// URL is the connection string of the application's role for its database. The
// role may create databases, and those have the extensions.
func (s *Server) URL() string { return connURL(appName, appName, s.run) }

// AdminURL is the connection string of the superuser for the database postgres.
func (s *Server) AdminURL() string { return connURL("postgres", "postgres", s.run) }

// Stop gives up the lease; the last holder stops the server and waits for its
// end. Connections still open are cut. Further calls return the first result.
func (s *Server) Stop() error {
	s.stop.Do(func() {
		close(s.stopped)
		ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
		defer cancel()
		defer s.users.Close() // also when ctl.lock could not be had
		s.stopErr = s.locked(ctx, func() error {
			defer unlock(s.users) // still under ctl.lock, so the next to leave finds it gone
			if flock(s.users, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
				return nil // someone else still uses it
			}
			return s.shutdown(ctx)
		})
	})
	return s.stopErr
}
