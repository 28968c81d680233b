package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// program is the git of this machine, made ready for one remote.
type program struct {
	binary  string
	dir     string // where it runs; not a repository, and no part of one
	address address
	access  Access
	limits  Limits
}

func newProgram(binary, dir string, a address, o Options) program {
	return program{binary: binary, dir: dir, address: a, access: o.Access, limits: o.Limits}
}

// settings are given to every call; nothing else configures it.
var settings = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null", "core.askPass=",
	"core.bigFileThreshold=32m", // larger files go through git in pieces
	"credential.helper=", "credential.interactive=false", "credential.useHttpPath=false",
	"protocol.version=2", "protocol.allow=never", "transfer.bundleURI=false", "fetch.uriProtocols=",
	"http.followRedirects=false", "http.sslVerify=true", "http.emptyAuth=false", "http.saveCookies=false",
	"http.lowSpeedLimit=1", "http.lowSpeedTime=120", // should this process be gone: git ends by itself
	"submodule.recurse=false", "fetch.recurseSubmodules=false",
	"transfer.fsckObjects=true", "fetch.fsckObjects=true", "transfer.unpackLimit=1", "fetch.unpackLimit=1",
	// What people and programs wrote into commits in the course of time harms nobody
	// who reads no names from them. Everything about files stays refused.
	"fetch.fsck.badDate=ignore", "fetch.fsck.badDateOverflow=ignore", "fetch.fsck.zeroPaddedDate=ignore", "fetch.fsck.missingSpaceBeforeDate=ignore",
	"fetch.fsck.badTimezone=ignore", "fetch.fsck.badEmail=ignore", "fetch.fsck.missingEmail=ignore", "fetch.fsck.badName=ignore",
	"fetch.fsck.missingNameBeforeEmail=ignore", "fetch.fsck.missingSpaceBeforeEmail=ignore", "fetch.fsck.multipleAuthors=ignore",
	"fetch.fsck.nulInCommit=ignore", "fetch.fsck.zeroPaddedFilemode=ignore",
	"fetch.writeCommitGraph=false", "gc.auto=0", "maintenance.auto=false",
	"pack.threads=1", "advice.detachedHead=false", "core.quotePath=true",
}

// passed is what an environment may need on the way to a server.
var passed = []string{"PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}

// environment is all that git sees of one.
func (p program) environment() []string {
	env := []string{
		"LC_ALL=C",                                                                                // messages are read
		"HOME=" + filepath.Join(p.dir, "home"), "XDG_CONFIG_HOME=" + filepath.Join(p.dir, "home"), // neither exists
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES=" + filepath.Dir(p.dir),
		"GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_ALLOC_LIMIT=1g", // no packed object makes it take more at once
		"GIT_LFS_SKIP_SMUDGE=1",
	}
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	protocols := "https:ssh"
	if p.access.AllowLocal {
		protocols += ":file"
	}
	env = append(env, "GIT_ALLOW_PROTOCOL="+protocols)
	if p.access.CAFile != "" {
		env = append(env, "GIT_SSL_CAINFO="+p.access.CAFile)
	}
	self, err := os.Executable()
	if err != nil {
		return env // git then finds no credentials, and says so
	}
	switch p.address.scheme {
	case "https":
		env = append(env, helperEnv+"="+helperAskpass, "GIT_ASKPASS="+self)
	case "ssh":
		env = append(env, helperEnv+"="+helperSSH, "GIT_SSH="+self, "GIT_SSH_VARIANT=ssh",
			keyEnv+"="+p.access.KeyFile, knownHostsEnv+"="+p.access.KnownHostsFile)
	}
	return env
}

// command is a call of git that ends, with all it started, when ctx does.
func (p program) command(ctx context.Context, args ...string) *exec.Cmd {
	var argv []string
	for _, s := range settings {
		argv = append(argv, "-c", s)
	}
	cmd := exec.CommandContext(ctx, p.binary, append(argv, args...)...)
	cmd.Dir = p.dir
	cmd.Env = p.environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

var (
	errIdle    = errors.New("git was silent for too long")
	errTimeout = errors.New("git took too long")
	errTooBig  = errors.New("the repository is too big")
)

// sizeEvery is how often the growth of a fetch is looked at.
const sizeEvery = 200 * time.Millisecond

// call is one run of git from its start to its end.
type call struct {
	args    []string
	out     io.Writer    // nil: what it prints is dropped
	network bool         // it talks to the remote
	size    func() int64 // of what it writes; nil: not looked at
}

// run runs git within the limits. The error is what stopped it, or a *failure.
func (p program) run(ctx context.Context, c call) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if p.limits.Timeout > 0 {
		defer time.AfterFunc(p.limits.Timeout, func() { stop(errTimeout) }).Stop()
	}
	cmd, said := p.command(ctx, c.args...), &messages{alive: func() {}}
	cmd.Stdout, cmd.Stderr = c.out, said
	if c.network {
		if p.limits.Idle > 0 {
			idle := time.AfterFunc(p.limits.Idle, func() { stop(errIdle) })
			defer idle.Stop()
			said.alive = func() { idle.Reset(p.limits.Idle) }
		}
		end, err := p.attend(cmd)
		if err != nil {
			return err
		}
		defer end()
	}
	if c.size != nil && p.limits.MaxBytes > 0 {
		done := make(chan struct{})
		defer close(done)
		go watch(done, func() {
			if c.size() > p.limits.MaxBytes {
				stop(errTooBig)
			}
		})
	}
	err := cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return &failure{said: redact(said.text(), p.access.secrets()), cause: err}
	}
	return nil
}

func watch(done <-chan struct{}, look func()) {
	tick := time.NewTicker(sizeEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			look()
		}
	}
}

// attend gives a call of git the pipes over which its helper asks for
// credentials. The function that is returned ends that.
func (p program) attend(cmd *exec.Cmd) (end func(), err error) {
	token, ok := p.access.token(p.address)
	if !ok {
		return func() {}, nil
	}
	answers, toGit, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe for credentials: %w", err)
	}
	fromGit, questions, err := os.Pipe()
	if err != nil {
		answers.Close()
		toGit.Close()
		return nil, fmt.Errorf("making a pipe for credentials: %w", err)
	}
	cmd.ExtraFiles = []*os.File{answers, questions} // answersFD, questionsFD
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		answerAll(fromGit, toGit, func(question string) (string, bool) { return token.answer(p.address, question) })
	}()
	return func() {
		answers.Close()
		questions.Close()
		fromGit.Close()
		toGit.Close()
		<-ended
	}, nil
}
