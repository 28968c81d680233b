package git

import (
	"bytes"
	"context"
	"io/fs"

	"bor/internal/fault"
	"bor/internal/source"
)

// Count lists the commit's files by their names.
func (t *Tree) Count(ctx context.Context) (files int, err error) {
	open := folders{filter: t.filter}
	err = t.entries(ctx, func(e entry) error {
		if open.enter(e.path, func(source.Skip) {}) && e.regular() {
			if c, visible, _ := t.filter.Name(e.path); visible {
				if ok, _ := c.Admit(0); ok {
					files++
				}
			}
		}
		return nil
	})
	return files, t.damaged(ctx, err)
}

// Walk hands every file of the commit in scope to visit, in git's order, and
// reports what it leaves out to skip. It stops at the first error of visit and
// returns it as it is; any other error says that the commit wasn't seen whole.
func (t *Tree) Walk(ctx context.Context, visit func(source.File) error, skip func(source.Skip)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	o, err := t.objects(ctx)
	if err != nil {
		return t.damaged(ctx, err)
	}
	defer o.close()
	w := walk{Tree: t, objects: o, open: folders{filter: t.filter}, visit: visit, skip: skip}
	err = t.entries(ctx, w.take)
	if err == nil {
		err = w.flush()
	}
	if w.visited != nil {
		return w.visited
	}
	return t.damaged(ctx, err)
}

// damaged marks the copy as broken when reading it failed by itself.
func (t *Tree) damaged(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || fault.CodeOf(err) != fault.Internal {
		return err
	}
	t.broken = true
	return fault.Wrap(fault.Unavailable, "The copy of the repository is damaged, or changed while it was read. It is thrown away; the next sync fetches it anew.", err)
}

// walk is one walk under way.
type walk struct {
	*Tree
	objects *objects
	open    folders
	wanted  []wanted // not yet asked for
	visit   func(source.File) error
	skip    func(source.Skip)
	visited error // what visit ended the walk with
}

// wanted is an entry that is to be read.
type wanted struct {
	source.Candidate
	entry
}

// together is how many files are asked for at once: a pipe holds that many
// requests, and git reads on while the first are taken in.
const together = 64

// take decides on an entry.
func (w *walk) take(e entry) error {
	if !w.open.enter(e.path, w.skip) {
		return nil
	}
	if e.mode == modeSubmodule {
		w.submodule(e.path)
		return nil
	}
	c, visible, reason := w.filter.Name(e.path)
	if visible && e.mode == modeLink {
		return w.link(c, e)
	}
	if visible {
		mode := fs.FileMode(0)
		if !e.regular() {
			mode = fs.ModeIrregular
		}
		visible, reason = c.Admit(mode)
	}
	if visible && w.filter.MaxFileBytes > 0 && e.size > w.filter.MaxFileBytes {
		visible, reason = false, w.filter.TooBig(e.path, e.size)
	}
	w.report(reason)
	if visible {
		w.wanted = append(w.wanted, wanted{c, e})
	}
	if len(w.wanted) == together {
		return w.flush()
	}
	return nil
}

// flush reads and hands on what is wanted.
func (w *walk) flush() error {
	if len(w.wanted) == 0 {
		return nil
	}
	var requests []string
	for _, e := range w.wanted {
		requests = append(requests, "contents "+e.oid)
	}
	if err := w.objects.ask(requests...); err != nil {
		return err
	}
	for _, e := range w.wanted {
		content, err := w.objects.content(e.size)
		if err != nil {
			return err
		}
		if err := w.hand(e, content); err != nil {
			return err
		}
	}
	w.wanted = w.wanted[:0]
	return nil
}

// hand hands a file on, unless its content is to be left out.
func (w *walk) hand(e wanted, content []byte) error {
	if pointer(content) {
		w.report(e.Skip(source.KindLFS, "its content is in Git LFS, which isn't fetched: the repository holds only a pointer to it"))
		return nil
	}
	file, reason := w.filter.File(e.Candidate, content, w.date)
	if reason != nil {
		w.skip(*reason)
		return nil
	}
	file.Revision = w.commit
	w.visited = w.visit(file)
	return w.visited
}

func (w *walk) report(reason *source.Skip) {
	if reason != nil {
		w.skip(*reason)
	}
}

func (w *walk) submodule(dir string) {
	enter, reason := w.filter.Folder(dir)
	if enter {
		reason = &source.Skip{Path: dir, Kind: source.KindSubmodule, Reason: "a submodule, which is another repository: register that as a source of its own to have its files"}
	}
	w.report(reason)
}

// pointer reports whether a file's content is in Git LFS.
func pointer(content []byte) bool {
	return len(content) < 1024 && bytes.HasPrefix(content, []byte("version https://git-lfs.github.com/spec/v1\n"))
}
