package kb_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"bor/internal/kb"
)

func TestGrepBlocksAreWholeFoldedLines(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "one line": "Ä", "line ends": "A\r\n\n\nß", "many lines": strings.Repeat("A Line of Text\n", 5000),
		"a long line in the middle": "a\n" + strings.Repeat("X", 100_000) + "\nb\nC",
	} {
		var all strings.Builder
		next := 1
		for _, b := range kb.GrepBlocks(text) {
			if b.FirstLine != next {
				t.Errorf("%s: a block begins at line %d, want %d", name, b.FirstLine, next)
			}
			n := kb.SplitLines(b.Folded).Count()
			if len(b.Folded) > 8<<10 && n > 1 {
				t.Errorf("%s: a block of %d lines has %d bytes", name, n, len(b.Folded))
			}
			next += n
			all.WriteString(b.Folded)
		}
		if all.String() != kb.Fold(text) {
			t.Errorf("%s: the blocks don't add up to the folded text", name)
		}
	}
}

func grepLines(t *testing.T, store *kb.Store, pattern, path string, limit int) (string, kb.Matches) {
	t.Helper()
	scope, err := store.Scope(t.Context(), path)
	if err != nil {
		t.Fatalf("%q: %v", path, err)
	}
	found, err := store.Grep(t.Context(), pattern, scope, limit)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	var lines []string
	for _, m := range found.Lines {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", m.Identity(), m.Line, m.Text))
	}
	return strings.Join(lines, "\n"), found
}

func TestGrep(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t,
		doc("homelab/quadlets/gufo.container", "[Container]\r\nImage=gufo:1\r\nimage=IMAGE\r\n"),
		doc("homelab/quadlets/web/caddy.container", "x\vImage\u2028image\n\n100% of a_b\\c"),
		doc("homelab/Straße.md", "Die STRASSE\nΟΔΟΣ\n"),
		doc("archive/quadlets", "a document named like a folder: image\n"),
		doc("archive/quadlets/old", "image\n"),
		doc("archive/empty", ""))
	for _, c := range []struct{ pattern, path, want string }{
		{"IMAGE", "homelab/quadlets/gufo.container", "homelab/quadlets/gufo.container:2: Image=gufo:1\nhomelab/quadlets/gufo.container:3: image=IMAGE"},
		{"image", "homelab/quadlets/web/", "homelab/quadlets/web/caddy.container:1: x\vImage\u2028image"},
		{"image", "homelab/quadlets", "homelab/quadlets/gufo.container:2: Image=gufo:1\nhomelab/quadlets/gufo.container:3: image=IMAGE\nhomelab/quadlets/web/caddy.container:1: x\vImage\u2028image"},
		{"image", "archive/quadlets", "archive/quadlets:1: a document named like a folder: image"},
		{"image", "archive/quadlets/", "archive/quadlets/old:1: image"},
		{"image", "archive", "archive/quadlets:1: a document named like a folder: image\narchive/quadlets/old:1: image"},
		{"straße", "", "homelab/Straße.md:1: Die STRASSE"},
		{"οδος", "", "homelab/Straße.md:2: ΟΔΟΣ"},
		{"100%", "", "homelab/quadlets/web/caddy.container:3: 100% of a_b\\c"},
		{"1%0", "", ""},
		{"a_b\\c", "", "homelab/quadlets/web/caddy.container:3: 100% of a_b\\c"},
		{"axb", "", ""},
		{"c]\r\nImage", "", ""},
		{"a_", "homelab", "homelab/quadlets/web/caddy.container:3: 100% of a_b\\c"},
		{"", "homelab", ""},
		{"ima\x00ge", "", ""},
		{"'; DROP TABLE documents; --", "", ""},
	} {
		got, found := grepLines(t, store, c.pattern, c.path, 20)
		if got != c.want {
			t.Errorf("grep %q in %q:\n%s\nwant:\n%s", c.pattern, c.path, got, c.want)
		}
		if found.Total != len(found.Lines) || found.More {
			t.Errorf("grep %q in %q: %d lines of %d, more %v", c.pattern, c.path, len(found.Lines), found.Total, found.More)
		}
	}
	for _, path := range []string{"nowhere", "homelab/quad", "homelab/quadlets/gufo", "\x00", "homelab/\xff"} {
		if _, err := store.Scope(t.Context(), path); err != kb.ErrNotFound {
			t.Errorf("scope %q: %v", path, err)
		}
	}
}

