package chunk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// show gives chunks as "first-last heading".
func show(chunks []Chunk) (list []string) {
	for _, c := range chunks {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%d-%d %s", c.StartLine, c.EndLine, c.Heading)))
	}
	return list
}

func expect(t *testing.T, name, text string, o Options, want ...string) []Chunk {
	t.Helper()
	chunks := Split(name, text, o)
	check(t, name, text, o, chunks)
	if got := show(chunks); !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", name, got, want)
	}
	return chunks
}

// small is a size at which a few lines make a chunk.
var small = Options{TargetChars: 40, MaxChars: 60}

func TestOptions(t *testing.T) {
	tests := []struct{ in, want Options }{
		{Defaults, Options{1200, 200, 1200}},
		{Options{}, Options{1200, 0, 1200}},
		{Options{TargetChars: -1, OverlapChars: -1, MaxChars: -1}, Options{1200, 0, 1200}},
		{Options{TargetChars: 2000, OverlapChars: 200, MaxChars: 8000}, Options{2000, 200, 8000}},
		{Options{TargetChars: 100, OverlapChars: 200, MaxChars: 8000}, Options{100, 50, 8000}},
		{Options{TargetChars: 1, OverlapChars: 1, MaxChars: 1}, Options{1, 0, 1}},
	}
	for _, tt := range tests {
		if got := tt.in.normal(); got != tt.want {
			t.Errorf("%+v becomes %+v, want %+v", tt.in, got, tt.want)
		}
	}
}

func TestSplitBlank(t *testing.T) {
	for _, text := range []string{"", "\n", " \t\r\n\n", "\uFEFF", "\uFEFF\n\n", strings.Repeat("\n", 100000), strings.Repeat(" ", 100000)} {
		if chunks := Split("a.md", text, Defaults); chunks != nil {
			t.Errorf("a text of white space, %.20q…, has chunks: %v", text, show(chunks))
		}
	}
}

