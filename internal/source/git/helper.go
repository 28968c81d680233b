package git

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// When git needs a credential or an ssh connection, it starts a program. That
// program is this one again, told so by its environment: there is no script to
// leave behind, and no shell to run one.
const (
	helperEnv     = "BOR_GIT_HELPER"
	keyEnv        = "BOR_GIT_SSH_KEY_FILE"
	knownHostsEnv = "BOR_GIT_SSH_KNOWN_HOSTS_FILE"

	helperAskpass = "askpass"
	helperSSH     = "ssh"
)

// The pipes to the process that started git, as its children inherit them.
const (
	answersFD   = 3
	questionsFD = 4
)

// Helper does what git started this program for, if it did; the exit code is then
// the process's. It comes first in main, before arguments and settings are read.
func Helper() (code int, ok bool) {
	switch os.Getenv(helperEnv) {
	case helperAskpass:
		return ask(os.Args[1:], os.NewFile(questionsFD, "questions"), os.NewFile(answersFD, "answers"), os.Stdout), true
	case helperSSH:
		fmt.Fprintln(os.Stderr, connect(os.Args[1:]))
		return 1, true
	}
	return 0, false
}

// ask passes git's question on and prints the answer.
func ask(args []string, questions io.Writer, answers io.Reader, out io.Writer) int {
	question, _, _ := strings.Cut(strings.Join(args, " "), "\n")
	if _, err := fmt.Fprintln(questions, question); err != nil {
		return 1
	}
	line, err := bufio.NewReader(answers).ReadString('\n')
	answer, known := strings.CutPrefix(line, "+")
	if err != nil || !known {
		return 1
	}
	if _, err := io.WriteString(out, answer); err != nil {
		return 1
	}
	return 0
}

// answerAll answers questions, one a line, until nobody can ask any more.
func answerAll(questions io.Reader, answers io.Writer, answer func(string) (string, bool)) {
	for asked := bufio.NewScanner(questions); asked.Scan(); {
		line := "-\n"
		if text, ok := answer(asked.Text()); ok {
			line = "+" + text + "\n"
		}
		if _, err := io.WriteString(answers, line); err != nil {
			return
		}
	}
}

// connect becomes ssh; it returns only when it can't.
func connect(args []string) error {
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		return fmt.Errorf("ssh is not installed on this machine: %w", err)
	}
	argv := append(sshOptions(os.Getenv(keyEnv), os.Getenv(knownHostsEnv)), args...)
	return syscall.Exec(ssh, append([]string{"ssh"}, argv...), []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_PROTOCOL=" + os.Getenv("GIT_PROTOCOL")})
}

// sshOptions make ssh use what the settings name and nothing else: no
// configuration, agent, password, prompt, forwarding or unknown host.
func sshOptions(key, knownHosts string) []string {
	options := []string{"-F", "none", "-T"}
	for _, o := range []string{
		"BatchMode=yes", "StrictHostKeyChecking=yes", "UpdateHostKeys=no",
		"IdentitiesOnly=yes", "IdentityAgent=none", "PreferredAuthentications=publickey",
		"IdentityFile=" + sshPath(key), "UserKnownHostsFile=" + sshPath(knownHosts),
		"ClearAllForwardings=yes", "ForwardAgent=no", "ForwardX11=no", "PermitLocalCommand=no",
		"ProxyCommand=none", "ControlPath=none",
		"ConnectTimeout=20", "ServerAliveInterval=15", "ServerAliveCountMax=4",
	} {
		options = append(options, "-o", o)
	}
	return options
}

// sshPath writes a file's name as the value of an option of ssh, which takes
// quotes and percent signs for its own.
func sshPath(name string) string {
	if name == "" {
		return "none"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(name) + `"`
}
