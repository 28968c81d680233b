package librarian

import (
	"fmt"
	"strings"
	"testing"
)

// ranges shows sections as first-last lines, from 1.
func ranges(cut []section) string {
	var out []string
	for _, s := range cut {
		out = append(out, fmt.Sprintf("%d-%d", s.start+1, s.end))
	}
	return strings.Join(out, " ")
}

func numberedLines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

func TestSections(t *testing.T) {
	quadlet := "# Gufo\n[Unit]\nDescription=Gufo\n\n# runs\n[Container]\nImage=gufo\nPublishPort=80\n\n[Service]\nRestart=always\n\n[Install]\nWantedBy=default.target\n"
	compose := "# monitoring\nservices:\n  grafana:\n" + numberedLines(14, "    key%d: x") + "  # scrapes\n  prometheus:\n" + numberedLines(14, "    key%d: x") + "volumes:\n  a:\n  b:\n"
	data := "{\n  \"a\": 1,\n  \"list\": [\n" + numberedLines(30, "    %d,") + "  ],\n  \"z\": {\n" + numberedLines(12, "    \"k%d\": 1,") + "  }\n}\n"
	script := "#!/bin/sh\nset -e\n\n# one\none() {\n" + numberedLines(6, "  echo %d") + "}\n\n# two\ntwo() {\n" + numberedLines(6, "  echo %d") + "}\n\none\ntwo\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty.md", "", ""},
		{"short.md", "# A\n\n## B\n\ntext\n", "1-5"},
		{"no-final-newline.txt", "a\nb", "1-2"},
		{"notes.md", "---\ntitle: x\n---\n# A\n\nintro\n\n## B\n\nb\n\n### C\n\n```\n## not a heading\n```\n\n## D\nd\n", "4-6 8-10 12-16 18-19"},
		{"tilde.md", "# A\n\n~~~\n```\n# x\n~~~\n\n# B\n\n####### C\n\nc\n", "1-6 8-12"},
		{"gufo.container", quadlet, "1-3 5-8 10-11 13-14"},
		{"compose.yaml", compose, "1-2 3-17 18-33 34-36"},
		{"data.json", data, "1-2 3-14 15-26 27-34 35-49"},
		{"backup.sh", script, "1-2 4-12 14-25"},
		{"vlans.txt", "one\nlist:\n\n  a\n  b\n\ntwo\n\n\nthree\nmore\nand\n", "1-5 7-7 10-12"},
		{"long.txt", numberedLines(30, "line %d"), "1-12 7-18 13-24 19-30"},
		{"flat.yaml", numberedLines(30, "key%d: x"), "1-12 13-24 25-30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ranges(sections(c.name, splitLines(c.text), false)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestSectionsKnowTheirHeadings(t *testing.T) {
	lines := splitLines("# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n")
	got := sections("x.md", lines, false)
	if want := "# A ## B ### C"; strings.Join(strings.Fields(strings.ReplaceAll(got[2].context, "#", "")), " ") != "A B C" {
		t.Errorf("%q, want %q", got[2].context, want)
	}
	if strings.Contains(got[3].context, "B") || !strings.Contains(got[3].context, "D") {
		t.Errorf("%q", got[3].context)
	}
}

func TestStepsAreASectionTogether(t *testing.T) {
	text := "# Restore\n\nintro\n\n## 1. Fetch\n\na\n\n## 2. Switch\n\nb\n\n## Later\n\nc\n"
	if got := ranges(sections("r.md", splitLines(text), true)); got != "1-3 5-7 9-11 13-15 5-11" {
		t.Errorf("%s", got)
	}
	one := "# A\n\na\n\n## 1. Only\n\nb\n\n## B\n\nc\n\nd\n"
	if got := ranges(sections("r.md", splitLines(one), true)); got != "1-3 5-7 9-13" {
		t.Errorf("%s", got)
	}
}

func FuzzSections(f *testing.F) {
	f.Add("a.md", "# A\n\n```\n# b\n", true)
	f.Add("a.yaml", "a:\n  b:\n\n }\n"+numberedLines(30, " - %d"), false)
	f.Add("a.json", "{\n"+numberedLines(30, "]\n}%d"), false)
	f.Add("a.container", "[A]\n# c\n[B]\n"+numberedLines(20, "%d"), false)
	f.Fuzz(func(t *testing.T, name, text string, steps bool) {
		lines := splitLines(text)
		for _, s := range sections(name, lines, steps) {
			if s.start < 0 || s.start >= s.end || s.end > len(lines) {
				t.Fatalf("section %d-%d of %d lines", s.start, s.end, len(lines))
			}
		}
	})
}
