package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Dir is a local directory opened as a source. It is not safe for concurrent use.
type Dir struct {
	name  string
	root  *os.Root
	rules rules
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
	return &Dir{name: dir, root: root, rules: scope.rules()}, nil
}

// Close releases the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Count walks the names alone and gives the number of files in scope, those included whose content will turn out
// to be a secret or no text. It gives progress its total, and it fails where Walk would fail for a folder that
// can't be read, before anything has been indexed.
func (d *Dir) Count(ctx context.Context) (files int, err error) {
	err = d.walk(ctx, d.root, "", func(entry) error { files++; return nil }, func(Skip) {})
	return files, err
}

// Walk hands every file in scope to visit and reports what it leaves out to skip, folder by folder, each folder's
// entries in the byte order of their names. It stops at the first error of visit and returns it as it is.
//
// A file that can't be read is reported and the walk goes on. A folder that can't be read, and a source directory
// that was removed or replaced meanwhile, end the walk with an error: the caller knows only a part of the tree
// then, and must not prune.
func (d *Dir) Walk(ctx context.Context, visit func(File) error, skip func(Skip)) error {
	err := d.walk(ctx, d.root, "", func(e entry) error {
		file, reason := d.read(e)
		if reason != nil {
			skip(*reason)
			return nil
		}
		return visit(file)
	}, skip)
	if err != nil {
		return err
	}
	return d.unmoved()
}

// entry is a file in scope, found in the folder that parent has open.
type entry struct {
	fs.DirEntry
	parent  *os.Root
	path    string
	image   bool
	allowed bool
}

// walk goes through one folder. Each folder is a root of its own, so that opening a file is one step however deep
// it lies; the length of paths bounds how many are open.
func (d *Dir) walk(ctx context.Context, folder *os.Root, dir string, visit func(entry) error, skip func(Skip)) error {
	items, err := list(folder)
	if err != nil {
		return d.unreadable(dir, err)
	}
	for _, item := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		file := path.Join(dir, item.Name())
		if item.IsDir() {
			if d.enter(file, item.Name(), skip) {
				err = d.descend(ctx, folder, item, file, visit, skip)
			}
		} else if e, ok := d.admit(entry{DirEntry: item, parent: folder, path: file}, skip); ok {
			err = visit(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func list(folder *os.Root) ([]fs.DirEntry, error) {
	f, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	items, err := f.ReadDir(-1)
	slices.SortFunc(items, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return items, err
}

// descend walks a folder of a folder. One that vanished since it was listed is empty; one that is something else
// by now, such as a link, is an error.
func (d *Dir) descend(ctx context.Context, parent *os.Root, item fs.DirEntry, dir string, visit func(entry) error, skip func(Skip)) error {
	folder, err := parent.OpenRoot(item.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return d.unreadable(dir, err)
	}
	defer folder.Close()
	if !same(item, folder) {
		return d.unreadable(dir, errReplaced)
	}
	return d.walk(ctx, folder, dir, visit, skip)
}

var errReplaced = errors.New("it was replaced while the source was read")

// same reports whether an open folder is the one that was listed.
func same(listed fs.DirEntry, folder *os.Root) bool {
	then, err := listed.Info()
	if err != nil {
		return false
	}
	now, err := folder.Stat(".")
	return err == nil && os.SameFile(then, now)
}

func (d *Dir) unreadable(dir string, err error) error {
	return fmt.Errorf("the folder %q of the source directory %q cannot be read: %w. "+
		"Make it readable, or add it to the source's ignore paths", "./"+dir, d.name, cause(err))
}

// enter decides whether a folder is walked.
func (d *Dir) enter(dir, name string, skip func(Skip)) bool {
	switch {
	case hidden(name), skippedFolders[name], d.rules.ignored(dir + "/"):
		return false
	case !utf8.ValidString(name):
		skip(Skip{printable(dir), KindBadName, "the folder's name is not UTF-8: rename it to have its files indexed"})
		return false
	case tooLong(dir + "/x"):
		skip(Skip{dir, KindLongPath, fmt.Sprintf("paths in this folder are longer than %d characters", MaxPathChars)})
		return false
	}
	return true
}

// admit decides by name and type whether a file is read.
func (d *Dir) admit(e entry, skip func(Skip)) (entry, bool) {
	name := e.Name()
	if d.rules.ignored(e.path) {
		return e, false
	}
	e.allowed = d.rules.allowed[e.path]
	if reason, ok := secretName(name); ok && !e.allowed {
		skip(Skip{printable(e.path), KindSecret, reason})
		return e, false
	}
	if hidden(name) && !e.allowed {
		return e, false
	}
	wanted, image := d.rules.wanted(name)
	wanted, e.image = wanted || e.allowed, image
	if e.Type()&fs.ModeSymlink != 0 {
		if reason, report := d.link(e.path, wanted); report {
			skip(Skip{printable(e.path), KindSymlink, reason})
		}
		return e, false
	}
	switch {
	case !wanted:
	case !utf8.ValidString(name):
		skip(Skip{printable(e.path), KindBadName, "the file's name is not UTF-8: rename it to have it indexed"})
	case tooLong(e.path):
		skip(Skip{e.path, KindLongPath, fmt.Sprintf("the path has %d characters, the limit is %d",
			utf8.RuneCountInString(e.path), MaxPathChars)})
	case !e.Type().IsRegular():
		skip(Skip{e.path, KindSpecial, "not a regular file but a device, a pipe or a socket"})
	default:
		return e, true
	}
	return e, false
}

// link says why a symbolic link is left out. Links that leave the source are always reported, others when a file
// of that name would be in scope or when they stand for a folder.
func (d *Dir) link(name string, wanted bool) (reason string, report bool) {
	info, err := d.root.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return "a symbolic link to a folder of this source: its files are indexed under their own path", true
	case err == nil:
		return "a symbolic link to a file of this source: it is indexed under its own path", wanted
	case errors.Is(err, fs.ErrNotExist):
		return "a symbolic link to nothing", wanted
	case errors.Is(err, syscall.ELOOP):
		return "a symbolic link in a circle", wanted
	case errors.Is(err, fs.ErrPermission):
		return "a symbolic link whose target cannot be reached: " + cause(err).Error(), wanted
	}
	return "a symbolic link that leaves the source", true
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

// printable writes bytes that are not UTF-8 as \xNN.
func printable(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, name[i])
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}
