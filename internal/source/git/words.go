package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"syscall"

	"bor/internal/fault"
)

// failure is a call of git that failed, with what it said.
type failure struct {
	said  string // redacted
	cause error
}

// maxSaid is how much of what git said goes into an error, in bytes: one line of
// a log or a report.
const maxSaid = 1000

func (f *failure) Error() string {
	if f.said == "" {
		return f.cause.Error()
	}
	said := strings.ReplaceAll(f.said, "\n", "; ")
	if len(said) > maxSaid {
		said = strings.ToValidUTF8(said[:maxSaid], "") + "…"
	}
	return "git says: " + said
}

func (f *failure) Unwrap() error { return f.cause }

// reason is a known cause of a failure: what git says, and what people read.
type reason struct {
	says  *regexp.Regexp
	code  fault.Code
	words string // {host} and {token} are filled in
}

// reasons are in the order in which they are looked for: what says more first.
// They are of the remote; a failure that none of them fits may be the copy's.
var reasons = []reason{
	{saying("REMOTE HOST IDENTIFICATION HAS CHANGED", "Offending .* key in"), fault.Forbidden,
		"{host} shows another ssh key than the one that BOR_GIT_SSH_KNOWN_HOSTS_FILE has for it: someone may be in between, or the host has a new key. Compare its fingerprint with the one that its operator publishes before you replace the line."},
	{saying("Host key verification failed", "No .* host key is known for"), fault.Forbidden,
		"The ssh key of {host} isn't known. Put it into BOR_GIT_SSH_KNOWN_HOSTS_FILE (ssh-keyscan prints it) after comparing its fingerprint with the one that the operator publishes."},
	{saying("UNPROTECTED PRIVATE KEY", "Load key .*: ", "Identity file .* not accessible", "no such identity"), fault.Forbidden,
		"The ssh key of BOR_GIT_SSH_KEY_FILE can't be used. It must exist, be readable for bor's account alone (chmod 600), and have no passphrase."},
	{saying(`Permission denied \(`, "Too many authentication failures"), fault.Forbidden,
		"{host} refused the ssh key. Set BOR_GIT_SSH_KEY_FILE to a private key, and add its public half to the repository as a deploy key."},
	{saying("ssh is not installed"), fault.Unavailable,
		"The address is an ssh one, and this machine has no ssh program. Install it, such as with: apt install openssh-client."},
	{saying("Could not resolve host", "Name or service not known", "Temporary failure in name resolution"), fault.Unavailable,
		"No host named {host} is known. Check the address, or the server's DNS."},
	{saying("certificate", "SSL routines", "gnutls_handshake", "SSL connection"), fault.Unavailable,
		"{host} has no certificate that is trusted here. If it is signed by your own authority, set BOR_GIT_CA_FILE to that authority's certificate."},
	{saying("Failed to connect to", "Connection refused", "Connection timed out", "No route to host", "Network is unreachable", "Operation timed out", "connect to host .* port"), fault.Unavailable,
		"{host} can't be reached. Check the address and the network; the next sync tries again."},
	{saying("could not read Username", "could not read Password"), fault.Forbidden,
		"{host} wants a login for this repository: it is private, or there is none of that name. For a private one, add {token} to BOR_GIT_TOKENS."},
	{saying("Authentication failed for", "returned error: 401"), fault.Forbidden,
		"{host} refused the token of BOR_GIT_TOKENS: it is wrong, has expired, or was withdrawn. Make a new one that may read the repository."},
	{saying("returned error: 403"), fault.Forbidden,
		"{host} doesn't let this login read the repository. Check what the token in BOR_GIT_TOKENS is allowed to."},
	{saying("unable to update url base from redirection", "returned error: 30[1278]"), fault.NotFound,
		"{host} says that the repository has moved. Redirections aren't followed: enter the new address, or try it with .git at its end."},
	{saying(`repository '.*' not found`, "returned error: 404", "returned error: 410", "Repository not found", "project you were looking for could not be found", "does not appear to be a git repository", "does not exist"), fault.NotFound,
		"{host} has no such repository, or doesn't show it to this login. Check the address; for a private repository, check the token or key."},
	{saying("returned error: 429"), fault.Unavailable,
		"{host} says that it was asked too often. The next sync tries again."},
	{saying(`returned error: 5\d\d`), fault.Unavailable,
		"{host} has trouble of its own. The next sync tries again."},
	{saying("couldn't find remote ref"), fault.NotFound,
		"The branch disappeared while it was fetched. The next sync looks again."},
	{saying("fsck error", "index-pack failed.*\n?.*object is malformed", "is not allowed in"), fault.Invalid,
		"The repository holds data that git's own check refuses, such as a file named like git's own or a tree that names a folder above itself. Nothing of it was read."},
	{saying("corruption on the remote side"), fault.Invalid,
		"The repository is damaged where it is kept: {host} itself can't read it."},
	{saying("over limit", "Out of memory", "out of memory"), fault.Invalid,
		"The repository holds an object that takes more memory than git is given."},
	{saying("dubious ownership"), fault.Forbidden,
		"The local repository belongs to another account than the one that bor runs as, and git doesn't read it then. Give it to bor's account."},
	{saying("dumb http transport", "not valid: is this a git repository", "protocol error: bad line length", "expected flush", "invalid server response"), fault.Invalid,
		"What answers at {host} is no git server that can be fetched from. Check the address."},
	{saying("early EOF", "unexpected disconnect", "hung up unexpectedly", "RPC failed", "transfer closed", "Connection reset", "Broken pipe", "closed by remote host", "Operation too slow", "Could not read from remote repository"), fault.Unavailable,
		"The connection to {host} ended early. The next sync tries again."},
}

