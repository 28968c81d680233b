package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Files are read ahead, across folders, and still come in the walk's order with what is left out among them; a visit
// that fails ends it. Either way nothing stays open.
func TestWalkReadsAheadInOrder(t *testing.T) {
	files := map[string]string{}
	var paths []string
	for i := range 40 {
		name := fmt.Sprintf("%02d/%02d.md", i/7, i)
		files[name] = strings.Repeat("x", i*997%3000)
		paths = append(paths, name)
	}
	files["03/bad.md"] = "\x00"
	for _, ahead := range []int{0, 1, 2, 64} {
		d := open(t, tree(t, files), textScope)
		d.ahead = ahead
		d.filter.MaxFileBytes = 0
		before := opened(t)
		r := walk(t, d)
		want(t, "files", r.paths(), paths...)
		want(t, "skips", r.skipped(), "nul 03/bad.md")
		seen, broken := 0, errors.New("broken")
		err := d.Walk(context.Background(), func(File) error {
			if seen++; seen == 5 {
				return broken
			}
			return nil
		}, func(Skip) {})
		if !errors.Is(err, broken) || seen != 5 {
			t.Errorf("%d ahead: %d files, then %v", ahead, seen, err)
		}
		want(t, fmt.Sprintf("open below the source, %d ahead", ahead), opened(t), before...)
	}
}

// opened lists what this process has open in the folders for tests.
func opened(t *testing.T) (paths []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	must(t, err)
	for _, link := range links {
		if path, err := os.Readlink(link); err == nil && strings.HasPrefix(path, os.TempDir()) {
			paths = append(paths, path)
		}
	}
	return paths
}

// While a file is visited, the tree changes: what was listed may be gone or be something else when its turn comes.
func TestWalkChangingTree(t *testing.T) {
	dir := tree(t, map[string]string{
		".env": "A=1", "a.md": "x", "gone.md": "x", "grown.md": "x", "inner.md": "x", "link.md": "x", "pipe.md": "x", "sub/x.md": "x", "z.md": "x",
	})
	outside := tree(t, map[string]string{"secret.md": "outside"})
	at := func(name string) string { return filepath.Join(dir, name) }
	var r result
	d := open(t, dir, textScope)
	d.ahead = 0 // what is read already can't change
	err := d.Walk(context.Background(), func(f File) error {
		r.files = append(r.files, f)
		if f.Path != "a.md" {
			return nil
		}
		for _, name := range []string{"gone.md", "inner.md", "link.md", "pipe.md"} {
			must(t, os.Remove(at(name)))
		}
		must(t, os.Symlink(filepath.Join(outside, "secret.md"), at("link.md")))
		must(t, os.Symlink(".env", at("inner.md")))
		must(t, syscall.Mkfifo(at("pipe.md"), 0o644))
		must(t, os.WriteFile(at("grown.md"), []byte(strings.Repeat("x", 1001)), 0o644))
		return os.RemoveAll(at("sub"))
	}, func(s Skip) { r.skips = append(r.skips, s) })
	must(t, err)
	want(t, "files", r.paths(), "a.md", "z.md")
	want(t, "skips", r.skipped(), "secret .env", "unreadable gone.md", "too_big grown.md", "unreadable inner.md", "unreadable link.md", "unreadable pipe.md")
}

// A folder that becomes a link, or vanishes, between the listing of its parent and its own turn.
func TestWalkChangingFolder(t *testing.T) {
	for _, to := range []string{"", "other", "/"} {
		dir := tree(t, map[string]string{"a.md": "x", "folder/x.md": "x", "other/y.md": "x"})
		folder := filepath.Join(dir, "folder")
		var r result
		d := open(t, dir, textScope)
		d.ahead = 0
		err := d.Walk(context.Background(), func(f File) error {
			r.files = append(r.files, f)
			if f.Path != "a.md" {
				return nil
			}
			if to != "" {
				must(t, os.Rename(folder, folder+".old"))
				return os.Symlink(to, folder)
			}
			return os.RemoveAll(folder)
		}, func(Skip) {})
		if to == "" {
			must(t, err)
			want(t, "files", r.paths(), "a.md", "other/y.md")
			continue
		}
		want(t, "files", r.paths(), "a.md")
		if err == nil || !strings.Contains(err.Error(), `"./folder"`) {
			t.Errorf("a folder that became a link to %q: the error is %v", to, err)
		}
	}
}

func TestWalkVanishedSource(t *testing.T) {
	for _, replaced := range []bool{false, true} {
		dir := tree(t, map[string]string{"s/a.md": "x", "s/b.md": "x"})
		name := filepath.Join(dir, "s")
		err := open(t, name, textScope).Walk(context.Background(), func(File) error {
			if replaced {
				must(t, os.Rename(name, name+".old"))
				must(t, os.Mkdir(name, 0o755))
				replaced = false
			}
			return os.RemoveAll(name)
		}, func(Skip) {})
		if err == nil || !strings.Contains(err.Error(), "removed or replaced") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestWalkStops(t *testing.T) {
	d := open(t, tree(t, map[string]string{"a.md": "x", "b.md": "x", "c/d.md": "x"}), textScope)
	stop := errors.New("stop")
	visits := 0
	if err := d.Walk(context.Background(), func(File) error { visits++; return stop }, func(Skip) {}); err != stop || visits != 1 {
		t.Errorf("after the visitor's error: %v, %d visits", err, visits)
	}
	ctx, cancel := context.WithCancel(context.Background())
	visits = 0
	err := d.Walk(ctx, func(File) error { visits++; cancel(); return nil }, func(Skip) {})
	if !errors.Is(err, context.Canceled) || visits != 1 {
		t.Errorf("after cancelling: %v, %d visits", err, visits)
	}
}
