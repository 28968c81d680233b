package chunk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outlined gives the sections of a document as "line/level heading".
func outlined(name, text string) (list []string) {
	d := newDocument(text, Defaults.normal())
	for _, s := range d.sections(outlineOf(name)(d)) {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%d/%d %s", s.first+1, s.level, s.heading)))
	}
	return list
}

type outlineTest struct {
	text string
	want []string
}

func testOutlines(t *testing.T, name string, tests []outlineTest) {
	t.Helper()
	for _, tt := range tests {
		if got := outlined(name, tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s %q:\n got %q\nwant %q", name, tt.text, got, tt.want)
		}
		check(t, name, tt.text, Defaults, Split(name, tt.text, Defaults))
	}
}

func TestMarkdownSections(t *testing.T) {
	testOutlines(t, "a.md", []outlineTest{
		{"# A\n\ntext\n## B ##\ntext\n### C#\ntext\n#### D\ntext\n", []string{"1/1 A", "4/2 B", "6/3 C#"}},
		{"intro\n\n# A\ntext\n", []string{"1/0", "3/1 A"}},
		{"\n\n   ## A\ntext\n", []string{"1/2 A"}},
		{"\uFEFF# A\r\ntext\r\n## B\r\n", []string{"1/1 A", "3/2 B"}},
		{"\uFEFF\n# A\n", []string{"1/1 A"}},
		{"    # code\n\n\t# code\n\n#no\n\n####### no\n", []string{"1/0"}},
		{"##\ntext\n### #\n", []string{"1/2", "3/3"}},
		{"One\n===\ntext\n\nTwo\nlines\n---\ntext\n", []string{"1/1 One", "5/2 Two lines"}},
		{"- item\n---\n\n> quote\n===\n\n| a |\n===\n\n---\n\n***\n", []string{"1/0"}},
		{"text\n# A\ntext\n- b\n===\n", []string{"1/0", "2/1 A"}},
		// Nothing inside a block is a heading.
		{"```sh\n# no\n```\n# A\n", []string{"1/0", "4/1 A"}},
		{"~~~~\n# no\n~~~\n```\n# no\n~~~~\n# A\n", []string{"1/0", "7/1 A"}},
		{"``` a`b\n# A\n", []string{"1/0", "2/1 A"}},
		{"- x\n  ```\n  # no\n  ```\n# A\n", []string{"1/0", "5/1 A"}},
		{"- x\n    ```\n    # no\n\n# A\n", []string{"1/0", "5/1 A"}}, // the fence ends with its item
		{"```\n# no\n\n# no\n", []string{"1/0"}},                      // an open one at the top never does
		{"```\nx\n```\n```\n# no\n~~~\n# no\n", []string{"1/0"}},
		{"<!--\n# no\n-->\n# A\n<!-- one line -->\n# B\n", []string{"1/0", "4/1 A", "6/1 B"}},
		{"<pre>\n# no\n\n# no\n</pre>\n# A\n<script>\n# no\n", []string{"1/0", "6/1 A"}},
		{"<preface>\n# A\n<div>\n# B\n", []string{"1/0", "2/1 A", "4/1 B"}},
		{"a | b\n--|--\n1 | 2\n# A\n", []string{"1/0", "4/1 A"}},
		{"a | b\n# A\n", []string{"1/0", "2/1 A"}},
		// Front matter is one only when it is closed.
		{"---\n# no\ntitle: x\n---\n# A\n", []string{"1/0", "5/1 A"}},
		{"---\ntitle: x\n...\n# A\n", []string{"1/0", "4/1 A"}},
		{"+++\ntitle = 1\n+++\n", []string{"1/0"}},
		{"---\n# A\n", []string{"1/0", "2/1 A"}},
		{"text\n---\n", []string{"1/2 text"}},
	})
}

func TestYAMLSections(t *testing.T) {
	testOutlines(t, "a.yaml", []outlineTest{
		{"a: 1\n\"b c\": 2\n'd':\n  e: 3\nf-g.h/i:\n- x\n", []string{"1/0 a", "2/0 b c", "3/0 d", "5/0 f-g.h/i", "6/0"}},
		{"# about a\n# more\na: 1\n\n# apart\n\nb: 2\n", []string{"1/0 a", "7/0 b"}},
		{"a: 1\n# about b\nb: 2\n", []string{"1/0 a", "2/0 b"}},
		{"---\na: 1\nb: 2\n---\n# c\nc: 3\n--- # d\nd: 4\n...\n", []string{"1/1 a", "3/0 b", "4/1 c", "7/1 d"}},
		{"- name: \"First\"\n  x: y\n- name: Second\n-\n- {a: b}\n-a: key\n", []string{"1/0 First", "3/0 Second", "4/0", "5/0", "6/0 -a"}},
		{"a: |\n  b: text\n  c: text\nurl: http://x:80\n{{ if }}\nplain words\nk:v\n", []string{"1/0 a", "4/0 url"}},
		{"{% for x in y %}\n", []string{"1/0"}},
	})
}