func saying(any ...string) *regexp.Regexp { return regexp.MustCompile(strings.Join(any, "|")) }

// known is the first reason that fits what git said.
func (f *failure) known() (reason, bool) {
	for _, r := range reasons {
		if r.says.MatchString(f.said) {
			return r, true
		}
	}
	return reason{}, false
}

// local reports whether an error may be the copy's own fault, so that fetching
// anew may help.
func local(err error) bool {
	var f *failure
	if errors.As(err, &f) {
		_, known := f.known()
		return !known && !full(err)
	}
	for _, stopped := range []error{errIdle, errTimeout, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, stopped) {
			return false
		}
	}
	return fault.CodeOf(err) == fault.Internal
}

// full reports whether the disk is the matter.
func full(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EROFS, fs.ErrPermission} {
		if errors.Is(err, cause) {
			return true
		}
	}
	var f *failure
	return errors.As(err, &f) && (strings.Contains(f.said, "No space left") || strings.Contains(f.said, "Read-only file system"))
}

// words makes of an error what people read. What stopped the run from outside
// stays what it is.
func (t *Tree) words(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var known *fault.Error
	var f *failure
	l := t.git.limits
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, errTooBig):
		return fault.New(fault.Invalid, fmt.Sprintf("The repository has more than %d MB, which is the limit (BOR_GIT_MAX_MB). Nothing of it was kept.", l.MaxBytes>>20))
	case errors.Is(err, errTimeout):
		return fault.New(fault.Unavailable, t.fill(fmt.Sprintf("Fetching from {host} wasn't done after %s, which is the limit (BOR_GIT_TIMEOUT). The next sync tries again.", l.Timeout)))
	case errors.Is(err, errIdle):
		return fault.New(fault.Unavailable, t.fill(fmt.Sprintf("{host} was silent for %s, which is the limit (BOR_GIT_IDLE_TIMEOUT). The next sync tries again.", l.Idle)))
	case full(err):
		return fault.Wrap(fault.Unavailable, "The copy of the repository can't be written: the disk is full, or BOR_SOURCES_DIR isn't writable for bor.", err)
	case errors.As(err, &f):
		if r, ok := f.known(); ok {
			return fault.Wrap(r.code, t.fill(r.words), err)
		}
	}
	return fault.Wrap(fault.Unavailable, t.fill("The repository couldn't be fetched from {host}."), err)
}

func (t *Tree) fill(words string) string {
	host := t.git.address.host
	if t.git.address.scheme == "file" {
		host = "This machine"
	}
	return strings.NewReplacer("{host}", host, "{token}", host+"=token").Replace(words)
}
