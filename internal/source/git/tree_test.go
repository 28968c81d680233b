package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"bor/internal/source"
)

func TestFilesOfABranch(t *testing.T) {
	r := newRepository(t)
	r.write("README.md", "# Notes\r\nno end")
	r.write("ops/disk.txt", "full")
	r.write("ops/Makefile", "all:\n")
	r.write("ops/photo.png", "no")
	r.write(".hidden/x.md", "no")
	r.write("build/x.md", "no")
	r.write("big.md", string(make([]byte, 10001)))
	r.write(".env", "SECRET=1")
	r.write("empty.md", "")
	commit := r.commit()
	got := sync(t, Remote{URL: r.dir}, options(t))
	if got.paths() != "README.md empty.md ops/Makefile ops/disk.txt" || got.count != 5 { // big.md counts by its name
		t.Errorf("files %q, %d counted", got.paths(), got.count)
	}
	if got.commit != commit || got.branch != "main" {
		t.Errorf("at %s %s", got.branch, got.commit)
	}
	f := got.files["README.md"]
	if f.Text != "# Notes\r\nno end" || f.Revision != commit || !f.ModTime.Equal(time.Unix(commitTime, 0)) || f.Size != 15 {
		t.Errorf("README.md is %+v", f)
	}
	if got.skips["big.md"].Kind != source.KindTooBig || got.skips[".env"].Kind != source.KindSecret || len(got.skips) != 2 {
		t.Errorf("skipped %v", got.skips)
	}
	if _, err := os.Stat(filepath.Join(r.dir, ".git", "shallow")); err == nil {
		t.Error("the remote became shallow")
	}
}
