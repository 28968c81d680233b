package markdown

import (
	"bytes"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	const rel = ` rel="noopener noreferrer nofollow"`
	code := func(lang, body string) string {
		head, foot := answerConfig(Options{}).codeShell(lang)
		return head + body + foot
	}
	wrap := func(table string) string {
		return `<div class="table-wrap" tabindex="0" role="group" aria-label="Table"><table>` + table + `</table></div>`
	}
	tests := []struct{ name, in, want string }{
		{"paragraph", "a\nb  \nc\\\nd", "<p>a\nb<br>c<br>d</p>"},
		{"emphasis", "*a* __b__ ***c*** ~~d~~ ~e~", "<p><em>a</em> <strong>b</strong> <em><strong>c</strong></em> <del>d</del> <del>e</del></p>"},
		{"headings one level down", "# a\n###### b\nc\n===", `<h2 id="t1-h1">a</h2><h6 id="t1-h2">b</h6><h2 id="t1-h3">c</h2>`},
		{"heading in a list", "- # a\n\n# b", `<ul><li><h2 id="t1-h1">a</h2></li></ul><h2 id="t1-h2">b</h2>`},
		{"no attributes", "# a {#x .y onclick=z}", `<h2 id="t1-h1">a {#x .y onclick=z}</h2>`},
		{"no footnotes", "a[^1]\n\n[^1]: b c", `<p>a[^1]</p><p>[^1]: b c</p>`},
		{"rule", "---", "<hr>"},
		{"quote", "> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"},
		{"tight list", "- a\n- b", "<ul><li>a</li><li>b</li></ul>"},
		{"loose list", "- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"},
		{"ordered list", "7. a\n8. b", `<ol start="7"><li>a</li><li>b</li></ol>`},
		{"tasks", "- [x] a\n- [ ] b", `<ul><li><input type="checkbox" disabled checked aria-label="Done"> a</li><li><input type="checkbox" disabled aria-label="Not done"> b</li></ul>`},
		{"table", "a|b|c|d\n-|:-|-:|:-:\n1|2|3|4", wrap(`<thead><tr><th scope="col">a</th><th scope="col">b</th><th scope="col" class="num">c</th><th scope="col" class="mid">d</th></tr></thead>` +
			`<tbody><tr><td>1</td><td>2</td><td class="num">3</td><td class="mid">4</td></tr></tbody>`)},
		{"table without rows", "a|b\n-|-", wrap(`<thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>`)},
		{"code span", "`a <b> &amp;\nc`", "<p><code>a &lt;b&gt; &amp;amp; c</code></p>"},
		{"code", "```\n\n a\n\n```", code("", "\n a\n")},
		{"coloured", "```go x\nfunc f() // c\n```", code("go", `<span class="k">func </span>f() <span class="c">// c</span>`)},
		{"unknown language", "~~~ b<a\nx\n~~~", code("b<a", "x")},
		{"long language", "```" + strings.Repeat("x", 41) + "\na\n```", code("", "a")},
		{"indented code", "    a\n\n    b\n", code("", "a\n\nb")},
		{"CRLF", "```\r\na\r\nb\r\n```\r\n", code("", "a\nb")},
		{"CR by reference", "a&#13;b", "<p>a&#13;b</p>"},
		{"bor fence", "```bor src/a\nbody\n```", `<div class="fence-slot" id="t1-f0">` + panel(0, Fence{Locator: "src/a"}) + `</div>`},
		{"bor fence in a fence", "````\n```bor src/a\n```\n````", code("", "```bor src/a\n```")},
		{"bor fence without a locator", "```bor x\nbody\n```", code("bor", "body")},
		{"bor is a whole word", "```Bor src/a\nx\n```\n```bor: src/a\ny\n```", code("Bor", "x") + code("bor:", "y")},
		{"links", "[a](http://x/?a&b) [b](</p q> \"t'\") <mailto:a@b.c> <https://x>", `<p><a href="http://x/?a&amp;b"` + rel + `>a</a> <a href="/p%20q" title="t&#39;">b</a> ` +
			`<a href="mailto:a@b.c"` + rel + `>mailto:a@b.c</a> <a href="https://x"` + rel + `>https://x</a></p>`},
		{"linkify", "(www.x.org) a@b.org ftp://x.org", `<p>(<a href="http://www.x.org"` + rel + `>www.x.org</a>) <a href="mailto:a@b.org"` + rel + `>a@b.org</a> ftp://x.org</p>`},
		{"refused link", "[*a*](rel/path) [b](#c) [d]()", "<p><em>a</em> b d</p>"},
		{"own image", "![a *b*](/images/x.png)", `<p><img src="/images/x.png" alt="a b" loading="lazy"></p>`},
		{"remote image", "![a](https://x/y.png) ![](https://x/z.png)", `<p><a href="https://x/y.png"` + rel + `>a</a> <a href="https://x/z.png"` + rel + `>https://x/z.png</a></p>`},
		{"image elsewhere", "![a](/images/../logout) ![b](/images/%2E%2e/x) ![c](/logout) ![d](x.png) ![](data:x)", `<p><a href="/images/../logout">a</a> <a href="/images/%2E%2e/x">b</a> <a href="/logout">c</a> d data:x</p>`},
		{"image in a link", "[![a](http://x)](http://y)", `<p><a href="http://y"` + rel + `>a</a></p>`},
		{"raw HTML", "a <b onclick=x>*c*</b>\n\n<div>\n*d*\n</div>", "<p>a &lt;b onclick=x&gt;<em>c</em>&lt;/b&gt;</p><p>&lt;div&gt;\n*d*\n&lt;/div&gt;</p>"},
		{"forward reference", "[a]\n\n[A]: /x 't'", `<p><a href="/x" title="t">a</a></p>`},
		{"first definition", "[a]: /x\n[a]: /y\n\n[a]", `<p><a href="/x">a</a></p>`},
		{"blank", " \n\t\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := inner(tt.in); got != tt.want {
				t.Errorf("%q\ngot  %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
}

// Cutting a text into top-level blocks changes nothing: goldmark, given the
// whole, sees the same.
func TestBlocksAreThoseOfTheWhole(t *testing.T) {
	compare := func(s string) {
		t.Helper()
		var c cleaner
		src := c.flush(c.clean(nil, s))
		if !bytes.HasSuffix(src, []byte("\n")) {
			src = append(src, '\n')
		}
		r := answerConfig(options()).render(src, references{}, counters{})
		o := options()
		o.Fence = func(int, Fence) string { return "" }
		var got strings.Builder
		for _, b := range Render(s, o) {
			got.WriteString(strings.TrimSuffix(strings.TrimPrefix(b.HTML, `<div class="block" id="`+b.ID+`">`), "</div>"))
		}
		if got.String() != r.html {
			t.Errorf("%q\ngot  %s\nwant %s", s, got.String(), r.html)
		}
	}
	for _, a := range texts {
		compare(a)
		for _, b := range texts {
			compare(strings.TrimRight(a, "\n") + "\n\n" + b)
		}
	}
}

func TestFeatureOff(t *testing.T) {
	o := options()
	o.Fence = nil
	blocks := Render("```bor src/a\nbody\n```", o)
	if len(blocks) != 1 || !strings.Contains(blocks[0].HTML, `<span class="soft mono">bor</span>`) || !strings.Contains(blocks[0].HTML, "<code>body</code>") {
		t.Errorf("%+v", blocks)
	}
	s := NewStream(o)
	if ops := s.Write("```bor src/a"); len(ops) != 0 {
		t.Errorf("%+v", ops)
	}
	s.Close()
}

func TestFenceCandidates(t *testing.T) {
	s := NewStream(Options{IDPrefix: "x-", Fence: panel})
	s.Write("```bor a\\_b&amp;c 1-2\n```\n~~~ bor\n `d\\_e` \n~~~\n")
	s.Close()
	want := []Fence{{`a\_b&amp;c 1-2`, "a_b&c 1-2"}, {"`d\\_e`", "`d\\_e`"}}
	if got := s.Fences(); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%q", got)
	}
}

func TestLimits(t *testing.T) {
	long := strings.Repeat("x ", maxInline)
	for name, tt := range map[string]struct{ in, has, hasNot string }{
		"long paragraph":  {"*a* " + long, "<p>*a* x", "<em>"},
		"long heading":    {"# *a* " + long, "<p># *a* x", "<h2"},
		"long setext":     {"*a* " + long + "\n===", "<p>===</p>", "<h2"},
		"long table line": {"a|b\n-|-\n" + long + "|c", "<p>a|b", "<table"},
		"wide table":      {strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" + strings.Repeat("|a\n", 2000), "|a", "<table"},
		"deep quotes":     {strings.Repeat("> ", 5000) + "x", "<blockquote>", strings.Repeat("<blockquote>", maxDepth+1)},
		"deep lists":      {strings.Repeat("- ", 5000) + "x", "<ul>", strings.Repeat("<ul><li>", maxDepth/2+1)},
		"deep emphasis":   {strings.Repeat("*a **b ", 500) + strings.Repeat("c** d*", 500), "<strong>", strings.Repeat("</em></strong>", maxTags/2+1)},
	} {
		t.Run(name, func(t *testing.T) {
			got := inner(tt.in)
			if !strings.Contains(got, tt.has) || strings.Contains(got, tt.hasNot) {
				t.Errorf("%.300s", got)
			}
			newPage(t, Block{HTML: got}) // x/net/html refuses more than 512 open elements
		})
	}
}
