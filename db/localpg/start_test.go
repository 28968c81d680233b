//go:build linux

package localpg

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestLifecycle(t *testing.T) {
	first := start(t, home)
	c := connect(t, first.URL())
	exec1(t, c, `CREATE TABLE chunk (id int PRIMARY KEY, body text, v vector(3))`)
	exec1(t, c, `CREATE INDEX ON chunk USING gin (body gin_trgm_ops)`)
	exec1(t, c, `INSERT INTO chunk VALUES (1, 'ÄRGER im Netz', '[1,2,3]'), (2, 'quiet', '[9,9,9]')`)
	if got := scalar[int](t, c, `SELECT id FROM chunk ORDER BY v <=> '[1,2,3.1]' LIMIT 1`); got != 1 {
		t.Errorf("nearest vector is %d, want 1", got)
	}
	if got := scalar[int](t, c, `SELECT id FROM chunk WHERE lower(body) LIKE '%ärger%'`); got != 1 {
		t.Errorf("case folding beyond ASCII found %d, want 1", got)
	}
	if got := scalar[bool](t, c, `SELECT rolsuper FROM pg_roles WHERE rolname = current_user`); got {
		t.Error("the application's role is a superuser")
	}

	// Databases that the role makes have the extensions.
	exec1(t, c, `CREATE DATABASE other`)
	other := connect(t, strings.Replace(first.URL(), "/bor?", "/other?", 1))
	exec1(t, other, `CREATE TABLE t (v vector(2), s text); CREATE INDEX ON t USING gin (s gin_trgm_ops)`)

	// Private: nothing on TCP, and a folder that only the account may enter.
	if got := scalar[string](t, c, `SHOW listen_addresses`); got != "" {
		t.Errorf("listens on %q", got)
	}
	for _, path := range []string{first.run, first.data} {
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if fi.Mode().Perm() != 0o700 || ownerOf(path) != first.acct.uid || first.acct.uid == 0 {
			t.Errorf("%s has mode %v and owner %d", path, fi.Mode(), ownerOf(path))
		}
	}
	pid := first.pid()
	if sid, _, _ := syscall.Syscall(syscall.SYS_GETSID, uintptr(pid), 0, 0); int(sid) != pid {
		t.Errorf("the server's session is %d: a terminal's Ctrl-C would reach it", sid)
	}

	// A second holder shares the server; it ends with the last.
	second := start(t, home)
	if second.pid() != pid || second.URL() != first.URL() {
		t.Errorf("second start: process %d at %s, want %d at %s", second.pid(), second.URL(), pid, first.URL())
	}
	stop(t, first)
	connect(t, second.AdminURL())
	if err := first.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	if second.pid() != pid {
		t.Error("a second Stop of one lease stopped the server under the other")
	}
	stop(t, second)
	if left := processesIn(t, first.data); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}

	// What was stored is there the next time.
	third := start(t, home)
	if got := scalar[int](t, connect(t, third.URL()), `SELECT count(*)::int FROM chunk`); got != 2 {
		t.Errorf("%d rows after a restart, want 2", got)
	}
}

// The server of a killed process is adopted by the next, and ends with it.
func TestKilledHolder(t *testing.T) {
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), holderDir+"="+home)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4096)
	n, err := out.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), "ready ") {
		t.Fatalf("the holder said %q, %v", line[:n], err)
	}
	pid := (&Server{layout: layout{data: filepath.Join(home, "data")}}).pid()
	if pid == 0 {
		t.Fatal("no server runs")
	}
	holder.Process.Kill()
	holder.Wait()
	s := start(t, home)
	if s.pid() != pid {
		t.Errorf("server is %d, want the adopted %d", s.pid(), pid)
	}
	connect(t, s.URL())
	stop(t, s)
	if left := processesIn(t, s.data); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
}

// A number in postmaster.pid that is another process's now keeps no server away.
func TestStalePid(t *testing.T) {
	s := start(t, home)
	pid := s.pid()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := waitExit(t.Context(), pid); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.data, "postmaster.pid")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	connect(t, start(t, home).URL())
}

// Settings of other servers, a strict umask, and a path that is long, has a
// socket's limit behind it, and is not ASCII.
func TestHostileSurroundings(t *testing.T) {
	for name, value := range map[string]string{
		"PGSERVICE": "nowhere", "PGHOST": "db.example.org", "PGPORT": "1", "PGUSER": "eve", "PGDATABASE": "hers",
		"PGOPTIONS": "-c nonsense=1", "PGSSLMODE": "verify-full", "PGTZ": "Nowhere/Land", "PGDATA": "/nonexistent",
		"PGTARGETSESSIONATTRS": "standby", "LD_LIBRARY_PATH": "/nonexistent", "LC_ALL": "xx_XX", "LANG": "yy_YY",
	} {
		t.Setenv(name, value)
	}
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	name := "späte Nächte [x] (1) & #?*+@!/" + strings.Repeat("long/", 20) + "end"
	s := start(t, filepath.Join(folder(t), name))
	if !strings.HasSuffix(s.home, name) {
		t.Errorf("lives in %q", s.home)
	}
	if got := scalar[string](t, connect(t, s.URL()), `SHOW timezone`); strings.HasPrefix(got, "Nowhere") {
		t.Errorf("time zone %q", got)
	}
	stop(t, s)
	if _, err := os.Stat(s.run); strings.HasPrefix(s.run, s.home) || err == nil {
		t.Errorf("socket folder %q: it should have been in /tmp, and be gone", s.run)
	}
}

