package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bor/internal/llm"
	"bor/internal/registry"
	"bor/internal/source"
)

// add registers a directory as the pages do.
func (b *bench) add(dir, name string) registry.Source {
	b.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	s, err := b.Registry.Add(b.t.Context(), registry.Draft{Kind: registry.Local, Location: dir, Name: name})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) status() Status {
	b.t.Helper()
	s, err := b.Status(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func TestASyncFollowsTheRegistry(t *testing.T) {
	b := newBench(t)
	b.sample()
	ctx := t.Context()
	if s := b.status(); s.Run != 0 || s.State != "" {
		t.Errorf("before the first run: %+v", s)
	}
	notes := b.add(b.dir, "notes")
	lab := b.add(filepath.Join(t.TempDir(), "lab"), "lab")
	for file, text := range map[string]string{"x.md": "# X\n", "old/y.md": "# Y\n", "demo/id_rsa": "not really a key"} {
		if err := write(lab.Location, file, text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Registry.Edit(ctx, lab.ID, registry.Draft{Name: "lab", Ignore: []string{"old/"}, AllowSecrets: []string{"demo/id_rsa"}}); err != nil {
		t.Fatal(err)
	}
	report, err := b.Run(ctx, nil, Options{Prune: true})
	if err != nil || report.Added != 8 || len(report.Sources) != 2 {
		t.Fatalf("%s, %v", report.Line(), err)
	}
	if got := b.rows("SELECT path FROM documents WHERE source_id = $1 ORDER BY 1", lab.ID); !slices.Equal(got, []string{"demo/id_rsa", "x.md"}) {
		t.Errorf("of lab: %q", got)
	}
	status := b.status()
	if status.State != Done || status.Report.Added != 8 || status.Ended.IsZero() || status.Progress.Seen != 0 && status.Progress.Seen > 8 {
		t.Errorf("%+v", status)
	}
	kept, err := b.Registry.Get(ctx, notes.ID)
	if err != nil || kept.Last.State != Done || kept.Last.Added != 6 || kept.Documents != 6 || kept.Synced.IsZero() {
		t.Errorf("%+v, %v", kept, err)
	}
	// A source that fails is told as such, and the other goes on.
	if err := os.Rename(b.dir, b.dir+".away"); err != nil {
		t.Fatal(err)
	}
	report, err = b.Run(ctx, nil, Options{Prune: true})
	if err == nil || report.State != Failed || report.Pruned != 0 || report.Unchanged != 2 || report.Errors != 0 || !strings.Contains(report.Line(), " errors=1 ") || !strings.Contains(err.Error(), "next sync tries it again") {
		t.Errorf("%s, %v", report.Line(), err)
	}
	if kept, _ = b.Registry.Get(ctx, notes.ID); kept.Last.State != Failed || !strings.Contains(kept.Last.Error, "cannot be opened") || kept.Documents != 6 {
		t.Errorf("%+v", kept)
	}
	// What is removed goes with the next sync, also when its files are away.
	if err := b.Registry.Remove(ctx, notes.ID); err != nil {
		t.Fatal(err)
	}
	generation := report.Generation
	report, err = b.Run(ctx, nil, Options{})
	if err != nil || report.Pruned != 6 || report.Sources[0].State != Removed || report.Generation != generation+1 {
		t.Errorf("%s, %+v, %v", report.Line(), report.Sources, err)
	}
	b.sound()
	if got := b.rows("SELECT name FROM sources"); !slices.Equal(got, []string{"lab"}) {
		t.Errorf("sources %q", got)
	}
	if got := b.rows("SELECT overview FROM kb_state"); strings.Contains(got[0], "notes") {
		t.Errorf("the overview still names it: %q", got)
	}
	// A directory of another host is left out, and said so.
	b.Registry.Host = "elsewhere"
	report, err = b.Run(ctx, nil, Options{Prune: true})
	if err != nil || len(report.Sources) != 0 || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], `"lab"`) || !strings.Contains(report.Notes[0], "host here") {
		t.Errorf("%+v, %v", report, err)
	}
}

func write(dir, name, text string) error {
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
}

func TestARunIsSeenAndStoppedFromElsewhere(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.add(b.dir, "notes")
	other := b.importer()
	if there, err := other.RequestStop(t.Context()); err != nil || there {
		t.Errorf("nothing runs: %v, %v", there, err)
	}
	stall := &stalled{Embedder: b.model, inside: make(chan struct{})}
	b.Embedder = stall
	done := make(chan error)
	var report Report
	go func() {
		var err error
		report, err = b.Run(t.Context(), nil, Options{})
		done <- err
	}()
	<-stall.inside
	var s Status
	for s.Progress.Phase != PhaseFiles { // it is told twice a second
		var err error
		if s, err = other.Status(t.Context()); err != nil || s.State != Running || !strings.HasPrefix(s.Owner, "here, process ") || s.Stopping {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	if s.Progress.Files != 6 || s.Started.IsZero() || !s.Ended.IsZero() {
		t.Errorf("%+v", s)
	}
	if there, err := other.RequestStop(t.Context()); err != nil || !there {
		t.Errorf("stop: %v, %v", there, err)
	}
	if s, err := other.Status(t.Context()); err != nil || !s.Stopping {
		t.Errorf("%+v, %v", s, err)
	}
	if err := <-done; !errors.Is(err, context.Canceled) || report.State != Stopped {
		t.Errorf("%v, %s", err, report.State)
	}
	if s, err := other.Status(t.Context()); err != nil || s.State != Stopped || !s.Stopping || s.Ended.IsZero() || s.Report.Sources[0].State != Stopped {
		t.Errorf("%+v, %v", s, err)
	}
	b.Embedder = b.model
	b.run(Options{}, "errors=0")
}

// stalled is an embedding model that takes as long as it may.
type stalled struct {
	llm.Embedder
	once   sync.Once
	inside chan struct{}
}

func (s *stalled) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if texts[0] == "dimension" {
		return s.Embedder.Embed(ctx, texts)
	}
	s.once.Do(func() { close(s.inside) })
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestACrashedRunIsToldAsSuch(t *testing.T) {
	b := newBench(t)
	b.sample()
	crashed, err := b.importer().claim(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if s := b.status(); s.State != Running {
		t.Errorf("%+v", s)
	}
	crashed.release()
	for s := b.status(); s.State != Crashed; s = b.status() { // the server needs a moment to end a session
		if s.State != Running || t.Context().Err() != nil {
			t.Fatalf("%+v", s)
		}
	}
	if s := b.status(); s.Ended.IsZero() || s.Run != crashed.run {
		t.Errorf("%+v", s)
	}
	if err := crashed.finish(t.Context(), Report{}); err == nil {
		t.Error("it may still end")
	}
	b.run(Options{}, "added=6")
	if s := b.status(); s.State != Done {
		t.Errorf("%+v", s)
	}
}

func TestASourcesCommitIsKept(t *testing.T) {
	b := newBench(t)
	b.write("a.md", "# A\n")
	s := b.add(b.dir, "notes")
	b.Open = func(ctx context.Context, s registry.Source, scope source.Scope) (source.Tree, error) {
		tree, err := source.Local(s.Location, scope)
		return atCommit{tree, "c0ffee"}, err
	}
	if _, err := b.Run(t.Context(), nil, Options{}); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Registry.Get(t.Context(), s.ID); err != nil || s.Revision != "c0ffee" {
		t.Errorf("%+v, %v", s, err)
	}
	b.Open = nil
	if _, err := openLocal(t.Context(), registry.Source{Kind: registry.Git}, source.Scope{}); err == nil {
		t.Error("a repository is read as a directory")
	}
}

// atCommit gives files a revision.
type atCommit struct {
	source.Tree
	revision string
}

func (a atCommit) Walk(ctx context.Context, visit func(source.File) error, skip func(source.Skip)) error {
	return a.Tree.Walk(ctx, func(f source.File) error { f.Revision = a.revision; return visit(f) }, skip)
}
