package app

import (
	"archive/zip"
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bor/db"
	"bor/internal/config"
	"bor/internal/fault"
	"bor/internal/registry"
	"bor/internal/source"
	"bor/internal/testkit"
)

// repository makes a git repository with one file and gives its address.
func repository(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := write(dir, "readme.md", "# "+name+"\n"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// documents are the identities of what is indexed.
func documents(t *testing.T, d *db.DB) string {
	t.Helper()
	var list string
	if err := d.Pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(s.name || '/' || d.path || CASE WHEN d.revision <> '' THEN '@' ELSE '' END, ' ' ORDER BY s.name, d.path), '')
		FROM documents d JOIN sources s ON s.id = d.source_id`).Scan(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// importAll is `bor import` without folders.
func importAll(t *testing.T, c config.Config) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := Import(t.Context(), c, ImportOptions{Prune: true, Out: &out})
	return out.String(), err
}

func TestImportReadsSourcesOfEveryKind(t *testing.T) {
	d := testkit.DB(t)
	c := settings(t, d)
	c.UploadMaxBytes = 0 // no limit
	c.EmbeddingDim, c.Git.AllowLocal, c.SourcesDir = 16, true, filepath.Join(c.DataDir, "sources")
	c.GitSources = []string{repository(t, "lab")}
	if out, err := importAll(t, c); err != nil || documents(t, d) != "lab/readme.md@" {
		t.Fatalf("of the settings: %v %s: %s", err, out, documents(t, d))
	}
	sources, err := newRegistry(c, d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sources.Add(t.Context(), registry.Draft{Kind: registry.Git, Location: "ext::sh -c evil"}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a hostile address: %v", err)
	}
	if _, err := sources.Upload(t.Context(), registry.File{File: "x.zip", Body: strings.NewReader("no archive")}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a file that is no archive: %v", err)
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.Create("a/b.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("# B\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := sources.Upload(t.Context(), registry.File{File: "packed.zip", Body: &packed}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "notes")
	if err := write(dir, "c.md", "# C\n"); err != nil {
		t.Fatal(err)
	}
	for _, draft := range []registry.Draft{{Kind: registry.Local, Location: dir}, {Kind: registry.Git, Location: repository(t, "own"), Branch: "main"}} {
		if _, err := sources.Add(t.Context(), draft); err != nil {
			t.Fatal(err)
		}
	}
	// The registered repository ends the settings' time.
	if out, err := importAll(t, c); err != nil || documents(t, d) != "notes/c.md own/readme.md@ packed/a/b.md" {
		t.Errorf("%v %s: %s", err, out, documents(t, d))
	}
	// One that can't be reached fails by itself, and keeps its documents.
	if _, err := d.Pool.Exec(t.Context(), "UPDATE sources SET location = location || '.gone' WHERE name = 'own'"); err != nil {
		t.Fatal(err)
	}
	if out, err := importAll(t, c); err == nil || documents(t, d) != "notes/c.md own/readme.md@ packed/a/b.md" {
		t.Errorf("%v %s: %s", err, out, documents(t, d))
	}
	// A copy goes with its source.
	copies := func() int {
		found, err := filepath.Glob(filepath.Join(c.SourcesDir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	before := copies()
	if sweepCopies(t.Context(), c, sources); copies() >= before {
		t.Errorf("%d of %d copies are left", copies(), before)
	}
	open := opener(c, sources)
	for _, s := range []registry.Source{{Kind: registry.Archive, ID: 99}, {Kind: "mail"}} {
		if _, err := open(t.Context(), s, source.Scope{}); err == nil {
			t.Errorf("%+v is opened", s)
		}
	}
	c.GitSources = []string{"https://me:hunter2@h/x.git"}
	if _, err := importAll(t, c); err == nil || !strings.Contains(err.Error(), "BOR_GIT_SOURCES") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a bad address in the settings: %v", err)
	}
}
