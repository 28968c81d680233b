package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bor/internal/source"
)

func TestASourceThatFailsIsLeftAlone(t *testing.T) {
	b := newBench(t)
	b.sample()
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "a.md"), []byte("# A\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sources := []Source{{Dir: other, Name: "other"}, {Dir: b.dir, Name: "notes"}}
	if _, err := b.Run(t.Context(), sources, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	b.write("new.md", "# New\n")
	report, err := b.Run(t.Context(), nil, Options{Prune: true})
	if err == nil || report.State != Failed || !strings.Contains(err.Error(), `"other" failed: `) || !strings.Contains(err.Error(), "Its documents stay as they are") {
		t.Errorf("%+v, %v", report, err)
	}
	states := map[string]string{}
	for _, s := range report.Sources {
		states[s.Name] = s.State
	}
	if states["other"] != Failed || states["notes"] != Done || report.Added != 1 || report.Pruned != 0 || report.Generation != 2 {
		t.Errorf("%+v", report)
	}
	if got := b.rows("SELECT path FROM documents JOIN sources s ON s.id = source_id WHERE s.name = 'other'"); !slices.Equal(got, []string{"a.md"}) {
		t.Errorf("documents of the failed source: %q", got)
	}
	if got := b.rows("SELECT report ->> 'state', report #>> '{sources,0,state}' FROM runs ORDER BY id DESC LIMIT 1"); got[0] != "failed done" && got[0] != "failed failed" {
		t.Errorf("the run's row: %q", got)
	}
	b.sound()
}

// partial is a walk that ends with an error, or skips a file that it can't read.
type partial struct {
	source.Tree
	fail       error
	unreadable string
}

func (p partial) Walk(ctx context.Context, visit func(source.File) error, skip func(source.Skip)) error {
	err := p.Tree.Walk(ctx, func(f source.File) error {
		if f.Path == p.unreadable {
			skip(source.Skip{Path: f.Path, Kind: source.KindUnreadable, Reason: "the disk is bad"})
			return nil
		}
		return visit(f)
	}, skip)
	return errors.Join(err, p.fail)
}

// runWith runs an import whose walk is changed.
func (b *bench) runWith(o Options, change func(source.Tree) source.Tree) (*walk, error) {
	b.t.Helper()
	ctx := b.t.Context()
	claim, err := b.claim(ctx, false)
	if err != nil {
		b.t.Fatal(err)
	}
	defer claim.release()
	r := &run{Importer: b.Importer, runID: claim.run, options: o, report: Report{Formats: map[string]int{}}}
	if err := errors.Join(r.checkEmbedder(ctx), r.chooseVectors(ctx)); err != nil {
		b.t.Fatal(err)
	}
	places, _, err := r.register(ctx, []Source{{Dir: b.dir, Name: "notes"}})
	if err != nil {
		b.t.Fatal(err)
	}
	w := r.open(ctx, places)[0]
	defer w.files.Close()
	w.files = change(w.files)
	return w, errors.Join(r.importSource(ctx, w), r.finish(ctx))
}

func TestAWalkThatEndsEarlyPrunesNothing(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	b.remove("dns.md")
	b.move("empty.txt", "moved.txt")
	broken := errors.New("the network drive is gone")
	if _, err := b.runWith(Options{Prune: true}, func(w source.Tree) source.Tree { return partial{Tree: w, fail: broken} }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if got := b.rows("SELECT path FROM documents WHERE path IN ('dns.md', 'empty.txt', 'moved.txt') ORDER BY 1"); !slices.Equal(got, []string{"dns.md", "empty.txt"}) {
		t.Errorf("documents %q", got)
	}
	b.sound()
}

func TestAFileThatCantBeReadKeepsItsDocument(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.write("copy/dns.md", "# DNS at home\n\nThe resolver sits on port 53 of gufo.\n\n## Upstream\n\nQuad9, by TLS.\n")
	b.remove("copy/dns.md")
	b.run(Options{}, "added=6")
	// Its content turns up elsewhere: a copy, not a move, as the file is still there.
	b.write("copy/dns.md", "# DNS at home\n\nThe resolver sits on port 53 of gufo.\n\n## Upstream\n\nQuad9, by TLS.\n")
	w, err := b.runWith(Options{Prune: true}, func(w source.Tree) source.Tree { return partial{Tree: w, unreadable: "dns.md"} })
	if err != nil || w.counts.Skipped != 1 || w.counts.Pruned != 0 || w.counts.Added != 1 {
		t.Errorf("%+v, %v", w.counts, err)
	}
	if got := b.rows("SELECT path FROM documents WHERE path LIKE '%dns.md' ORDER BY 1"); !slices.Equal(got, []string{"copy/dns.md", "dns.md"}) {
		t.Errorf("documents %q", got)
	}
	b.sound()
}

func TestImagesAreListedUntilTheyCanBeIndexed(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.Scope.Images = true
	b.write("owl.png", "\x89PNG\r\n\x1a\n")
	b.run(Options{}, "added=6 updated=0 unchanged=0 pruned=0 skipped=1 ")
}

func TestALongTitleIsReportedNotCut(t *testing.T) {
	b := newBench(t)
	b.write("long.md", "# "+strings.Repeat("t", 501)+"\n")
	report := b.run(Options{}, "added=1 ")
	if len(report.Notes) != 1 || !strings.HasPrefix(report.Notes[0], "notes/long.md: the title has 501 characters") {
		t.Errorf("notes %q", report.Notes)
	}
	if got := b.rows("SELECT title FROM documents"); !slices.Equal(got, []string{"long"}) {
		t.Errorf("title %q", got)
	}
}
