package ingest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bor/internal/fault"
	"bor/internal/llm"
)

// idOf is a document's id.
func (b *bench) idOf(path string) (id int64) {
	b.t.Helper()
	if err := b.db.Pool.QueryRow(b.t.Context(), "SELECT id FROM documents WHERE path = $1", path).Scan(&id); err != nil {
		b.t.Fatal(err)
	}
	return id
}

func (b *bench) summary(path string) []string {
	b.t.Helper()
	return b.rows(`SELECT d.summary, d.summary_edited, c.content, c.position FROM documents d LEFT JOIN chunks c ON c.document_id = d.id AND c.position = -1 WHERE d.path = $1`, path)
}

func TestAnEditedSummaryIsFoundAndStays(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	ctx := t.Context()
	const yaml, text = "compose/ntfy.yaml", "Sends zwiebelkuchen\nto telephones."
	for _, path := range []string{yaml, "dns.md"} { // one with a made summary, one without
		if err := b.EditSummary(ctx, b.idOf(path), " "+strings.ReplaceAll(text, "\n", "\r\n")+"\n"); err != nil {
			t.Fatal(err)
		}
		if got := b.summary(path); !slices.Equal(got, []string{text + " true " + text + " -1"}) {
			t.Errorf("%s: %q", path, got)
		}
		b.sound()
	}
	if got := b.rows("SELECT generation, dirty FROM kb_state"); !slices.Equal(got, []string{"3 false"}) {
		t.Errorf("the knowledge base: %q", got)
	}
	if got := b.rows("SELECT count(*) FROM chunks WHERE terms @@ '''zwiebelkuchen'''"); got[0] != "2" {
		t.Errorf("found in %s chunks", got[0])
	}
	// Unchanged, cut anew by another recipe, and moved, it stays.
	b.run(Options{Prune: true}, "unchanged=6")
	b.Importer.Chunks.MaxChars = 400
	b.Importer = New(b.Config)
	b.run(Options{Prune: true}, "updated=6")
	if got := b.summary(yaml); !slices.Equal(got, []string{text + " true " + text + " -1"}) {
		t.Errorf("cut anew: %q", got)
	}
	b.move(yaml, "compose/push.yaml")
	b.run(Options{Prune: true}, "updated=1")
	if got := b.summary("compose/push.yaml"); !slices.Equal(got, []string{text + " true " + text + " -1"}) {
		t.Errorf("moved: %q", got)
	}
	// Another content has another summary.
	b.write("compose/push.yaml", "services:\n  other: {}\n")
	b.run(Options{Prune: true}, "updated=1")
	if got := b.summary("compose/push.yaml"); strings.Contains(got[0], "zwiebelkuchen") || !strings.Contains(got[0], " false ") {
		t.Errorf("changed: %q", got)
	}
}

func TestASummaryIsMadeAnew(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	ctx := t.Context()
	id := b.idOf("compose/ntfy.yaml")
	made := b.summary("compose/ntfy.yaml")
	if err := b.EditSummary(ctx, id, "Mine."); err != nil {
		t.Fatal(err)
	}
	b.model.answer = func(llm.Request) (string, error) { return "", errors.New("the model is away") }
	if _, err := b.RemakeSummary(ctx, id); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("without a model: %v", err)
	}
	if got := b.summary("compose/ntfy.yaml"); !slices.Equal(got, []string{"Mine. true Mine. -1"}) {
		t.Errorf("%q", got)
	}
	b.model.answer = nil
	if text, err := b.RemakeSummary(ctx, id); err != nil || text == "" {
		t.Errorf("%q, %v", text, err)
	}
	if got := b.summary("compose/ntfy.yaml"); !slices.Equal(got, made) {
		t.Errorf("%q, want %q", got, made)
	}
	b.sound()
}

func TestASummaryThatCantBeTakenChangesNothing(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.run(Options{}, "added=6")
	ctx := t.Context()
	id, before := b.idOf("dns.md"), b.dump()
	for text, code := range map[string]fault.Code{" \n": fault.Invalid, strings.Repeat("x", b.MaxSummary()+1): fault.Invalid, "a\x00": fault.Invalid} {
		if err := b.EditSummary(ctx, id, text); fault.CodeOf(err) != code {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	_, remake := b.RemakeSummary(ctx, 99)
	for _, err := range []error{b.EditSummary(ctx, 99, "text"), remake} {
		if fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a document that isn't there: %v", err)
		}
	}
	b.model.embed = func([]string) error { return errors.New("away") }
	if err := b.EditSummary(ctx, id, "text"); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("without embeddings: %v", err)
	}
	// The document changes while its summary is being embedded.
	b.model.embed = func([]string) error {
		b.model.embed = nil
		b.rows("UPDATE documents SET file_sha256 = sha256('x') WHERE id = $1", id)
		return nil
	}
	if err := b.EditSummary(ctx, id, "text"); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("changed meanwhile: %v", err)
	}
	b.rows("UPDATE documents SET file_sha256 = sha256(convert_to(content, 'UTF8')) WHERE id = $1", id)
	if !slices.Equal(b.dump(), before) {
		t.Error("something has changed")
	}
}