func TestSplitWhole(t *testing.T) {
	for _, name := range []string{"a.md", "a.yaml", "a.json", "a.py", "a.container", "a.txt", "Makefile"} {
		for _, text := range []string{"x", "x\n", "\n\nx\n\n", "\uFEFFx\r\ny\rz\u2028\v\f\u0085w", "x\n\n\n"} {
			chunks := expect(t, name, text, Defaults, fmt.Sprintf("1-%d", len(strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"))))
			if len(chunks) == 1 && chunks[0].Text != text {
				t.Errorf("%s: the chunk is %q, not %q", name, chunks[0].Text, text)
			}
		}
	}
}

func TestSplitParagraphs(t *testing.T) {
	text := "one one one one one\n\ntwo two two two two\n\nthree three three\nthree three\n\nfour\n"
	expect(t, "a.txt", text, small, "1-2", "3-4", "5-8")
	expect(t, "a.txt", text, Options{TargetChars: 45, MaxChars: 60}, "1-4", "5-8")
	// A paragraph over the target is cut at its lines, one line over the maximum at its characters.
	expect(t, "a.txt", strings.Repeat("ten chars\n", 7), small, "1-4", "5-7")
	chunks := expect(t, "a.txt", "before\n\n"+strings.Repeat("ü", 130)+"\nafter\n", small, "1-2", "3-3", "3-3", "3-3", "4-4")
	if got := chunks[3].Text; got != strings.Repeat("ü", 42)+"\n" {
		t.Errorf("the end of the long line is %q", got)
	}
	chunks = expect(t, "a.txt", strings.Repeat("nine char ", 13), small, "1-1", "1-1", "1-1")
	if got := chunks[0].Text; got != strings.Repeat("nine char ", 4) {
		t.Errorf("the long line is cut at %q", got)
	}
	// A line between the target and the maximum stays whole.
	expect(t, "a.txt", "short\n"+strings.Repeat("x", 50)+"\nshort\n", small, "1-1", "2-2", "3-3")
	// White space longer than a chunk is left out.
	expect(t, "a.txt", "a\n"+strings.Repeat("\n", 200)+"b\n", small, "1-39", "200-202")
}

// A heading isn't left alone before a paragraph that is one line over the maximum, or is with the heading.
func TestAHeadingStaysWithTheLineBelow(t *testing.T) {
	line := strings.TrimSpace(strings.Repeat("seven c ", 20)) // 159 characters
	o := Options{TargetChars: 100, MaxChars: 100, OverlapChars: 20}
	for name, c := range map[string]struct {
		file, text string
		want       []string
	}{
		"over the maximum":  {"a.md", "## Long\n\n" + line + "\n\nafter\n", []string{"1-3 Long", "3-3 Long", "4-5 Long"}},
		"with the heading":  {"a.md", "## Long\n\n" + line[:95] + "\n\nafter\n", []string{"1-3 Long", "3-3 Long", "4-5 Long"}},
		"after a section":   {"a.md", "## A\n\n" + strings.Repeat("words words\n", 7) + "## B\n" + line + "\n", []string{"1-9 A", "10-11 B", "11-11 B"}},
		"fits":              {"a.md", "## Long\n\n" + line[:80] + "\n\nafter\n", []string{"1-5 Long"}},
		"key of a mapping":  {"a.yaml", "key:\n  " + line + "\nother: 1\n", []string{"1-2 key", "2-2 key", "3-3 other"}},
		"more than a title": {"a.txt", "twelve chars\n\n" + line + "\n", []string{"1-2", "3-3", "3-3"}},
	} {
		chunks := expect(t, c.file, c.text, o, c.want...)
		if len(chunks) > 1 && name == "over the maximum" && !strings.HasPrefix(chunks[0].Text, "## Long\n\nseven c") {
			t.Errorf("%s: %q", name, chunks[0].Text)
		}
	}
}

func TestSplitOverlap(t *testing.T) {
	text := "one one one\n\ntwo two two\n\nthree three\n\nfour four four\n\nfive five\n"
	expect(t, "a.txt", text, Options{TargetChars: 40, MaxChars: 60, OverlapChars: 15}, "1-6", "5-9")
	// Not where the next block would no longer fit, and not across sections.
	fence := "```\n" + strings.Repeat("x", 40) + "\n```\n"
	expect(t, "a.md", "one one one\n\ntwo two two\n\n"+fence, Options{TargetChars: 60, MaxChars: 60, OverlapChars: 15}, "1-4", "5-7")
	expect(t, "a.md", "## A\n\n"+strings.Repeat("word\n", 8)+"\n## B\n\n"+strings.Repeat("word\n", 8),
		Options{TargetChars: 40, MaxChars: 60, OverlapChars: 10}, "1-8 A", "7-11 A", "12-19 B", "18-21 B")
	expect(t, "a.md", "one one one\n\ntwo two two\n\n"+fence, Options{TargetChars: 40, MaxChars: 60, OverlapChars: 15}, "1-4", "5-7")
	// Not into the middle of a block that is kept whole.
	expect(t, "a.md", "```\nx\ny\n```\n"+strings.Repeat("word\n", 8), Options{TargetChars: 40, MaxChars: 60, OverlapChars: 10}, "1-4", "5-12")
}

func TestSplitHeading(t *testing.T) {
	long := strings.Repeat("ü", 300)
	chunks := Split("a.md", "# "+long+"\n", Defaults)
	if got := chunks[0].Heading; got != strings.Repeat("ü", MaxHeadingChars) {
		t.Errorf("a long heading gives %d characters", utf8.RuneCountInString(got))
	}
	// A chunk has the heading of the section that it starts in.
	text := "# T\n\nx\n\n## A\n\n" + strings.Repeat("words words words\n", 5)
	expect(t, "a.md", text, small, "1-7 T", "8-9 A", "10-11 A")
}

func TestFormats(t *testing.T) {
	yaml := "a:\n  b: 1\nc:\n  d: 1\n"
	for _, name := range []string{"a.yaml", "a.YML", "x/a.kube", "a.yaml.j2", "compose.yml.tmpl", "a.bu"} {
		expect(t, name, yaml, Options{MaxChars: 10}, "1-2 a", "3-4 c")
	}
	for _, name := range []string{"a.container", "a.network", "a.service", "a.conf", "a.toml", "a.ini", "app.conf.j2"} {
		expect(t, name, "[Unit]\nA=1\n[Container]\nB=2\n", Options{MaxChars: 16}, "1-2 Unit", "3-4 Container")
	}
	for _, name := range []string{"a.txt", "a", "a.rst", "a.j2"} {
		expect(t, name, "[Unit]\nA=1\n\n[Container]\nB=2\n", Options{MaxChars: 16}, "1-3", "4-5")
	}
}

func TestSplitLarge(t *testing.T) {
	words := make([]string, 500_000)
	for i := range words {
		words[i] = fmt.Sprintf("w%08x", i)
	}
	for name, text := range map[string]string{
		"one line":        strings.Repeat("x", 10<<20),
		"one line, words": strings.Join(words, " "),
		"100 000 lines":   strings.Repeat("some line of a long file\n", 100_000),
		"unique words":    strings.Join(words, "\n"),
		"line ends":       "x" + strings.Repeat("\n", 1<<20) + "x",
	} {
		chunks := Split("a.txt", text, Defaults)
		check(t, name, text, Defaults, chunks)
	}
}

// Whatever a file holds, cutting it is linear. The yardstick is a plain file of the same size and format, cut in the
// same run; the bound is generous, because quadratic work on these sizes takes fifty times as long and more.
func TestSplitLinear(t *testing.T) {
	const size = 256 << 10
	cut := func(file, unit string) time.Duration {
		text := "x" + strings.Repeat(unit, size/len(unit))
		start := time.Now()
		Split(file, text, Defaults)
		return time.Since(start)
	}
	for file, units := range map[string][]string{
		"a.md":   {"  ```a\nx\n", "<!--\n", "<pre>\n", "## x\n", "##\n\n", "|a|\n|-|\n", "a\n---\n", "- a\n"},
		"a.yaml": {"#\n", "k:\n", "---\n", "- a\n"},
		"a.json": {"[{\n", "\"", "\"\n", "\\\n"},
		"a.py":   {"\"\"\"'''\n", "def f\n", "\"\"\"'''"},
		"a.txt":  {"\n", "x\n" + strings.Repeat("y", 1100) + "\n", " ", "x"},
	} {
		plain := cut(file, "a\n")
		for _, unit := range units {
			if took := cut(file, unit); took > 20*plain+2*time.Second {
				t.Errorf("%.12q repeated as %s took %v, a plain text %v", unit, file, took, plain)
			}
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []struct{ name, text string }{
		{"a.md", "---\ntitle: x\n---\n# A\n\ntext\n\n## B\n```sh\nx\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\nC\n===\n<!-- x\n-->\n- a\n  - b\n"},
		{"a.md", "  ```\nx\n~~~~\n```\n    # no\n\uFEFF# x\r\n"},
		{"a.yaml", "# c\n---\na: 1\n# d\nb:\n  - x\n...\n- name: \"y\"\n'q': z\n"},
		{"a.json", "{\n \"a\": [1,\n 2], \"b\": {\"c\": \"\\\"\"},\n \"d\n}"},
		{"a.py", "import x\n\n@d\ndef f():\n  '''\ndef g\n'''\n\nclass C:\n  pass\n"},
		{"a.go", "package x\n\n// F\nfunc (a A) F() {\n\tx := `\nfunc no`\n}\n"},
		{"a.sh", "#!/bin/sh\nf() {\n  x \\\n  y\n}\n"},
		{"a.container", "# c\n[Unit]\nA=1\n\n; d\n[[x]]\nB=2\n"},
		{"Makefile", "a: b\n\tc\n.PHONY: a\n"},
		{"a.txt", "one\n\ntwo \xff\xe2\x82 ü\u2028\n\n\n\nthree"},
	} {
		for _, size := range []int{0, 1, 7, 40} {
			f.Add(seed.name, seed.text, size, size/3, size)
		}
	}
	f.Fuzz(func(t *testing.T, name, text string, target, overlap, limit int) {
		o := Options{TargetChars: target, OverlapChars: overlap, MaxChars: limit}
		chunks := Split(name, text, o)
		check(t, name, text, o, chunks)
		if (len(chunks) == 0) != blank(strings.TrimPrefix(text, byteOrderMark)) {
			t.Fatalf("%q has %d chunks", text, len(chunks))
		}
	})
}
