package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bor/internal/fault"
)

func TestRepositoryOverSSH(t *testing.T) {
	dir := sshFolder(t)
	t.Setenv("SSH_AUTH_SOCK", "/agent")
	r := newRepository(t)
	r.write("a.md", "one")
	r.commit()
	o := options(t)
	o.Access = Access{KeyFile: `/keys/a "b" 100%`, KnownHostsFile: "/keys/known hosts"}
	if got := follow(t, Remote{URL: "ssh://me@git.example.org:2222" + r.dir}, o); got.files["a.md"].Text != "one" {
		t.Errorf("read %v", got.order)
	}
	note, err := os.ReadFile(filepath.Join(dir, "called"))
	if err != nil {
		t.Fatal(err)
	}
	part := strings.Split(string(note), "\n--\n")
	args := strings.Split(part[0], "\n")
	for _, want := range []string{"StrictHostKeyChecking=yes", "BatchMode=yes", "IdentitiesOnly=yes", "IdentityAgent=none", "ProxyCommand=none",
		"PermitLocalCommand=no", `IdentityFile="/keys/a \"b\" 100%%"`, `UserKnownHostsFile="/keys/known hosts"`} {
		if i := slices.Index(args, want); i < 1 || args[i-1] != "-o" {
			t.Errorf("ssh wasn't told %s: %q", want, args)
		}
	}
	if args[1] != "-F" || args[2] != "none" {
		t.Errorf("ssh reads a configuration: %q", args)
	}
	if tail := args[len(args)-4:]; !slices.Equal(tail, []string{"-p", "2222", "me@git.example.org", "git-upload-pack '" + r.dir + "'"}) {
		t.Errorf("ssh was called with %q", tail)
	}
	if env := strings.Split(part[1], "\n"); len(env) > 4 || strings.Contains(part[1], "SSH_AUTH_SOCK") { // and PWD, as exec sets it
		t.Errorf("ssh's environment is %q", env)
	}
	if parent := strings.TrimSpace(part[2]); parent != "git" {
		t.Errorf("ssh was started by %q, not by git", parent)
	}
	if sshPath("") != "none" {
		t.Error("no key is not told to ssh as none")
	}
}

func TestWhatSSHSays(t *testing.T) {
	dir := sshFolder(t)
	o := options(t)
	for text, want := range map[string]struct {
		code  fault.Code
		words string
	}{
		"No ED25519 host key is known for h.org and you have requested strict checking.\r\nHost key verification failed.\r\n":    {fault.Forbidden, "ssh key of h.org isn't known"},
		"@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\nOffending RSA key in /k:1\r\nHost key verification failed.\r\n": {fault.Forbidden, "shows another ssh key"},
		"git@h.org: Permission denied (publickey).\r\n":                                                    {fault.Forbidden, "refused the ssh key"},
		"Load key \"/k\": error in libcrypto\r\ngit@h.org: Permission denied (publickey).\r\n":             {fault.Forbidden, "BOR_GIT_SSH_KEY_FILE can't be used"},
		"no such identity: /k: No such file or directory\r\ngit@h.org: Permission denied (publickey).\r\n": {fault.Forbidden, "BOR_GIT_SSH_KEY_FILE can't be used"},
		"ssh: Could not resolve hostname h.org: Name or service not known\r\n":                             {fault.Unavailable, "No host named h.org"},
		"ssh: connect to host h.org port 22: Connection refused\r\n":                                       {fault.Unavailable, "can't be reached"},
		"ssh: connect to host h.org port 22: Connection timed out\r\n":                                     {fault.Unavailable, "can't be reached"},
		"ERROR: Repository not found.\n":                                                                   {fault.NotFound, "no such repository"},
		"fatal: '/x' does not appear to be a git repository\n":                                             {fault.NotFound, "no such repository"},
		"Connection closed by remote host\r\n":                                                             {fault.Unavailable, "ended early"},
		"banner \x1b]0;title\x07\n":                                                                        {fault.Unavailable, "ended early"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "fail"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := refused(t, Remote{URL: "git@h.org:x"}, o)
		wantFault(t, err, want.code, want.words)
		if strings.ContainsAny(err.Error(), "\x1b\x07\r") {
			t.Errorf("%q", err)
		}
	}
	git := filepath.Join(dir, "git")
	real, _ := find(context.Background())
	if err := errors.Join(os.Remove(filepath.Join(dir, "ssh")), os.Symlink(real, git)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	wantFault(t, refused(t, Remote{URL: "git@h.org:x"}, o), fault.Unavailable, "no ssh program")
}

// pipe makes the stand-in wait, and gives its process when it does.
func waiting(t *testing.T, dir string) <-chan int {
	t.Helper()
	name := filepath.Join(dir, "wait")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	pid := make(chan int, 1)
	go func() {
		text, err := os.ReadFile(name)
		n, e := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || e != nil {
			n = 0
		}
		pid <- n
	}()
	return pid
}

// gone waits until a process is no more, or is dead and not yet collected.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there: %s", pid, stat)
		}
	}
}

func TestStoppingEndsEveryProcess(t *testing.T) {
	dir := sshFolder(t)
	pid := waiting(t, dir)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	o := options(t)
	go func() {
		_, err := Open(ctx, Remote{URL: "git@h.org:x"}, o)
		ended <- err
	}()
	ssh := <-pid
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	gone(t, ssh)
}

func TestASilentServerIsLeft(t *testing.T) {
	dir := sshFolder(t)
	pid := waiting(t, dir)
	o := options(t)
	o.Limits.Idle = 3 * time.Second
	wantFault(t, refused(t, Remote{URL: "git@h.org:x"}, o), fault.Unavailable, "h.org was silent for 3s", "BOR_GIT_IDLE_TIMEOUT")
	gone(t, <-pid)
}

func TestASlowServerIsLeft(t *testing.T) {
	dir := sshFolder(t)
	pid := waiting(t, dir)
	o := options(t)
	o.Limits.Idle, o.Limits.Timeout = 0, 3*time.Second
	wantFault(t, refused(t, Remote{URL: "git@h.org:x"}, o), fault.Unavailable, "after 3s", "BOR_GIT_TIMEOUT")
	gone(t, <-pid)
}
