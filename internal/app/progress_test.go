package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bor/internal/ingest"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"größe 🦊.md": "größe 🦊.md", "a\x1b[2Jb": "a?[2Jb", "a\nb": "a?b", "\u202egnp\u200b": "?gnp?", "\x7f\u009b\x00": "???", "bad \xff": "bad ?",
	} {
		if got := printable(text); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
	if got := Printable("one\ntwo\x1b[2J\r\nthree"); got != "one\ntwo?[2J?\nthree" {
		t.Errorf("lines are shown as %q", got)
	}
}

func TestBarLine(t *testing.T) {
	p := ingest.Progress{Phase: ingest.PhaseFiles, Source: "lab", Current: "a/\x1b[2Jb.md", Files: 40, Seen: 10, Rate: 5, ETA: 6 * time.Second}
	if got, want := barLine(p, 200), "[#####...............] 10/40  5/s  6s left  lab/a/?[2Jb.md"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	for width := 40; width < 80; width++ {
		p.Current = strings.Repeat("ä", 100)
		if got := barLine(p, width); utf8.RuneCountInString(got) != width || !strings.HasSuffix(got, "…") {
			t.Errorf("at %d characters it is %q", width, got)
		}
	}
	p.Seen, p.Files = 41, 40 // a file came after they were counted
	if got := barLine(p, 200); !strings.HasPrefix(got, "[####################] 41/40") {
		t.Errorf("%q", got)
	}
	if got := barLine(ingest.Progress{Phase: ingest.PhaseVectors, Source: "lab"}, 80); got != "lab: vectors" {
		t.Errorf("%q", got)
	}
}

func TestTheBarIsForTerminals(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "pipe"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	bar := newProgressBar(f)
	bar.show(ingest.Progress{Phase: ingest.PhaseFiles, Files: 1})
	bar.showVectors(1, 2)
	bar.clear()
	if info, err := f.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("a file got %v, %v", info, err)
	}
	var out bytes.Buffer
	bar = &progressBar{w: &out, width: 80}
	bar.showVectors(5, 10)
	bar.showVectors(6, 10) // too soon
	bar.clear()
	if got := out.String(); got != "\r\x1b[K[##########..........] 5/10 vectors\r\x1b[K" {
		t.Errorf("a terminal got %q", got)
	}
}
