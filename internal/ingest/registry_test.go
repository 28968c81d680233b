package ingest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bor/db"
	"bor/internal/fault"
)

func TestSourceNames(t *testing.T) {
	b := newBench(t)
	b.sample()
	ctx := t.Context()
	for name, bad := range map[string]string{
		"slash":   "a/b",
		"long":    strings.Repeat("n", 121),
		"control": "a\tb",
		"space":   " a",
		"dots":    "..",
		"bytes":   "\xff",
	} {
		if _, err := b.Run(ctx, []Source{{Dir: b.dir, Name: bad}}, Options{}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := filepath.Join(t.TempDir(), "notes")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	b.run(Options{}, "added=6")
	_, err := b.Run(ctx, []Source{{Dir: other}}, Options{}) // its own name is taken
	if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.PublicOf(err), "such as notes-2") {
		t.Errorf("clash: %v", err)
	}
	if _, err := b.Run(ctx, []Source{{Dir: other, Name: "notes-2"}}, Options{}); err != nil {
		t.Error(err)
	}
	if _, err := b.Run(ctx, []Source{{Dir: b.dir}, {Dir: b.dir + "/."}}, Options{}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("one directory twice: %v", err)
	}
	if got := b.rows("SELECT kind, name, location = $1, host FROM sources ORDER BY id", b.dir); !slices.Equal(got, []string{"local notes true here", "local notes-2 false here"}) {
		t.Errorf("sources %q", got)
	}
	// Another name for a known directory renames the source, and what it is found by.
	report, err := b.Run(ctx, []Source{{Dir: b.dir, Name: "homelab"}}, Options{})
	if err != nil || report.Updated != 6 {
		t.Errorf("%+v, %v", report, err)
	}
	if got := b.rows("SELECT count(*) FROM chunks WHERE terms @@ '''homelab/dns.md'''"); got[0] == "0" {
		t.Error("documents aren't found by their source's new name")
	}
	b.sound()
	// Sources of another host aren't this one's to read.
	b.Registry.Host = "elsewhere"
	report, err = b.Run(ctx, nil, Options{Prune: true})
	if err != nil || len(report.Sources) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestAMissingDirectoryFailsLoudly(t *testing.T) {
	b := newBench(t)
	report, err := b.Run(t.Context(), []Source{{Dir: filepath.Join(b.dir, "nowhere"), Name: "n"}}, Options{})
	if err == nil || report.State != Failed || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestTheHostIsTheMachinesNameByDefault(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if im := New(Config{DB: new(db.DB)}); im.Registry.Host != name || im.Workers != 4 || im.Chunks.MaxChars == 0 || im.Log == nil {
		t.Errorf("%+v", im.Config)
	}
}