// A server whose process cannot be seen, in another container that shares the
// folder, is used and left alone. Here its number is hidden instead.
func TestServerInAnotherContainer(t *testing.T) {
	first := start(t, home)
	pid := first.pid()
	path := filepath.Join(first.data, "postmaster.pid")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(path, []byte("1\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 100)
	second, err := Start(t.Context(), options(home, func(line string) { said <- line }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	second.Watch(ctx) // sees no process, and a server that answers
	connect(t, second.URL())
	stop(t, second)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if first.pid() != pid || len(said) > 0 {
		t.Errorf("process %d, was %d; said %d lines", first.pid(), pid, len(said))
	}
}

func TestForcedPrograms(t *testing.T) {
	s := start(t, home) // with whatever is found
	stop(t, s)
	o := options(home, nil)
	o.BinDir = s.bin
	forced, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, forced)
	connect(t, forced.URL())
}

// What the server said goes into the error; and a start that failed leaves no
// lease behind.
func TestBrokenConfiguration(t *testing.T) {
	s := start(t, home)
	stop(t, s)
	auto := filepath.Join(s.data, "postgresql.auto.conf")
	good, err := os.ReadFile(auto)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(auto, []byte("no_such_setting = on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), options(home, nil)); err == nil || !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(auto, good, 0o600); err != nil {
		t.Fatal(err)
	}
	again := start(t, home)
	stop(t, again)
	if left := processesIn(t, s.data); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
}

func TestLongLogIsRotated(t *testing.T) {
	s := start(t, home)
	stop(t, s)
	log := s.file("postgres.log")
	if err := os.Truncate(log, maxLog+1); err != nil {
		t.Fatal(err)
	}
	start(t, home)
	old, err := os.Stat(log + ".1")
	if err != nil || old.Size() != maxLog+1 {
		t.Errorf("%v, %v", old, err)
	}
	if now, err := os.Stat(log); err != nil || now.Size() == 0 || now.Size() > maxLog || now.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", now, err)
	}
}

// Whoever gives up waiting for a lock does not keep it.
func TestLockGivenUp(t *testing.T) {
	path := filepath.Join(folder(t), "lock")
	s := &Server{acct: me}
	held, err := s.lock(t.Context(), path, syscall.LOCK_EX)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan string, 1)
	waiter := &Server{acct: me, opts: Options{Log: func(line string) { waiting <- line }}}
	result := make(chan error, 1)
	go func() {
		_, err := waiter.lock(ctx, path, syscall.LOCK_EX)
		result <- err
	}()
	if line := <-waiting; !strings.Contains(line, path) {
		t.Errorf("said %q", line)
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("gave up with %v", err)
	}
	unlock(held)
	last, err := s.lock(t.Context(), path, syscall.LOCK_EX)
	if err != nil {
		t.Fatal(err)
	}
	unlock(last)
}

// A number that nobody has is no process to wait for; one that does not heed a
// signal gets the next.
func TestEnd(t *testing.T) {
	stubborn := exec.Command("sh", "-c", `trap '' QUIT; echo ready; while :; do sleep 1; done`)
	out, err := stubborn.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stubborn.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	pid := stubborn.Process.Pid
	if err := end(t.Context(), pid, 50*time.Millisecond, syscall.SIGQUIT); err == nil || !strings.Contains(err.Error(), "still there") {
		t.Errorf("it went: %v", err)
	}
	if err := end(t.Context(), pid, time.Second, syscall.SIGQUIT, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	stubborn.Wait()
	if err := end(t.Context(), pid, time.Second, syscall.SIGQUIT); err != nil {
		t.Errorf("gone: %v", err)
	}
	if err := waitExit(t.Context(), pid); err != nil {
		t.Errorf("gone: %v", err)
	}
}

func TestStartErrors(t *testing.T) {
	if _, err := Start(t.Context(), Options{}); err == nil {
		t.Error("no folder: no error")
	}
	dir := folder(t)
	o := options(filepath.Join(dir, "pg"), nil)
	o.BinDir = dir
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "BOR_PG_BINDIR") {
		t.Errorf("a folder without programs: %v", err)
	}
	script(t, dir+"/postgres", "echo 'postgres (PostgreSQL) 17.5'")
	script(t, dir+"/initdb", "touch $2/half; echo 'No space left on device' >&2; exit 1")
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "No space left") {
		t.Errorf("initdb fails: %v", err)
	}
	if left, _ := filepath.Glob(o.Dir + "/data*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := os.Symlink("nowhere", dir+"/dangling"); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), options(dir+"/dangling", nil)); err == nil {
		t.Error("a dangling link: no error")
	}
	if os.Geteuid() == 0 {
		o.User = "no such account"
		if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "BOR_PG_USER") {
			t.Errorf("no account: %v", err)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(canceled, options(filepath.Join(dir, "new"), nil)); err == nil {
		t.Error("a cancelled start succeeded")
	}
}
