package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"bor/internal/fault"
)

func TestMessages(t *testing.T) {
	alive := 0
	m := &messages{alive: func() { alive++ }}
	for _, part := range []string{"Receiving:  10%\rReceiving: 100%\r", "\nremote: \x1b[31mred\x00\xff\r", "\nfatal: ", "it failed\r\n", "\n", strings.Repeat("x", 3000) + "\nlast"} {
		if n, err := m.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got, want := m.text(), "Receiving: 100%\nremote:  [31mred ?\nfatal: it failed\n"+strings.Repeat("x", maxMessage)+"\nlast"; got != want || alive != 6 {
		t.Errorf("%d: %q", alive, got)
	}
	for n := range 1000 {
		fmt.Fprintln(m, "line", n)
	}
	if got := strings.Split(m.text(), "\n"); len(got) != maxMessages || got[maxMessages-1] != "line 999" {
		t.Errorf("%q", got)
	}
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"fatal: unable to access 'https://me:pass@h.org/x/': 403": "fatal: unable to access 'https://…@h.org/x/': 403",
		"ssh://git@h.org/x and tokentoken":                        "ssh://…@h.org/x and ……",
		"mail me@h.org, https://h.org/@x":                         "mail me@h.org, https://h.org/@x",
	} {
		if got := redact(text, []string{"token"}); got != want {
			t.Errorf("%q", got)
		}
	}
}

func TestWordsForWhatStopsAFetch(t *testing.T) {
	tree := &Tree{git: program{address: address{scheme: "https", host: "h.org"}}}
	said := func(text string) error { return &failure{said: text, cause: errors.New("exit status 128")} }
	for _, c := range []struct {
		err   error
		code  fault.Code
		words string
		local bool
	}{
		{said("fatal: write error: No space left on device"), fault.Unavailable, "disk is full", false},
		{said("error: unable to create: Read-only file system"), fault.Unavailable, "disk is full", false},
		{&fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.EACCES}, fault.Unavailable, "writable", true},
		{said("fatal: attempting to allocate 4294967295 over limit 1073741824"), fault.Invalid, "more memory", false},
		{said("fatal: detected dubious ownership in repository at '/srv'"), fault.Forbidden, "another account", false},
		{said("fatal: couldn't find remote ref refs/heads/x"), fault.NotFound, "disappeared", false},
		{said("error: RPC failed; curl 56\nfatal: early EOF\nfatal: index-pack failed"), fault.Unavailable, "ended early", false},
		{said("fatal: bad object"), fault.Unavailable, "couldn't be fetched from h.org", true},
		{said(""), fault.Unavailable, "couldn't be fetched from h.org", true},
		{errIdle, fault.Unavailable, "silent", false},
		{errTimeout, fault.Unavailable, "limit", false},
		{errTooBig, fault.Invalid, "BOR_GIT_MAX_MB", true},
		{fault.New(fault.NotFound, "no branch"), fault.NotFound, "no branch", false},
	} {
		wantFault(t, tree.words(context.Background(), c.err), c.code, c.words)
		if local(c.err) != c.local {
			t.Errorf("%v: that it is the copy's fault is %v", c.err, local(c.err))
		}
	}
	if got := said("fatal: one\nand two").Error(); got != "git says: fatal: one; and two" {
		t.Errorf("%q", got)
	}
	if got := said(strings.Repeat("ä", 2000)).Error(); len(got) > maxSaid+20 || !utf8.ValidString(got) {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := tree.words(ctx, context.Canceled); !errors.Is(err, context.Canceled) || local(err) {
		t.Errorf("stopped: %v", err)
	}
	if tree.words(ctx, nil) != nil {
		t.Error("nothing became an error")
	}
}

func TestTheGitProgram(t *testing.T) {
	for version, want := range map[string]bool{
		"git version 2.39.5 (Apple Git-154)\n": true, "git version 2.39\n": true, "git version 3.0.0\n": true, "git version 2.53.0.windows.1": true,
		"git version 2.38.9\n": false, "git version 1.99": false, "hub version 2.40": false, "": false,
	} {
		if recent([]byte(version)) != want {
			t.Errorf("%q is taken: %v", version, !want)
		}
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	_, err := find(context.Background())
	wantFault(t, err, fault.Unavailable, "need the git program", "apt install git")
	for text, words := range map[string]string{"#!/bin/sh\necho git version 2.20.1\n": `says "git version 2.20.1"`, "#!/bin/sh\nexit 1\n": "doesn't run"} {
		must(t, os.WriteFile(filepath.Join(dir, "git"), []byte(text), 0o755))
		_, err := find(context.Background())
		wantFault(t, err, fault.Unavailable, words)
	}
	wantFault(t, refused(t, Remote{URL: "https://h.org/x"}, options(t)), fault.Unavailable, filepath.Join(dir, "git"))
}
