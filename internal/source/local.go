package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// Dir is a local directory opened as a source. It is not safe for concurrent use.
type Dir struct {
	name   string
	root   *os.Root
	filter Filter
	ahead  int // files that are read at a time; 0: each when its turn comes
}

// Local opens a directory, named by its absolute path, to be walked in place. A missing directory, or something
// that is none, is an error. The directory itself may be reached through a symbolic link. Close releases it.
func Local(dir string, scope Scope) (*Dir, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the source directory %q is not an absolute path: write it from the root, such as /srv/notes", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the source directory %q cannot be opened: %w", dir, cause(err))
	}
	return &Dir{name: dir, root: root, filter: scope.Filter(), ahead: atOnce()}, nil
}

// Close releases the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Count walks the names alone and gives the number of files in scope, those included whose content will turn out
// to be a secret or no text. It gives progress its total, and it fails where Walk would fail for a folder that
// can't be read, before anything has been indexed.
func (d *Dir) Count(ctx context.Context) (files int, err error) {
	err = d.walk(ctx, walker{file: func(entry) error { files++; return nil }, skip: func(Skip) {}})
	return files, err
}

// Walk hands every file in scope to visit and reports what it leaves out to skip, folder by folder, each folder's
// entries in the byte order of their names. It stops at the first error of visit and returns it as it is.
//
// A file that can't be read is reported and the walk goes on. A folder that can't be read, and a source directory
// that was removed or replaced meanwhile, end the walk with an error: the caller knows only a part of the tree
// then, and must not prune.
func (d *Dir) Walk(ctx context.Context, visit func(File) error, skip func(Skip)) error {
	r := &reader{Dir: d, ctx: ctx, visit: visit, skip: skip}
	defer r.abandon()
	if err := d.walk(ctx, walker{file: r.begin, skip: r.leaveOut}); err != nil {
		return err
	}
	if err := r.rest(); err != nil {
		return err
	}
	return d.unmoved()
}

// entry is a file in scope, found in the folder that parent is.
type entry struct {
	Candidate
	parent *folder
}

// walker is what a walk calls: for every file in scope, and for every name that is left out.
type walker struct {
	file func(entry) error
	skip func(Skip)
}

func (d *Dir) walk(ctx context.Context, to walker) error {
	root, err := d.root.Open(".")
	if err != nil {
		return d.unreadable("", err)
	}
	defer root.Close()
	return d.descend(ctx, root, ".", "", to)
}

// descend walks a folder of a folder. One that vanished since it was listed is empty; one that is something else
// by now, such as a link, is an error. Each folder is opened in the one around it, so that opening a file is one
// step however deep it lies; the length of paths bounds how many are open.
func (d *Dir) descend(ctx context.Context, parent *os.File, name, dir string, to walker) error {
	in, err := openFolder(parent, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return d.unreadable(dir, err)
	}
	defer in.release()
	items, err := in.list()
	if err != nil {
		return d.unreadable(dir, err)
	}
	for _, item := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		file := path.Join(dir, item.Name())
		if item.IsDir() {
			enter, reason := d.filter.Folder(file)
			report(reason, to.skip)
			if enter {
				err = d.descend(ctx, in.File, item.Name(), file, to)
			}
		} else if c, ok := d.admit(file, item.Type(), to.skip); ok {
			err = to.file(entry{c, in})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errReplaced = errors.New("it was replaced while the source was read")

func (d *Dir) unreadable(dir string, err error) error {
	return fmt.Errorf("the folder %q of the source directory %q cannot be read: %w. "+
		"Make it readable, or add it to the source's ignore paths", "./"+dir, d.name, cause(err))
}

// admit decides by name and type whether a file is read.
func (d *Dir) admit(file string, mode fs.FileMode, skip func(Skip)) (Candidate, bool) {
	c, visible, reason := d.filter.Name(file)
	if visible && mode&fs.ModeSymlink != 0 {
		visible, reason = false, d.link(file, c.Wanted)
	}
	if visible {
		visible, reason = c.Admit(mode)
	}
	report(reason, skip)
	return c, visible
}

func report(reason *Skip, skip func(Skip)) {
	if reason != nil {
		skip(*reason)
	}
}

// link says why a symbolic link is left out. Links that leave the source are always reported, others when a file
// of that name would be in scope or when they stand for a folder.
func (d *Dir) link(name string, wanted bool) *Skip {
	info, err := d.root.Stat(name)
	reason, tell := "a symbolic link that leaves the source", true
	switch {
	case err == nil && info.IsDir():
		reason = "a symbolic link to a folder of this source: its files are indexed under their own path"
	case err == nil:
		reason, tell = "a symbolic link to a file of this source: it is indexed under its own path", wanted
	case errors.Is(err, fs.ErrNotExist):
		reason, tell = "a symbolic link to nothing", wanted
	case errors.Is(err, syscall.ELOOP):
		reason, tell = "a symbolic link in a circle", wanted
	case errors.Is(err, fs.ErrPermission):
		reason, tell = "a symbolic link whose target cannot be reached: "+cause(err).Error(), wanted
	}
	if !tell {
		return nil
	}
	return &Skip{printable(name), KindSymlink, reason}
}

// unmoved checks that the directory's name still stands for the directory that was walked.
func (d *Dir) unmoved() error {
	now, err := os.Stat(d.name)
	if err == nil {
		var walked fs.FileInfo
		if walked, err = d.root.Stat("."); err == nil && !os.SameFile(now, walked) {
			err = errors.New("another directory has its name")
		}
	}
	if err != nil {
		return fmt.Errorf("the source directory %q was removed or replaced while it was read: %w", d.name, cause(err))
	}
	return nil
}

// cause drops the operation and path that the os package puts around an error: our message names them already.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
