//go:build linux

package localpg

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// waitExit blocks until process pid has ended, whoever started it, or ctx ends.
func waitExit(ctx context.Context, pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err == unix.ESRCH {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot watch process %d, which needs Linux 5.3: %w", pid, err)
	}
	if err := unix.SetNonblock(fd, true); err != nil { // lets the runtime's poller wait for it
		unix.Close(fd)
		return err
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { f.SetReadDeadline(time.Unix(1, 0)) })()
	err = conn.Read(func(fd uintptr) bool {
		n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0
	})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// pidFile reads postmaster.pid: the server's process number, or 0, and its
// status ("starting", "ready", …), which are lines 1 and 8 (miscadmin.h).
func (s *Server) pidFile() (pid int, status string) {
	text, _ := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	lines := strings.Split(string(text), "\n")
	pid, _ = strconv.Atoi(strings.TrimSpace(lines[0]))
	if len(lines) > 7 {
		status = strings.TrimSpace(lines[7])
	}
	return pid, status
}

// pid is the live server's process, or 0. The number alone proves nothing after
// a reboot or in a new container; a server's working directory is its data.
func (s *Server) pid() int {
	if pid, _ := s.pidFile(); pid > 0 && inFolder(pid, s.data) {
		return pid
	}
	return 0
}

// inFolder tells whether live process pid works in dir. A zombie works nowhere.
func inFolder(pid int, dir string) bool {
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return err == nil && cwd == dir
}

// clearRemains makes way for a new server after the last one was killed: its
// children are told to quit, as a live postmaster would tell them, and a number
// in postmaster.pid that is someone else's now is removed. The caller knows that
// no server runs.
func (s *Server) clearRemains(ctx context.Context) error {
	if pid, _ := s.pidFile(); pid > 0 {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
			if err := os.Remove(filepath.Join(s.data, "postmaster.pid")); err != nil {
				return err
			}
		}
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !inFolder(pid, s.data) || !isServerChild(pid) {
			continue
		}
		if err := end(ctx, pid, 5*time.Second, syscall.SIGQUIT, syscall.SIGKILL); err != nil {
			return fmt.Errorf("process %d of the killed server: %w", pid, err)
		}
	}
	return nil
}

// isServerChild tells a server's child from, say, a shell in the same folder:
// PostgreSQL writes what it does into its title.
func isServerChild(pid int) bool {
	title, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return bytes.Contains(title, []byte("postgres: "+appName+": "))
}

// end sends each signal in turn and gives the process patience to go.
func end(ctx context.Context, pid int, patience time.Duration, signals ...syscall.Signal) error {
	for _, sig := range signals {
		if err := syscall.Kill(pid, sig); err == syscall.ESRCH {
			return nil
		} else if err != nil {
			return err
		}
		wait, cancel := context.WithTimeout(ctx, patience)
		err := waitExit(wait, pid)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("still there %v after signal %v", patience, signals[len(signals)-1])
}