func TestINISections(t *testing.T) {
	testOutlines(t, "gufo.container", []outlineTest{
		{"# gufo\n\n# the unit\n[Unit]\nA=1\n; below\n[Container]\nB=[no]\n [no]\n", []string{"1/0", "3/0 Unit", "6/0 Container"}},
		{"A=1\nB=2\n", []string{"1/0"}},
		{"[a.b] # c\n[[c.d]]\n[e[0]]\n[]\n[x\n", []string{"1/0 a.b", "2/0 c.d", "3/0 e[0]"}},
	})
}

func TestJSONSections(t *testing.T) {
	testOutlines(t, "a.json", []outlineTest{
		{"{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [1,\n 2]\n  },\n  \"d\": \"x\"\n}\n", []string{"1/0", "2/0 a", "3/0 b", "7/0 d"}},
		{"[\n  {\"a\": 1},\n  {\"b\": 2},\n  3, 4,\n  \"five\"\n]\n", []string{"1/0", "2/0", "3/0", "4/0", "5/0 five"}},
		{"{\"a\": 1, \"b\": 2}", []string{"1/0 a"}},
		{"{\n\"a\\\"b\": \"{[\",\n\"c\": 1\n}", []string{"1/0", `2/0 a\"b`, "3/0 c"}},
		{"{\n\"open: 1,\n\"b\": \"end\\\nnext\",\n\"c\": \"", []string{"1/0", "2/0 open: 1"}},
		{"{}\n[]\n", []string{"1/0"}},
		{"null", []string{"1/0"}},
		{"{\n\"", []string{"1/0", "2/0"}},
	})
}

func TestCodeSections(t *testing.T) {
	testOutlines(t, "a.py", []outlineTest{
		{"import x\n\n# about f\n@d\ndef f(a):\n  def inner(): pass\n\nasync def g():\n  pass\nclass C(D):\n  def m(self): pass\n\nif __name__ == '__main__':\n  f()\n",
			[]string{"1/0", "3/0 f", "8/0 g", "10/0 C", "13/0 if __name__"}},
		{"def f():\n  \"\"\"\ndef no\n  '''\n\"\"\" + '''\ndef no\n'''\ndef g(): '''one line'''\ndef h(): pass\n", []string{"1/0 f", "8/0 g", "9/0 h"}},
		{"# it's '''\ndef f(): pass\nx = '''a''' + \"\"\"\ndef no\n", []string{"1/0 f"}},
	})
	testOutlines(t, "a.go", []outlineTest{
		{"package x\n\nimport \"y\"\n\n// F does.\nfunc F() {}\nfunc (a *A[T]) M(b B) {}\ntype T struct{}\nvar (\n\tx = `\nfunc no\n`\n)\nconst c = 1\n",
			[]string{"1/0", "3/0 import", "5/0 F", "7/0 M", "8/0 T", "9/0 var", "14/0 c"}},
	})
	testOutlines(t, "a.sh", []outlineTest{
		{"#!/bin/sh\nset -e\n# about f\nf() {\n  g () { :; }\n}\nfunction h {\n:\n}\nfunction i() { :; }\nf\n", []string{"1/0", "3/0 f", "7/0 h", "10/0 i"}},
	})
	testOutlines(t, "Containerfile", []outlineTest{
		{"# syntax=x\nFROM a AS b\nRUN x\nfrom c\n", []string{"1/0 a AS b", "4/0 c"}},
	})
	testOutlines(t, "makefile", []outlineTest{
		{"A := 1\nB = 2\n.PHONY: all\nall: x y\n\tz: no\n# about x\nx::\n", []string{"1/0", "3/0 .PHONY", "4/0 all", "6/0 x"}},
	})
	testOutlines(t, "Caddyfile", []outlineTest{
		{"{\n\temail x\n}\n\na.example, b.example {\n\troute {\n\t}\n}\nc {\n}\n", []string{"1/0", "5/0 a.example, b.example", "9/0 c"}},
	})
}

