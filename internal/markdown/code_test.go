package markdown

import (
	"strings"
	"sync"
	"testing"
)

// exact puts the lines into a page as a panel does and returns its text.
func exact(t testing.TB, lines []string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("<pre><code>")
	for _, line := range lines {
		b.WriteString(`<span class="line"><span>` + line + `</span></span>`)
	}
	b.WriteString("</code></pre>")
	return textOf(newPage(t, Block{HTML: b.String()}).answer)
}

// lines splits a text at LF, each line with its own (V2).
func lines(s string) []string {
	all := strings.SplitAfter(s, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

func checkCode(t testing.TB, s, lang string) {
	t.Helper()
	got := Code(s, lang)
	want := lines(s)
	if len(got) != len(want) {
		t.Fatalf("%s %q: %d lines, want %d", lang, s, len(got), len(want))
	}
	for i := range got {
		if text := exact(t, got[i:i+1]); text != want[i] {
			t.Fatalf("%s %q: line %d is %q, want %q", lang, s, i+1, text, want[i])
		}
	}
	if text := exact(t, got); text != s {
		t.Fatalf("%s: %q, want %q", lang, text, s)
	}
}

var bytesOfFiles = []string{
	"", "\n", "\n\n\n", "a", "a\n", "\na\n", "a\n\n", " a\t \n", "\ufeffa\n", "a\r\nb\r\n", "a\rb\r\r\n\r", "\r", "a\vb\fc\u0085d\u2028e\u2029f\n",
	"</pre></code><script>x</script>&amp;&#13;\n", "\u202eabc\u202c\u200b\u00ad\u2060\n", "👩‍💻👍🏽❤️1️⃣ 🏴\U000E0067\U000E007F é e\u0301 می\u200cخواهم क्\u200dष\n",
	"x\u200dy a\ufe0f \u00a0\u2003\u3000\x1b[31m\x7f\x01\n", "[Unit]\nDescription=x \\\n  y\n# c\nA=\"b\n", "key: |\n  a\n\n  b\nlist: [1, 'x']\n",
	"#!/bin/sh\necho \"$x\" 'a\nb' `c` # d\ncat <<EOF\nx\nEOF", "package a\n\n/* x\n\ny */ func f() { s := `a\n\nb` }\n", "{\"a\": [1, null, \"\\u0000\"]}", "<a b='c'><!-- d\ne --></a><script>x\n</script>",
	"def f(x):\n\t'''doc\n\n'''\n\treturn f\"{x}\"\r\n", "FROM a AS b\nRUN x \\\n y\n", "a = 1 # no end", "- a\n+ b\n@@ -1 +1 @@\n", "all:\n\techo $@\n\n",
}

func TestCodeIsExact(t *testing.T) {
	langs := []string{"", "unknown", "ini", "yaml", "bash", "go", "json", "html", "python", "docker", "diff", "make", "markdown", "sql", "php", "toml", "nginx"}
	for _, s := range bytesOfFiles {
		for _, lang := range langs {
			checkCode(t, s, lang)
		}
	}
}

func TestCodeMarksWhatCannotBeSeen(t *testing.T) {
	for in, want := range map[string]string{
		"a\u202eb":     `a<span class="ctl" data-c="U+202E">` + "\u202e</span>b",
		"a\r\n":        `a<span class="ctl" data-c="U+000D">&#13;</span>` + "\n",
		"\ufeffa":      `<span class="ctl" data-c="U+FEFF">` + "\ufeff</span>a",
		"\t a\n":       "\t a\n",
		"\x1b\x7f":     `<span class="ctl" data-c="U+001B">` + "\x1b" + `</span><span class="ctl" data-c="U+007F">` + "\x7f</span>",
		"a\u00a0b":     `a<span class="ctl" data-c="U+00A0">` + "\u00a0</span>b",
		"a\u200db":     `a<span class="ctl" data-c="U+200D">` + "\u200d</span>b",
		"👩‍💻 ❤️ 1️⃣":   "👩‍💻 ❤️ 1️⃣",
		"می\u200cخو":   "می\u200cخو",
		"a\ufe0f":      `a<span class="ctl" data-c="U+FE0F">` + "\ufe0f</span>",
		"👍🏽\U000E0041": `👍🏽<span class="ctl" data-c="U+E0041">` + "\U000E0041</span>",
		"漢\u3000字":     "漢\u3000字",
	} {
		if got := strings.Join(Code(in, ""), ""); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	// Everything of these kinds, by code point.
	for _, r := range []rune{0x1, 0x8, 0xB, 0xC, 0xE, 0x1F, 0x7F, 0x80, 0x85, 0x9F, 0xAD, 0x34F, 0x61C, 0x115F, 0x17B4, 0x180E, 0x200B, 0x200E, 0x200F,
		0x2028, 0x2029, 0x202A, 0x202F, 0x2060, 0x2064, 0x2066, 0x2069, 0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFB, 0x1D173, 0xE0001, 0xE0020, 0xE007F, 0xE0100} {
		if got := strings.Join(Code("a"+string(r)+"b", ""), ""); !strings.Contains(got, `class="ctl"`) {
			t.Errorf("U+%04X isn't marked", r)
		}
	}
}

func TestCodeColours(t *testing.T) {
	got := Code("[Container]\nImage=docker.io/x\n# note\n", Lang("a/gufo.container"))
	want := []string{`<span class="k">[Container]</span>` + "\n", `<span class="n">Image</span>=<span class="s">docker.io/x</span>` + "\n", `<span class="c"># note</span>` + "\n"}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("line %d: %q, want %q", i+1, got, want[i])
		}
	}
	// A token over several lines is coloured in each.
	if got := Code("/* a\nb */\n", "go"); len(got) != 2 || got[0] != `<span class="c">/* a`+"\n</span>" || got[1] != `<span class="c">b */</span>`+"\n" {
		t.Errorf("%q", got)
	}
	if got := Code("+a\n-b\n", "diff"); got[0] != `<span class="gi">+a`+"\n</span>" || got[1] != `<span class="gd">-b`+"\n</span>" {
		t.Errorf("%q", got)
	}
	big := strings.Repeat("func f() {}\n", MaxColour/12+1)
	if got := Code(big, "go"); got[0] != "func f() {}\n" {
		t.Errorf("%q over the limit is coloured", got[0])
	}
	// A lexer that swallows a character must not be believed.
	if spans := colour("a\r\nb", "php"); spansText(spans) != "a\r\nb" {
		t.Errorf("%q", spans)
	}
}

func spansText(spans []span) (s string) {
	for _, sp := range spans {
		s += sp.text
	}
	return s
}

func TestCodeHugeText(t *testing.T) {
	one := strings.Repeat("x<\u202e", 300_000)
	if got := Code(one, "go"); len(got) != 1 || strings.Count(got[0], "U+202E") != 300_000 {
		t.Errorf("%d lines", len(got))
	}
	many := strings.Repeat("PublishPort=8642\r\n", 100_000)
	got := Code(many, "ini")
	if len(got) != 100_000 || got[99_999] != `PublishPort=8642<span class="ctl" data-c="U+000D">&#13;</span>`+"\n" {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
}

func TestLang(t *testing.T) {
	for path, want := range map[string]string{
		"homelab/quadlets/gufo.container": "ini", "a/b.NETWORK": "ini", "x.volume": "ini", "x.image": "ini", "x.pod": "ini", "x.kube": "ini", "x.swap": "ini",
		"x.endpoint": "ini", "x.service": "ini", "x.timer": "ini", "x.socket": "ini", "x.mount": "ini",
		"a/README.md": "markdown", "a.tar.yaml": "yaml", "A.YML": "yaml", "Dockerfile": "docker", "x/Containerfile": "docker", "x/MAKEFILE": "make", "web.Dockerfile": "docker",
		"": "", "a": "", "a/": "", "a.d/b": "", ".env": "", "a/.bashrc": "", ".go": "", "a.": "", "a.go.": "", "a.unknown": "", "a. go": "", "go": "",
		"a.go": "go", "a b.py": "python", "ü.sh": "bash", ".gitlab-ci.yml": "yaml",
	} {
		if got := Lang(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	for _, table := range []map[string]string{extensions, namedFiles} {
		for name, lang := range table {
			if lexerOf(lang) == nil {
				t.Errorf("%s: no lexer is called %s", name, lang)
			}
			if name != strings.ToLower(name) {
				t.Errorf("%s can't be found", name)
			}
		}
	}
}

func TestColourLimits(t *testing.T) {
	if lexerOf("GO") == nil || lexerOf("*") != nil || lexerOf("") != nil || lexerOf("x.go") != nil {
		t.Error("lexers are found by exact name only")
	}
	if spans := colour("", "go"); len(spans) != 1 || spans[0].text != "" {
		t.Errorf("%q", spans)
	}
	for name := range lexersByName() {
		for _, s := range []string{"\"a", "if (x) { y } # z\r\n\n<%{{ \u202e }} - 1"} {
			if got := spansText(colour(s, name)); got != s {
				t.Errorf("%s: %q, want %q", name, got, s)
			}
		}
	}
}

// Blocks are rendered and coloured by many turns at once.
func TestConcurrentUse(t *testing.T) {
	want := inner(ordinary(t))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got := inner(ordinary(t)); got != want {
				t.Error("concurrent renderings differ")
			}
		})
	}
	all.Wait()
}
