package ingest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"bor/internal/registry"
	"bor/internal/source"
)

// crowd is a source of many small files that are in no file system.
type crowd int

func (c crowd) Count(context.Context) (int, error) { return int(c), nil }
func (c crowd) Close() error                       { return nil }

func (c crowd) Walk(ctx context.Context, visit func(source.File) error, _ func(source.Skip)) error {
	for i := range int(c) {
		text := fmt.Sprintf("# File %d\n\n%s", i, strings.Repeat("filler ", 300))
		f := source.File{Path: fmt.Sprintf("f%06d.md", i), Text: text, Encoding: source.UTF8, Size: int64(len(text))}
		f.SHA256 = [32]byte{byte(i), byte(i >> 8), byte(i >> 16)}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// TestMemoryIsFlat: ten times the files need about the same memory at their peak.
// The store is left out: the delta alone sees all files.
func TestMemoryIsFlat(t *testing.T) {
	b := newBench(t)
	peak := func(n int) uint64 {
		r := &run{Importer: b.Importer, report: Report{Formats: map[string]int{}}}
		w := &walk{Source: registry.Source{ID: 1, Name: "n"}, files: crowd(n), skips: map[string]string{}}
		var top uint64
		d := delta{run: r, walk: w, put: func(f file) error {
			if w.seen.add(int64(f.SHA256[0])); f.SHA256[0] == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				top = max(top, m.HeapAlloc)
			}
			return nil
		}}
		if err := w.files.Walk(t.Context(), func(f source.File) error { return d.take(t.Context(), f) }, nil); err != nil {
			t.Fatal(err)
		}
		return top
	}
	small, large := peak(600), peak(6000)
	if large > small+2<<20 {
		t.Errorf("600 files peak at %d KB, 6000 at %d KB", small>>10, large>>10)
	}
}
