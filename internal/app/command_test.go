package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bor/db"
	"bor/internal/ingest"
	"bor/internal/testkit"
)

func TestModelsFallBackOnTheirOwn(t *testing.T) {
	for name, m := range map[string]struct {
		base, embed          string
		chat, embeds, notice bool // whether the client serves it; whether pages say that no model does
	}{
		"neither": {"", "", false, false, true}, "both": {"http://x/v1", "http://x/v1", true, true, false}, "embeddings": {"", "http://y/v1", false, true, true},
	} {
		c := settings(t, nil)
		c.LLM.BaseURL, c.LLM.EmbedBaseURL = m.base, m.embed
		got := NewModels(c)
		client := any(got.Client)
		if (got.Client != nil) != (m.chat || m.embeds) || (any(got.Chat) == client) != m.chat || (any(got.Completer) == client) != m.chat ||
			(any(got.Embedder) == client) != m.embeds || (got.Notice != "") != m.notice || got.Embedder.Dimension() != c.EmbeddingDim {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestProbe(t *testing.T) {
	c := settings(t, testkit.DB(t))
	var out bytes.Buffer
	if err := Probe(t.Context(), c, ProbeOptions{Version: "v1", Out: &out}); err != nil {
		t.Errorf("%v", err)
	}
	for _, part := range []string{"bor          v1\n", "PostgreSQL ", "vector 0.", "chat         built-in librarian\n", "768 numbers", "none yet"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("it lacks %q: %s", part, &out)
		}
	}
	model := testkit.NewModel(t)
	model.Dimension = 3
	c.LLM.BaseURL, c.LLM.EmbedBaseURL, c.LLM.ChatModel = model.URL, model.URL, "turbo\x1b[2J"
	out.Reset()
	var failed *Failure
	if err := Probe(t.Context(), c, ProbeOptions{Out: &out}); !errors.As(err, &failed) || failed.Error() == "" {
		t.Errorf("a wrong dimension gives %v", err)
	}
	if text := out.String(); !strings.Contains(text, "BOR_EMBEDDING_DIM") || !strings.Contains(text, "embed, lite, turbo") || strings.Contains(text, "\x1b") {
		t.Errorf("%s", text)
	}
	out.Reset()
	if err := Probe(t.Context(), c, ProbeOptions{Out: &out, JSON: true}); !errors.As(err, &failed) {
		t.Errorf("%v", err)
	}
	var p probed
	if err := json.Unmarshal(out.Bytes(), &p); err != nil || len(p.Problems) != 1 || len(p.Models) != 3 {
		t.Errorf("%v: %s", err, &out)
	}
	model.Close()
	if err := Probe(t.Context(), c, ProbeOptions{Out: &out}); !errors.As(err, &failed) {
		t.Errorf("an endpoint that is away gives %v", err)
	}
}

func TestProbeLooksAtTheFilesOfGit(t *testing.T) {
	c := settings(t, testkit.DB(t))
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("k"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Git.SSHKeyFile, c.Git.CAFile = key, key+".gone"
	var out bytes.Buffer
	if err := Probe(t.Context(), c, ProbeOptions{Out: &out}); err == nil || !strings.Contains(out.String(), "BOR_GIT_CA_FILE: the file can't be read") || strings.Contains(out.String(), "SSH_KEY") {
		t.Errorf("%v: %s", err, &out)
	}
	// Neither a server nor an import begins with them.
	c.AdminPassword, c.Git.SSHKnownHosts = "secret", filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(c.Git.SSHKnownHosts, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"serve":  Serve(t.Context(), c, ServeOptions{Out: io.Discard}),
		"import": Import(t.Context(), c, ImportOptions{Dirs: []string{t.TempDir()}, Out: io.Discard, Progress: io.Discard}),
	} {
		if err == nil || !strings.Contains(err.Error(), "BOR_GIT_CA_FILE: the file can't be read") || !strings.Contains(err.Error(), "BOR_GIT_SSH_KNOWN_HOSTS_FILE: the file") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The vectors of another model are told, with what to do, as long as there is
// something that they are of.
func TestProbeTellsOfVectorsOfAnotherModel(t *testing.T) {
	d := testkit.DB(t)
	c := settings(t, d)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("# A\n\na note\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Import(t.Context(), c, ImportOptions{Dirs: []string{dir}, Names: []string{"notes"}, Out: io.Discard, Progress: io.Discard}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Probe(t.Context(), c, ProbeOptions{Out: &out}); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	model := testkit.NewModel(t)
	model.Dimension = c.EmbeddingDim
	c.LLM.EmbedBaseURL, c.LLM.EmbedModel = model.URL, "embed"
	out.Reset()
	var failed *Failure
	if err := Probe(t.Context(), c, ProbeOptions{Out: &out}); !errors.As(err, &failed) || !strings.Contains(out.String(), "run `bor reembed`") {
		t.Fatalf("%v: %s", err, &out)
	}
	if err := Reembed(t.Context(), c, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := Probe(t.Context(), c, ProbeOptions{Out: &out}); err != nil {
		t.Errorf("after it, %v: %s", err, &out)
	}
}

func TestProbeChangesNothing(t *testing.T) {
	c := settings(t, nil)
	c.DatabaseURL = testkit.EmptyDB(t)
	var out bytes.Buffer
	if err := Probe(t.Context(), c, ProbeOptions{Out: &out}); err == nil || !strings.Contains(out.String(), "run: bor migrate") {
		t.Errorf("%v: %s", err, &out)
	}
	steps, err := db.Status(t.Context(), c.DatabaseURL)
	if err != nil || len(steps) == 0 || !steps[0].Applied.IsZero() {
		t.Errorf("the schema is %+v, %v", steps, err)
	}
}

func TestMigrate(t *testing.T) {
	c := settings(t, nil)
	c.DatabaseURL = testkit.EmptyDB(t)
	status := func() (pending, applied int) {
		var out bytes.Buffer
		if err := MigrateStatus(t.Context(), c, &out, false); err != nil {
			t.Fatal(err)
		}
		pending = strings.Count(out.String(), "pending ")
		return pending, strings.Count(out.String(), "\n") - pending
	}
	pending, applied := status()
	all := pending
	if applied != 0 || all < 2 {
		t.Errorf("at first %d steps are pending, %d applied", pending, applied)
	}
	var out bytes.Buffer
	if err := MigrateUp(t.Context(), c, &out); err != nil || out.Len() == 0 {
		t.Errorf("up: %v", err)
	}
	if pending, applied := status(); pending != 0 || applied != all {
		t.Errorf("after up %d steps are pending, %d applied", pending, applied)
	}
	if err := MigrateDown(t.Context(), c, &out); err != nil {
		t.Errorf("down: %v", err)
	}
	if pending, applied := status(); pending != 1 || applied != all-1 {
		t.Errorf("after down %d steps are pending, %d applied", pending, applied)
	}
	out.Reset()
	if err := MigrateStatus(t.Context(), c, &out, true); err != nil {
		t.Fatal(err)
	}
	var steps []map[string]any
	if err := json.Unmarshal(out.Bytes(), &steps); err != nil || len(steps) != all || steps[0]["name"] == nil || steps[0]["applied"] == nil || steps[all-1]["applied"] != nil {
		t.Errorf("%v: %s", err, &out)
	}
}

func TestImportAndReembed(t *testing.T) {
	c := settings(t, testkit.DB(t))
	c.EmbeddingDim = 16
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "# A\n\nOne.\n", "b.conf": "x = 1\n"} {
		if err := write(dir, name, text); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	options := ImportOptions{Dirs: []string{dir}, Names: []string{"lab"}, Out: &out}
	if err := Import(t.Context(), c, options); err != nil || !strings.HasSuffix(out.String(), "\n") || !strings.Contains(out.String(), "import: summary files=2 added=2 ") {
		t.Errorf("%v: %s", err, &out)
	}
	out.Reset()
	options.JSON = true
	var report ingest.Report
	if err := Import(t.Context(), c, options); err != nil || json.Unmarshal(out.Bytes(), &report) != nil || report.Unchanged != 2 {
		t.Errorf("%v: %s", err, &out)
	}
	out.Reset()
	gone := ImportOptions{Dirs: []string{filepath.Join(dir, "gone\x1b[2J")}, Out: &out}
	if err := Import(t.Context(), c, gone); err == nil {
		t.Errorf("a folder that isn't there gave %s", &out)
	}
	c.EmbeddingDim = 24
	out.Reset()
	if err := Reembed(t.Context(), c, &out, &out); err != nil || !strings.Contains(out.String(), "with 24 numbers") {
		t.Errorf("%v: %s", err, &out)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Import(ended, c, options); !errors.Is(err, context.Canceled) {
		t.Errorf("an import that was stopped gave %v", err)
	}
}