func TestMarkdownBlocksStayWhole(t *testing.T) {
	o := Options{TargetChars: 100, MaxChars: 100, OverlapChars: 20}
	words := strings.Repeat("words of a paragraph\n", 3) // 63 characters
	for name, block := range map[string]string{
		"fence":        "```yaml\na: 1\n\nb: 2\n\nc: 3\n\nd: 4\n\ne: 5\n\nf: 6\n```\n",
		"tilde fence":  "~~~\n" + strings.Repeat("x\n\n", 20) + "~~~\n",
		"inner fence":  "- x\n  ```\n  " + strings.Repeat("x\n\n  ", 12) + "```\n",
		"table":        "| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", 6),
		"bare table":   "a | b\n- | -\n" + strings.Repeat("1 | 2\n", 8),
		"comment":      "<!--\n" + strings.Repeat("x\n\n", 20) + "-->\n",
		"preformatted": "<pre>\n" + strings.Repeat("x\n\n", 20) + "</pre>\n",
	} {
		text := words + "\n" + block + "\n" + words
		chunks := Split("a.md", text, o)
		check(t, name, text, o, chunks)
		whole := func(c Chunk) bool { return strings.Contains(c.Text, block) }
		if !slices.ContainsFunc(chunks, whole) {
			t.Errorf("the %s is cut: %q", name, show(chunks))
		}
		for _, c := range chunks {
			if !whole(c) && strings.Contains(c.Text, block[len(block)-4:]) && name != "table" && name != "bare table" {
				t.Errorf("a chunk has a part of the %s: %q", name, c.Text)
			}
		}
	}
	front := "---\n" + strings.Repeat("k: v\n\n", 12) + "---\n"
	chunks := Split("a.md", front+"# A\n\n"+words, o)
	if chunks[0].Text != front {
		t.Errorf("the front matter is cut: %q", chunks[0].Text)
	}
}

func TestMarkdownBreaks(t *testing.T) {
	o := Options{TargetChars: 60, MaxChars: 100}
	// A block that the target falls into is finished when the maximum allows it.
	expect(t, "a.md", "some words\n```\n"+strings.Repeat("123456789\n", 6)+"```\nmore words\n", o, "1-9", "10-10")
	// Otherwise the cut is before it, however little that leaves.
	expect(t, "a.md", "some more words\n```\n"+strings.Repeat("123456789\n", 8)+"```\nmore words\n", o, "1-1", "2-11", "12-12")
	// A block over the maximum is cut at its lines.
	expect(t, "a.md", "```\n"+strings.Repeat("123456789\n", 12)+"```\n", o, "1-6", "7-12", "13-14")
	// Items of lists and deeper headings are better places than lines, and a heading stays with its text.
	expect(t, "a.md", "- 1 item item item item\n- 2 item item item item\n  more\n- 3 item\n", o, "1-3", "4-4")
	expect(t, "a.md", "text text text text\n\n#### Four\n\ntext text text text text\n\ntext text text\n", o, "1-2", "3-7")
	expect(t, "a.md", "text text text text text\n#### Four\n\ntext text text text text\n", o, "1-1", "2-4")
	expect(t, "a.md", "1. one one one one one\n\n   two two two two two\n\n2. three three three\n", o, "1-4", "5-5")
}

func TestMarkdownJoins(t *testing.T) {
	body := func(n int) string { return strings.Repeat("text\n", n) }
	o := Options{TargetChars: 100, MaxChars: 100}
	// Sections of level two stand alone unless they are small, those of level three join.
	expect(t, "a.md", "# T\n## A\n"+body(6)+"## B\n"+body(6), o, "1-8 T", "9-15 B")
	expect(t, "a.md", "## A\n"+body(2)+"## B\n"+body(2)+"## C\n"+body(2), o, "1-6 A", "7-9 C")
	expect(t, "a.md", "## A\n"+body(5)+"### B\n"+body(5)+"### C\n"+body(8), o, "1-12 A", "13-21 C")
	// A small one doesn't cut the next where that fits alone, but goes with one that must be cut anyway.
	expect(t, "a.md", "## A\n"+body(2)+"## B\n"+body(18), o, "1-3 A", "4-22 B")
	expect(t, "a.md", "## A\n"+body(2)+"## B\n"+body(25), o, "1-20 A", "21-29 B")
}

func TestStructureBreaks(t *testing.T) {
	o := Options{TargetChars: 60, MaxChars: 60}
	// The shallowest line is the best place, and a comment stays with what it is about.
	expect(t, "a.yaml", "services:\n  a:\n    image: x\n    ports:\n      - 1\n  # about b\n  b:\n    image: y\n    ports:\n      - 2\n",
		o, "1-5 services", "6-10 services")
	expect(t, "a.yaml", "apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\nmetadata:\n  name: b\n", o, "1-2 apiVersion", "3-7 apiVersion")
	expect(t, "a.json", "{\n  \"a\": {\n    \"b\": [\n      1111\n    ],\n    \"c\": [\n      22222,\n      33333\n    ]\n  }\n}\n",
		o, "1-5 a", "6-11 a")
	expect(t, "a.py", "def f():\n    a = 1\n    b = 2\n\n    if a:\n        c()\n    else:\n        d()\n", o, "1-4 f", "5-8 f")
	expect(t, "a.sh", "a\nif x; then\n  long long long long long long\nfi\nif y; then\n  z\nfi\n", o, "1-4", "5-7")
	expect(t, "a.service", "[Service]\nExecStart=/bin/long/name \\\n  --one \\\n  --two\nRestart=always\nUser=x\n", o, "1-4 Service", "5-6 Service")
}
