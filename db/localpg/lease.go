//go:build linux

package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lock opens the file at path and locks it (LOCK_EX or LOCK_SH). The kernel
// drops the lock however the process ends.
func (s *Server) lock(ctx context.Context, path string, how int) (*os.File, error) {
	f, err := s.acct.openFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w (if another user made it, set BOR_DATA_DIR to a folder of your own)", err)
	}
	err = flock(f, how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = s.waitLock(ctx, f, how)
	} else if err != nil {
		f.Close()
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// waitLock waits for the lock, or for ctx; then f is closed as soon as the
// kernel has granted the lock that nobody wants any more.
func (s *Server) waitLock(ctx context.Context, f *os.File, how int) error {
	granted := make(chan error, 1)
	go func() { granted <- flock(f, how) }()
	notice := time.NewTimer(time.Second)
	defer notice.Stop()
	for {
		select {
		case err := <-granted:
			if err != nil {
				f.Close()
			}
			return err
		case <-notice.C:
			s.opts.logf("waiting for another process that is setting up the private database (%q)", f.Name())
		case <-ctx.Done():
			go func() {
				<-granted
				unlock(f)
			}()
			return context.Cause(ctx)
		}
	}
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}

// unlock lets go at once, also when a child that is just being started has a
// copy of the file for a moment.
func unlock(f *os.File) {
	flock(f, syscall.LOCK_UN)
	f.Close()
}

// locked runs work while no other process starts or stops the server.
func (s *Server) locked(ctx context.Context, work func() error) error {
	f, err := s.lock(ctx, s.file("ctl.lock"), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer unlock(f)
	return work()
}