func TestGrepCountsBeyondWhatItShows(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t,
		doc("s/b", strings.Repeat("needle needle\nhay\n", 30)),
		doc("s/a", strings.Repeat("Needle\n", 27)),
		doc("big/all", strings.Repeat("a common word stands here\n", 1000)),
		doc("bigger/all", strings.Repeat("a common word stands here\n", 2500)))
	got, found := grepLines(t, store, "needle", "", 2)
	if got != "s/a:1: Needle\ns/a:2: Needle" || found.Total != 57 || found.More {
		t.Errorf("%s\n%d, more %v", got, found.Total, found.More)
	}
	if _, found := grepLines(t, store, "common", "big", 20); found.Total != 1000 || found.More || len(found.Lines) != 20 {
		t.Errorf("%d lines of %d, more %v", len(found.Lines), found.Total, found.More)
	}
	if got, found := grepLines(t, store, "common", "bigger", 1); found.Total != 1000 || !found.More || got != "bigger/all:1: a common word stands here" {
		t.Errorf("%s of %d, more %v", got, found.Total, found.More)
	}
}

// A thousand blocks are enough to count to a thousand: the search must not read
// the rest.
func TestGrepStopsWhereCountingStops(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 9000) + " common\n" // a block of its own
	store, _ := newStore(t, doc("s/a", strings.Repeat(line, 600)), doc("s/b", strings.Repeat(line, 600)))
	if _, found := grepLines(t, store, "common", "", 3); found.Total != 1000 || !found.More || len(found.Lines) != 3 {
		t.Errorf("%d lines of %d, more %v", len(found.Lines), found.Total, found.More)
	}
}

func TestGrepClipsLongLinesAroundTheMatch(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("äöü ", 100_000)
	store, _ := newStore(t,
		doc("s/middle", far+"İ NEEDLE!"+far+"\r\n"), doc("s/start", "Needle"+far), doc("s/end", far+"needle"),
		doc("s/exact", "needle"+strings.Repeat("ß", 194)), doc("s/huge", far+strings.Repeat("needle", 60)+far))
	for path, check := range map[string]func(string) bool{
		"s/middle": func(s string) bool { return strings.HasPrefix(s, "…") && strings.HasSuffix(s, "…") },
		"s/start":  func(s string) bool { return strings.HasPrefix(s, "Needle") && strings.HasSuffix(s, "…") },
		"s/end":    func(s string) bool { return strings.HasPrefix(s, "…") && strings.HasSuffix(s, " needle") },
		"s/exact":  func(s string) bool { return s == "needle"+strings.Repeat("ß", 194) },
	} {
		_, found := grepLines(t, store, "needle", path, 1)
		text := found.Lines[0].Text
		inner := strings.Trim(text, "…")
		if !check(text) || !utf8.ValidString(text) || kb.Chars(inner) != 200 || !strings.Contains(strings.ToLower(inner), "needle") {
			t.Errorf("%s: %d characters: %q", path, kb.Chars(inner), text)
		}
	}
	_, found := grepLines(t, store, strings.Repeat("needle", 60), "s/huge", 1)
	if text := strings.Trim(found.Lines[0].Text, "…"); text != strings.Repeat("needle", 34)[:200] {
		t.Errorf("a pattern longer than the window shows %q", text)
	}
}

// Against GNU grep over the same text, which counts lines the same way.
func TestGrepAgreesWithGrep(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"port", "Port ", "53", "\n", "\n", " dns", "=", "\t", "ports\r\n", "%", "_", "\\", "host.docker.internal", strings.Repeat("-", 3000)}
	dir := t.TempDir()
	var docs []kb.Document
	for i := range 5 {
		var b strings.Builder
		for range 400 {
			b.WriteString(words[rng.IntN(len(words))])
		}
		name := fmt.Sprintf("f%d", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc("s/"+name, b.String()))
	}
	store, _ := newStore(t, docs...)
	for _, pattern := range []string{"port", "PORT ", "53=", "ports\r", "%_", "\\%", "host.docker", "---", "xdns", " dns", "t\t"} {
		cmd := exec.CommandContext(t.Context(), "grep", "-rniF", "--", pattern, ".")
		cmd.Dir = dir
		cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
		out, _ := cmd.Output() // no match is an error of grep's
		var want []string
		for line := range strings.Lines(string(out)) {
			parts := strings.SplitN(line, ":", 3)
			want = append(want, fmt.Sprintf("s%s:%s", strings.TrimPrefix(parts[0], "."), parts[1]))
		}
		_, found := grepLines(t, store, pattern, "s", 1000)
		var got []string
		for _, m := range found.Lines {
			got = append(got, fmt.Sprintf("%s:%d", m.Identity(), m.Line))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %d lines, grep has %d", pattern, len(got), len(want))
		}
	}
}
