package markdown

import (
	"strings"
	"testing"
)

func document(s string) string {
	return RenderDocument(s, DocOptions{
		Link: func(dest string) (string, bool) {
			path, anchor, _ := strings.Cut(dest, "#")
			if path == "evil" {
				return "javascript:alert(1)", true
			}
			if anchor != "" {
				anchor = "#" + Anchor(anchor)
			}
			return "/document?path=" + path + anchor, strings.HasSuffix(path, ".md") || path == "/root"
		},
		Image: func(dest string) (string, bool) { return "/images/" + dest, dest == "a b.png" || dest == "../x.png" },
	})
}

func TestRenderDocument(t *testing.T) {
	const rel = ` rel="noopener noreferrer nofollow"`
	head, foot := documentConfig(DocOptions{}).codeShell("yaml")
	bor, _ := documentConfig(DocOptions{}).codeShell("bor")
	tests := []struct{ name, in, want string }{
		{"no wrappers", "a\n\n- b\n", "<p>a</p><ul><li>b</li></ul>"},
		{"heading ids", "# Über *die* `x_y`: 1.2!\n## A\n# A\n", `<h2 id="d-über-die-x_y-12">Über <em>die</em> <code>x_y</code>: 1.2!</h2><h3 id="d-a">A</h3><h2 id="d-a-1">A</h2>`},
		{"heading with a late link", "# A [b]\n\n[b]: c.md\n", `<h2 id="d-a-b">A <a href="/document?path=c.md">b</a></h2>`},
		{"in-page link", "[a](#Install-it) [b](#%C3%BCber)", `<p><a href="#d-install-it">a</a> <a href="#d-über">b</a></p>`},
		{"relative link", "[a](../x.md#Some-part) [b](gone.txt) [c](/root)", `<p><a href="/document?path=../x.md#d-some-part">a</a> b <a href="/document?path=/root">c</a></p>`},
		{"outside link", "[a](https://x.md) [b](javascript:x.md) [c](//x.md) [d](evil)", `<p><a href="https://x.md"` + rel + `>a</a> b c d</p>`},
		{"images", "![a](<a b.png>) ![b](../x.png) ![c](y.md) ![d](http://x/z.png) ![e](z.png)", `<p><img src="/images/a%20b.png" alt="a" loading="lazy"> <img src="/images/../x.png" alt="b" loading="lazy"> ` +
			`<a href="/document?path=y.md">c</a> <a href="http://x/z.png"` + rel + `>d</a> e</p>`},
		{"bor fence is text", "```bor src/a\nown text\n```", bor + "own text" + foot},
		{"front matter", "---\ntitle: x\n---\n# A\n", head + `<span class="n">title</span>: x` + foot + `<h2 id="d-a">A</h2>`},
		{"front matter with CRLF and BOM", "\ufeff---\r\ntitle: x\r\n---\r\na\r\n", head + `<span class="n">title</span>: x` + foot + `<p>a</p>`},
		{"no front matter", "---\ntext\n", "<hr><p>text</p>"},
		{"unclosed front matter", "---\na: b\n", "<hr><p>a: b</p>"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := document(tt.in); got != tt.want {
				t.Errorf("%q\ngot  %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
	if got := RenderDocument("[a](b.md) ![c](d.png)", DocOptions{}); got != "<p>a c</p>" {
		t.Errorf("without resolvers: %s", got)
	}
}
