package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test's own program is what git starts for credentials and ssh; under the
// name ssh it stands in for that, and it is a process that can be killed.
func TestMain(m *testing.M) {
	if code, ok := Helper(); ok {
		os.Exit(code)
	}
	if filepath.Base(os.Args[0]) == "ssh" {
		os.Exit(standIn())
	}
	if url := os.Getenv("TEST_OPEN"); url != "" {
		_, err := Open(context.Background(), Remote{URL: url}, Options{CacheDir: os.Getenv("TEST_CACHE"), Access: Access{CAFile: os.Getenv("TEST_CA")}})
		fmt.Fprintln(os.Stderr, "opened", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// sshFolder makes a folder that has nothing in it but a program that stands in
// for ssh, which writes down how it was called. It is put first in PATH.
func sshFolder(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "ssh")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// standIn serves the repository that is asked for from the disk, unless its
// folder holds a text to fail with, or a pipe to wait at.
func standIn() int {
	program, err := exec.LookPath("ssh")
	if err != nil {
		return 1
	}
	dir := filepath.Dir(program)
	parent, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", os.Getppid()))
	note := strings.Join(os.Args, "\n") + "\n--\n" + strings.Join(os.Environ(), "\n") + "\n--\n" + string(parent)
	if os.WriteFile(filepath.Join(dir, "called"), []byte(note), 0o600) != nil {
		return 1
	}
	if text, err := os.ReadFile(filepath.Join(dir, "fail")); err == nil {
		os.Stderr.Write(text)
		return 255
	}
	if _, err := os.Stat(filepath.Join(dir, "wait")); err == nil {
		os.WriteFile(filepath.Join(dir, "wait"), []byte(fmt.Sprint(os.Getpid(), "\n")), 0o600) // a pipe: until the test reads it
		select {}
	}
	command := os.Args[len(os.Args)-1]
	path, ok := strings.CutPrefix(command, "git-upload-pack '")
	if !ok {
		return 1
	}
	cmd := exec.Command("git", "upload-pack", strings.TrimSuffix(path, "'"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if cmd.Run() != nil {
		return 1
	}
	return 0
}
