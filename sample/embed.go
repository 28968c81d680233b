// Package sample carries the knowledge base that a fresh installation starts
// with: a made-up homelab of about fifty small files, so that there is
// something to ask at once.
//
// It owns the files under homelab, which make one local source named
// "homelab", the evaluation questions in questions.jsonl, and the rule that
// the files reach the disk byte for byte. Some of them are awkward on purpose
// (CR LF, byte order marks, UTF-16, no final newline, control and bidirectional
// characters, odd names): they show that what is indexed is what is shown.
//
// Rejected: bringing an existing copy up to date. From the first start on the
// copy belongs to the user, who may have edited it.
package sample

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed all:homelab refused
var files embed.FS

// refused maps paths below the homelab to the files that hold their content.
// Names with colons, quotes, angle brackets or combining marks can't be
// embedded, so these files get their real names only when they are written.
var refused = map[string]string{
	"notes/wi-fi: guest #2.md":                      "refused/guest-wifi.md",
	"notes/fe\u0302te & \"garden\" <power> 2025.md": "refused/garden-power.md",
}

// Write lays the sample knowledge base out as the directory dir, making its
// parents as needed. A dir that exists, whatever is in it, is left alone. The
// directory appears complete or not at all: it is filled under another name
// beside dir and then renamed, so that a killed process or a second one that
// starts at the same time does no harm. Errors name the path and say what failed.
func Write(dir string) error {
	// Cleaned, because a final slash would make dir its own parent.
	if err := write(filepath.Clean(dir)); err != nil {
		return fmt.Errorf("sample knowledge base: %w", err)
	}
	return nil
}

func write(dir string) error {
	if present, err := isDir(dir); present || err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	staging, err := os.MkdirTemp(parent, ".sample-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)

	// A directory of its own inside: MkdirTemp's is for its owner only.
	tree := filepath.Join(staging, "homelab")
	if err := fill(tree); err != nil {
		return err
	}
	err = os.Rename(tree, dir)
	if err != nil {
		// Another process may have been quicker; its copy is as good.
		if present, statErr := isDir(dir); present && statErr == nil {
			return nil
		}
	}
	return err
}

// fill writes every file below tree, which must not exist.
func fill(tree string) error {
	homelab, err := fs.Sub(files, "homelab")
	if err != nil {
		return err
	}
	if err := os.CopyFS(tree, homelab); err != nil {
		return err
	}
	for name, source := range refused {
		content, err := files.ReadFile(source)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(tree, filepath.FromSlash(name)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// isDir says whether dir is there. Something else under that name is an error.
func isDir(dir string) (bool, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.IsDir():
		return false, fmt.Errorf("%s is a file: move it away, or choose another data directory", dir)
	}
	return true, nil
}
