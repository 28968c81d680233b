package source

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTitle(t *testing.T) {
	tests := []struct{ file, text, want string }{
		{"quadlets/gufo.container", "# not a title\n", "gufo"},
		{"docker-compose.prod.yml", "", "docker-compose.prod"},
		{"Dockerfile", "FROM x\n", "Dockerfile"},
		{"a/.env", "", ".env"},
		{"a.md", "", "a"},
		{"a.MD", "# Upper\n", "Upper"},
		{"a.md", "\uFEFF# After a mark\r\nx", "After a mark"},
		{"a.md", "text\n\n## Two\n\n# One #\n# Other\n", "One"},
		{"a.md", "# C#\n", "C#"},
		{"a.md", "#no\n# \n# #\n#\tTab\n", "Tab"},
		{"a.md", "   # Three spaces\n", "Three spaces"},
		{"a.md", "    # code\n\ttoo\n# Real\n", "Real"},
		{"a.md", "words\n    # still the paragraph\n", "a"},
		{"a.md", "```sh\n# comment\n```\n# Real\n", "Real"},
		{"a.md", "~~~~\n~~~\n# inside\n~~~~~\n# Real\n", "Real"},
		{"a.md", "- item\n  ```\n  # inside\n  ```\n# Real\n", "Real"},
		{"a.md", "``` not ` a fence\n# Real\n", "Real"},
		{"a.md", "<!--\n# hidden\n-->\n# Real\n", "Real"},
		{"a.md", "<!-- one line -->\n# Real\n", "Real"},
		{"a.md", "Setext\n======\n", "Setext"},
		{"a.md", "Two\nlines\n===\n", "Two lines"},
		{"a.md", "> quote\n===\n\n- item\n===\n| x |\n===\n# Real\n", "Real"},
		{"a.md", "*Soft* words\n===\n", "Soft words"},
		{"a.md", "![logo](x.png)\n===\n# Real\n", "Real"},
		{"a.md", "# ![only an image](x.png)\n# Real\n", "Real"},
		{"a.md", "Two\n---\n\n# Real\n", "Real"},
		// Front matter.
		{"a.md", "---\ntitle: Front\n---\n# Heading\n", "Front"},
		{"a.md", "---\r\ntitle: Front # comment\r\n---\r\n# Heading\r\n", "Front"},
		{"a.md", "---\ntitle: \"Say \\\"hi\\\"\"  # x\n---\n", `Say "hi"`},
		{"a.md", "---\ntitle: 'It''s'\n---\n", "It's"},
		{"a.md", "---\ntitle: \"unclosed\n---\n", `"unclosed`},
		{"a.md", "---\nTitle: >-\n  Folded\n\n  over lines\nother: x\n---\n", "Folded over lines"},
		{"a.md", "---\ntitle: |\n", "a"},
		{"a.md", "---\ntitle: # nothing\n---\n# Heading\n", "Heading"},
		{"a.md", "---\nsubtitle: no\n  title: nested\ntitle:glued\n---\n# Heading\n", "Heading"},
		{"a.md", "---\ntitle: Dots\n...\n", "Dots"},
		{"a.md", "+++\ntitle = \"Toml\"\n+++\n# Heading\n", "Toml"},
		{"a.md", "+++\ntitle=\"Tight\"\n+++\n", "Tight"},
		{"a.md", "---\ntitle: never closed\n# Heading\n", "Heading"},
		// Inline markup.
		{"a.md", "# The `--userns=keep-id` flag\n", "The --userns=keep-id flag"},
		{"a.md", "# `` a`b `` and ` open\n", "a`b and ` open"},
		{"a.md", "# `a``b` c\n", "a``b c"},
		{"a.md", "# **Bold**, *soft*, __bold__, _soft_, ~~gone~~\n", "Bold, soft, bold, soft, gone"},
		{"a.md", "# net_ipv4_forward and 2 * 3 * 4, `*x*`, \\*y\\*\n", "net_ipv4_forward and 2 * 3 * 4, *x*, *y*"},
		{"a.md", "# [Link *here*](http://x/(y)) and [ref][1] and [plain]\n", "Link here and ref and [plain]"},
		{"a.md", "# [![badge](a.svg)](b) Name <br/> <a id=\"x\"></a>\n", "Name"},
		{"a.md", "# Tom &amp; Jerry &#169; &nosuch; & <https://a.b/c_d_> x<y\n", "Tom & Jerry © &nosuch; & https://a.b/c_d_ x<y"},
		{"a.md", "# ![not an image] [open\\](x\n", "![not an image] [open](x"},
	}
	for _, tt := range tests {
		if got, note := Title(tt.file, tt.text); got != tt.want || note != "" {
			t.Errorf("Title(%q, %q) = %q, %q; want %q", tt.file, tt.text, got, note, tt.want)
		}
	}
}

func TestTitleTooLong(t *testing.T) {
	fits := strings.Repeat("ü", MaxTitleChars)
	if got, note := Title("a.md", "# "+fits+"\n"); got != fits || note != "" {
		t.Errorf("a title of exactly %d characters gives %q, %q", MaxTitleChars, got, note)
	}
	for _, n := range []int{MaxTitleChars + 1, 1 << 20} {
		got, note := Title("dir/a.md", "# "+strings.Repeat("ü", n)+"\n")
		if got != "a" || !strings.Contains(note, "500") {
			t.Errorf("a title of %d characters gives %.20q…, note %q", n, got, note)
		}
	}
	if got, _ := Title(strings.Repeat("x", 600)+"7.md", ""); len(got) != MaxTitleChars || !strings.HasSuffix(got, "7") {
		t.Errorf("a file name of 601 characters gives %d characters", len(got))
	}
}

func FuzzTitle(f *testing.F) {
	for _, seed := range []string{
		"# Title\n", "Setext\n===\n", "---\ntitle: x\n---\n", "+++\ntitle='x'\n+++", "```\n# no\n```\n# yes",
		"# **a** `b` [c](d) ![e](f) <g> &amp; \\*", "<!-- \n# x\n-->", "# [[[[((((", "# ``` `` `", "---\ntitle: |\n  a\n  b\n---",
	} {
		f.Add("note.md", seed)
	}
	f.Add(".env", "A=b")
	f.Fuzz(func(t *testing.T, file, text string) {
		title, note := Title(file, text)
		if n := utf8.RuneCountInString(title); n > MaxTitleChars {
			t.Fatalf("the title has %d characters", n)
		}
		if title == "" && strings.Trim(file, "/") != "" {
			t.Fatalf("Title(%q, %q) is empty", file, text)
		}
		if again, noteAgain := Title(file, text); again != title || noteAgain != note {
			t.Fatalf("Title is not a function: %q, %q", title, again)
		}
	})
}
