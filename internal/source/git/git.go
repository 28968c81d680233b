// Package git reads a branch of a git repository as a source.
//
// It owns the way from an address in a form to a stream of files: which
// addresses and branches are taken, the copy in the cache folder, the fetch, the
// credentials on their way to the server, and what people read when something
// fails. It knows no database.
//
// The repository is fetched bare and shallow and read with ls-tree and cat-file.
// Nothing is ever checked out: names of files in a repository never become names
// on this machine, and there is nothing for filters, hooks, attributes or
// submodules to act on (SEC2, DEC18).
//
// Invariants:
//   - The git program gets an environment and a configuration that are made here
//     from nothing. No shell is started, no file of the user's or the system's
//     git or ssh configuration is read.
//   - A credential goes to the host that it was set for, over a pipe, when git
//     asks. It is in no argument, no environment, no file and no message.
//   - The copy is a cache. Whatever is wrong with it, it is thrown away and
//     fetched anew; a run that was killed leaves nothing that stops the next.
//   - Every wait has an end, and what is fetched has a bound.
//
// Rejected: a git library in Go (none checks what it receives as git does, or
// stays small on a large repository), a checkout (names become files), partial
// clones (few servers allow them), and one folder for all branches of a
// repository (two sources would wait for each other).
package git

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"bor/internal/source"
)

// Remote names a branch of a repository.
type Remote struct {
	URL    string // see CheckURL
	Branch string // see CheckBranch; empty means the repository's default branch
}

// Options is what the settings say about all remotes.
type Options struct {
	CacheDir string // made when it is missing
	Scope    source.Scope
	Access   Access
	Limits   Limits
}

// Limits bound one fetch. Zero is no limit.
type Limits struct {
	MaxBytes int64         // of the repository's copy
	Timeout  time.Duration // for all of it
	Idle     time.Duration // without a sign of life
}

// Tree is a branch at the commit that it had when it was opened.
type Tree struct {
	cache  *cache
	git    program
	filter source.Filter
	commit string
	branch string
	date   time.Time
	broken bool // the copy is not to be trusted
}

var _ source.Tree = (*Tree)(nil)

// Open brings the copy of the remote's branch up to date and opens it. Close
// releases it. Errors are faults with words for people: Invalid for an address or
// a branch that isn't taken, NotFound and Forbidden as the server says,
// Unavailable for what may pass.
func Open(ctx context.Context, r Remote, o Options) (*Tree, error) {
	a, err := parse(r.URL, o.Access.AllowLocal)
	if err != nil {
		return nil, err
	}
	if r.Branch != "" {
		if err := CheckBranch(r.Branch); err != nil {
			return nil, err
		}
	}
	binary, err := find(ctx)
	if err != nil {
		return nil, err
	}
	c, err := claim(o.CacheDir, r)
	if err != nil {
		return nil, err
	}
	t := &Tree{cache: c, git: newProgram(binary, c.dir, a, o), filter: o.Scope.Filter()}
	if err := t.update(ctx, r); err != nil {
		t.broken = c.fresh
		return nil, errors.Join(t.words(ctx, err), t.Close())
	}
	return t, nil
}

// Revision is the commit that is read, in hexadecimal.
func (t *Tree) Revision() string { return t.commit }

// Branch is the name of the branch that is read, empty when the remote doesn't
// say what its default branch is called.
func (t *Tree) Branch() string { return t.branch }

// Date is the commit's, zero when it has none that makes sense.
func (t *Tree) Date() time.Time { return t.date }

// Close releases the copy for other runs, and throws it away if it proved broken.
func (t *Tree) Close() error {
	var err error
	if t.broken {
		err = t.cache.discard()
	}
	return errors.Join(err, t.cache.release())
}

// lastSecond is the last one of the year 9999, which is as far as dates go.
const lastSecond = 253402300799

// commitDate reads the committer's date from a commit object; names in it may be
// anything at all.
func commitDate(object []byte) time.Time {
	header, _, _ := bytes.Cut(object, []byte("\n\n"))
	for line := range bytes.Lines(header) {
		rest, ok := bytes.CutPrefix(line, []byte("committer "))
		if !ok {
			continue
		}
		fields := bytes.Fields(rest[bytes.LastIndexByte(rest, '>')+1:])
		if len(fields) == 0 {
			return time.Time{}
		}
		seconds, err := strconv.ParseInt(string(fields[0]), 10, 64)
		if err != nil || seconds <= 0 || seconds > lastSecond {
			return time.Time{}
		}
		return time.Unix(seconds, 0).UTC()
	}
	return time.Time{}
}
