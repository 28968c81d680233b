package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"bor/internal/fault"
	"bor/internal/source"
)

// Bounds on a commit's tree. A few kilobytes can describe a tree with more
// entries than there are atoms, by naming the same folders over and over.
const (
	maxEntries   = 2_000_000
	maxEntryPath = 64 << 10 // bytes
)

// entry is a file, a link or a submodule in the commit.
type entry struct {
	mode string
	oid  string
	size int64 // of a file or a link
	path string
}

const (
	modeLink      = "120000"
	modeSubmodule = "160000"
)

func (e entry) regular() bool { return strings.HasPrefix(e.mode, "100") }

// entries lists the commit, in git's order.
func (t *Tree) entries(ctx context.Context, visit func(entry) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	said := &messages{alive: func() {}}
	cmd := t.git.command(ctx, "--git-dir="+t.cache.repo, "ls-tree", "-r", "-l", "-z", "--full-tree", t.commit)
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("listing the commit's files: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("listing the commit's files: %w", err)
	}
	err = readEntries(out, visit)
	if err != nil {
		stop(err)
	}
	waited := cmd.Wait()
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case waited != nil:
		return &failure{said: said.text(), cause: waited}
	}
	return nil
}

func readEntries(out io.Reader, visit func(entry) error) error {
	r := bufio.NewReaderSize(out, 1<<10+maxEntryPath)
	for n := 0; ; n++ {
		record, err := r.ReadSlice(0)
		if errors.Is(err, io.EOF) && len(record) == 0 {
			return nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return fault.New(fault.Invalid, fmt.Sprintf("The repository holds a path of more than %d bytes. Nothing was read from it.", maxEntryPath))
		}
		if err != nil {
			return fmt.Errorf("listing the commit's files: %w", err)
		}
		if n >= maxEntries {
			return fault.New(fault.Invalid, fmt.Sprintf("The repository holds more than %d files, more than is read from one.", maxEntries))
		}
		e, err := parseEntry(record[:len(record)-1])
		if err != nil {
			return err
		}
		if err := visit(e); err != nil {
			return err
		}
	}
}

// parseEntry reads "mode type oid    size\tpath".
func parseEntry(record []byte) (entry, error) {
	what, path, ok := bytes.Cut(record, []byte("\t"))
	fields := strings.Fields(string(what))
	if !ok || len(fields) != 4 || !objectForm.MatchString(fields[2]) || len(path) == 0 {
		return entry{}, fmt.Errorf("git lists a file as %.200q, which is not understood", record)
	}
	e := entry{mode: fields[0], oid: fields[2], path: string(path)}
	if e.mode == modeSubmodule {
		return e, nil
	}
	size, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil || size < 0 {
		return entry{}, fmt.Errorf("git has no size for %.200q: the copy is damaged", record)
	}
	e.size = size
	return e, nil
}

// folders decides on the folders around the entries of a commit, each once:
// entries come folder by folder.
type folders struct {
	filter source.Filter
	open   []folder
}

type folder struct {
	path  string // with its final slash
	enter bool
}

// enter reports whether the files beside path are looked at.
func (f *folders) enter(path string, skip func(source.Skip)) bool {
	for len(f.open) > 0 && !strings.HasPrefix(path, f.open[len(f.open)-1].path) {
		f.open = f.open[:len(f.open)-1]
	}
	start, enter := 0, true
	if n := len(f.open); n > 0 {
		start, enter = len(f.open[n-1].path), f.open[n-1].enter
	}
	for {
		i := strings.IndexByte(path[start:], '/')
		if i < 0 {
			return enter
		}
		start += i + 1
		if enter {
			var reason *source.Skip
			if enter, reason = f.filter.Folder(path[:start-1]); reason != nil {
				skip(*reason)
			}
		}
		f.open = append(f.open, folder{path[:start], enter})
	}
}
