package git

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"bor/internal/fault"
)

// tip is the only reference of a copy.
const tip = "refs/bor/tip"

// maxPacks is how many fetches a copy grows by before it is packed anew.
const maxPacks = 10

// update makes the copy hold what the remote's branch is now.
func (t *Tree) update(ctx context.Context, r Remote) error {
	h, err := t.ask(ctx, r)
	if err != nil {
		return err
	}
	t.branch = h.branch
	exists, err := t.cache.tidy()
	if exists && err == nil {
		if err = t.catchUp(ctx, r, h); err == nil || !local(err) {
			return err
		}
	}
	return t.anew(ctx, r, h)
}

// head is what a remote says of its branch.
type head struct {
	ref    string // to fetch
	commit string
	branch string // its name; empty when the remote doesn't tell
}

var objectForm = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// ask asks the remote where its branch is.
func (t *Tree) ask(ctx context.Context, r Remote) (head, error) {
	h := head{ref: "HEAD", branch: r.Branch}
	args := []string{"ls-remote", "--symref", "--end-of-options", r.URL, "HEAD"}
	if r.Branch != "" {
		h.ref = "refs/heads/" + r.Branch
		args = append(args, h.ref)
	}
	out := capped{max: 1 << 20}
	if err := t.git.run(ctx, call{args: args, out: &out, network: true}); err != nil {
		return head{}, err
	}
	ours := ""
	for line := range bytes.Lines(out.Bytes()) {
		value, ref, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
		if target, ok := strings.CutPrefix(value, "ref: refs/heads/"); ok && ref == "HEAD" {
			ours = target
		} else if ref == h.ref && objectForm.MatchString(value) {
			h.commit = value
		}
	}
	if CheckBranch(ours) != nil { // the remote may say anything
		ours = ""
	}
	switch {
	case h.commit != "":
		if r.Branch == "" {
			h.branch = ours
		}
		return h, nil
	case r.Branch == "":
		return head{}, fault.New(fault.NotFound, "The repository has no commit on its default branch: it is empty, or the branch is gone. Push to it, or name another branch.")
	case ours != "":
		return head{}, fault.New(fault.NotFound, fmt.Sprintf("The repository has no branch %q. Its default branch is %q.", r.Branch, ours))
	}
	return head{}, fault.New(fault.NotFound, fmt.Sprintf("The repository has no branch %q.", r.Branch))
}

// catchUp brings a copy that is there up to date.
func (t *Tree) catchUp(ctx context.Context, r Remote, h head) error {
	commit, err := t.resolve(ctx)
	if err != nil {
		return err
	}
	if commit != h.commit {
		if err := t.fetch(ctx, r, h); err != nil {
			return err
		}
	}
	if t.cache.packs() > maxPacks {
		if err := t.inRepo(ctx, call{args: []string{"gc", "--quiet", "--prune=now"}}); err != nil {
			return err
		}
	}
	return t.settle(ctx)
}

// anew throws away what is there and fetches everything.
func (t *Tree) anew(ctx context.Context, r Remote, h head) error {
	if err := t.cache.discard(); err != nil {
		return err
	}
	t.cache.fresh = true
	format := "--object-format=sha1"
	if len(h.commit) == 64 {
		format = "--object-format=sha256"
	}
	err := t.git.run(ctx, call{args: []string{"init", "--quiet", "--bare", "--template=", "--initial-branch=none", format, "--", t.cache.repo}})
	if err != nil {
		return err
	}
	if err := t.fetch(ctx, r, h); err != nil {
		return err
	}
	return t.settle(ctx)
}

// fetch takes over the branch's commit, alone, whatever was there before.
func (t *Tree) fetch(ctx context.Context, r Remote, h head) error {
	err := t.inRepo(ctx, call{network: true, size: t.cache.size, args: []string{
		"fetch", "--depth=1", "--update-shallow", "--force", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
		"--no-auto-maintenance", "--progress", "--end-of-options", r.URL, "+" + h.ref + ":" + tip}})
	if err == nil && t.git.limits.MaxBytes > 0 && t.cache.size() > t.git.limits.MaxBytes {
		err = errTooBig
	}
	return err
}

// settle reads which commit the copy holds, and that none of its files is missing.
func (t *Tree) settle(ctx context.Context) error {
	commit, err := t.resolve(ctx)
	if err != nil {
		return err
	}
	if err := t.inRepo(ctx, call{args: []string{"rev-list", "--objects", "--quiet", "--max-count=1", commit}}); err != nil {
		return err
	}
	object := capped{max: 1 << 20}
	if err := t.inRepo(ctx, call{args: []string{"cat-file", "commit", commit}, out: &object}); err != nil {
		return err
	}
	t.commit, t.date = commit, commitDate(object.Bytes())
	return nil
}

// resolve is the commit that the copy holds.
func (t *Tree) resolve(ctx context.Context) (string, error) {
	var out bytes.Buffer
	if err := t.inRepo(ctx, call{args: []string{"rev-parse", "--verify", tip + "^{commit}"}, out: &out}); err != nil {
		return "", err
	}
	commit := strings.TrimSpace(out.String())
	if !objectForm.MatchString(commit) {
		return "", fmt.Errorf("the copy's commit reads %q", commit)
	}
	return commit, nil
}

func (t *Tree) inRepo(ctx context.Context, c call) error {
	c.args = append([]string{"--git-dir=" + t.cache.repo}, c.args...)
	return t.git.run(ctx, c)
}

// capped keeps the first bytes that are written to it.
type capped struct {
	bytes.Buffer
	max int
}

func (c *capped) Write(b []byte) (int, error) {
	if room := c.max - c.Len(); room > 0 {
		c.Buffer.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}
