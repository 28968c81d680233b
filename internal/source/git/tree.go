package git

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"strings"
	"unicode"

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
	w := walk{Tree: t, objects: o, open: folders{filter: t.filter}, skip: skip}
	var visited error
	err = t.entries(ctx, func(e entry) error {
		file, ok, err := w.read(e)
		if err != nil || !ok {
			return err
		}
		visited = visit(file)
		return visited
	})
	if visited != nil {
		return visited
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
	skip    func(source.Skip)
}

// read is an entry's file, unless it is left out.
func (w *walk) read(e entry) (file source.File, ok bool, err error) {
	if !w.open.enter(e.path, w.skip) {
		return file, false, nil
	}
	if e.mode == modeSubmodule {
		w.submodule(e.path)
		return file, false, nil
	}
	c, visible, reason := w.filter.Name(e.path)
	if visible && e.mode == modeLink {
		return file, false, w.link(c, e)
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
	if !visible {
		w.report(reason)
		return file, false, nil
	}
	content, err := w.objects.blob(e.oid, e.size)
	if err != nil {
		return file, false, err
	}
	if pointer(content) {
		w.report(c.Skip(source.KindLFS, "its content is in Git LFS, which isn't fetched: the repository holds only a pointer to it"))
		return file, false, nil
	}
	file, reason = w.filter.File(c, content, w.date)
	file.Revision = w.commit
	w.report(reason)
	return file, reason == nil, nil
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

// maxLink is the longest target of a symbolic link that is looked at, in bytes.
const maxLink = 4096

// link reports a symbolic link, as a local source does: one that leaves the
// repository or stands for a folder always, others when a file of that name would
// be in scope.
func (w *walk) link(c source.Candidate, e entry) error {
	say := "a symbolic link to nothing"
	if e.size <= maxLink {
		target, err := w.objects.blob(e.oid, e.size)
		if err != nil {
			return err
		}
		to := path.Join(path.Dir(e.path), string(target))
		switch {
		case path.IsAbs(string(target)) || to == ".." || strings.HasPrefix(to, "../"):
			w.report(c.Skip(source.KindSymlink, "a symbolic link that leaves the source"))
			return nil
		case strings.ContainsFunc(to, unicode.IsControl): // not to be asked for
		case to == ".":
			to = ""
			fallthrough
		default:
			kind, err := w.objects.kind(w.commit + ":" + to)
			if err != nil {
				return err
			}
			switch kind {
			case "tree":
				w.report(c.Skip(source.KindSymlink, "a symbolic link to a folder of this source: its files are indexed under their own path"))
				return nil
			case "blob":
				say = "a symbolic link to a file of this source: it is indexed under its own path"
			}
		}
	}
	if c.Wanted {
		w.report(c.Skip(source.KindSymlink, say))
	}
	return nil
}

// pointer reports whether a file's content is in Git LFS.
func pointer(content []byte) bool {
	return len(content) < 1024 && bytes.HasPrefix(content, []byte("version https://git-lfs.github.com/spec/v1\n"))
}
