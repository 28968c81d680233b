//go:build linux

package localpg

import (
	"context"
	"errors"
	"time"
)

// The pauses between attempts to bring a server back that does not start.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// Watch keeps the server running: when it has ended although this lease holds,
// it is started again. It returns when ctx ends or Stop is called. Each holder
// should watch; whoever comes first restarts it.
func (s *Server) Watch(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	pause := firstPause
	for ctx.Err() == nil {
		if pid := s.pid(); pid > 0 {
			if waitExit(ctx, pid) != nil {
				rest(ctx, firstPause)
				continue
			}
			pause = firstPause
		} else if s.answers(ctx) { // in another container: its process cannot be awaited
			rest(ctx, firstPause)
			continue
		}
		if err := s.locked(ctx, func() error { return s.revive(ctx) }); err != nil && ctx.Err() == nil {
			s.opts.logf("the private database is down and did not start again; next attempt in %v: %v", pause, err)
			rest(ctx, pause)
			pause = min(2*pause, lastPause)
		}
	}
}

// revive starts the server again unless another holder has done so. It makes no
// new cluster: an application that runs would find it empty.
func (s *Server) revive(ctx context.Context) error {
	if s.pid() > 0 {
		return nil
	}
	if s.clusterMajor() == "" {
		return errors.New("its data folder is gone")
	}
	s.opts.logf("the private database's server has ended unexpectedly; starting it again")
	return s.up(ctx)
}

// rest waits for d or for ctx.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
