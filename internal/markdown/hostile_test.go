package markdown

import (
	"encoding/hex"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// allowed are the elements that may come out, each with its attributes besides
// class and id.
var allowed = map[string]string{
	"div": "tabindex role aria-label", "p": "role", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "hr": "", "blockquote": "",
	"ul": "", "ol": "start", "li": "", "table": "", "thead": "", "tbody": "", "tr": "", "td": "", "th": "scope",
	"header": "", "span": "data-c", "button": "type", "pre": "tabindex role aria-label", "code": "", "br": "", "em": "", "strong": "", "del": "",
	"input": "type disabled checked aria-label", "a": "href title rel", "img": "src alt loading",
	"figure": "data-n", "figcaption": "", // the tests' panel
}

// checkSafe walks the parsed DOM of HTML that came from untrusted text.
func checkSafe(t testing.TB, from, s string) {
	t.Helper()
	root := newPage(t, Block{HTML: s}).answer
	for n := range root.Descendants() {
		switch n.Type {
		case html.TextNode:
			continue
		case html.ElementNode:
		default:
			t.Fatalf("%q: node type %d in %s", from, n.Type, s)
		}
		attrs, ok := allowed[n.Data]
		if !ok {
			t.Fatalf("%q: element %s in %s", from, n.Data, s)
		}
		for _, a := range n.Attr {
			if a.Key != "class" && a.Key != "id" && !strings.Contains(" "+attrs+" ", " "+a.Key+" ") {
				t.Fatalf("%q: attribute %s of %s in %s", from, a.Key, n.Data, s)
			}
			if strings.ContainsAny(a.Val, "\r") && a.Key != "title" && a.Key != "alt" {
				t.Fatalf("%q: CR in %s", from, a.Key)
			}
			switch a.Key {
			case "id":
				if !strings.HasPrefix(a.Val, "t1-") && !strings.HasPrefix(a.Val, docPrefix) {
					t.Fatalf("%q: id %q", from, a.Val)
				}
			case "href":
				checkHref(t, from, n, a.Val)
			case "src":
				if !strings.HasPrefix(a.Val, "/images/") || strings.Contains(a.Val, "..") {
					t.Fatalf("%q: image %q", from, a.Val)
				}
			}
		}
	}
}

// checkHref reads an address as a browser does: without tabs and line ends,
// without control characters around, with backslashes as slashes.
func checkHref(t testing.TB, from string, n *html.Node, href string) {
	t.Helper()
	seen := strings.NewReplacer("\t", "", "\n", "", "\r", "", "\\", "/").Replace(href)
	seen = strings.TrimFunc(seen, func(r rune) bool { return r <= ' ' })
	external := false
	switch lower := strings.ToLower(seen); {
	case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"), strings.HasPrefix(lower, "mailto:"):
		external = true
	case strings.HasPrefix(seen, "/") && !strings.HasPrefix(seen, "//"):
	case strings.HasPrefix(seen, "#"+docPrefix):
	default:
		t.Fatalf("%q: href %q", from, href)
	}
	if external != (attr(n, "rel") == "noopener noreferrer nofollow") {
		t.Fatalf("%q: rel %q of %q", from, attr(n, "rel"), href)
	}
}

// checkHostile renders a text in every way and checks all that comes out.
func checkHostile(t testing.TB, s string) {
	t.Helper()
	for _, b := range Render(s, options()) {
		checkSafe(t, s, b.HTML)
	}
	st := NewStream(options())
	for half := range 2 {
		piece := s[:len(s)/2]
		if half == 1 {
			piece = s[len(s)/2:]
		}
		for _, op := range st.Write(piece) {
			checkSafe(t, s, op.HTML)
		}
	}
	for _, op := range st.Close() {
		checkSafe(t, s, op.HTML)
	}
	any := func(dest string) (string, bool) { return "/images/" + hex.EncodeToString([]byte(dest)), true }
	checkSafe(t, s, RenderDocument(s, DocOptions{Link: any, Image: any}))
	for _, line := range Code(strings.ToValidUTF8(s, ""), "") {
		checkSafe(t, s, line)
	}
}

var schemes = []string{
	"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java&#115;cript:alert(1)", "java&#x73;cript:alert(1)", "javascript&colon;alert(1)",
	"javascript&#58;alert(1)", "java&Tab;script:alert(1)", "java&NewLine;script:alert(1)", "java&#9;script:alert(1)", "java&#10;script:alert(1)",
	"java&#13;script:alert(1)", "&#1;javascript:alert(1)", "&#x20;javascript:alert(1)", "\x01javascript:alert(1)", "java\\script:x",
	"java&#0;script:alert(1)", "javascript\\:alert(1)", "java%0ascript:alert(1)", "javascript%3aalert(1)", "&#38;#106;avascript:x", "&amp;#106;avascript:x",
	"vbscript:x", "VBSCRIPT&colon;x", "data:text/html,<script>1</script>", "data&#58;text/html;base64,x", "file:///etc/passwd", "blob:x", "about:blank",
	"//evil.org", "/\\evil.org", "\\\\evil.org", "/&#9;/evil.org", "&#47;&#47;evil.org", "&sol;&sol;evil.org", "/&bsol;evil.org", "&bsol;&bsol;evil.org",
	"http:evil.org", "http:/evil.org", "https:\\\\evil.org", "http:///evil.org", "https://", "http://?x", "mailto:", ":x", "", "#x", "?x", "x", "./x", "../x",
	"\u00a0javascript:x", "\u2028javascript:x", "\ufeffjavascript:x", "ｊavascript:x", "java\u00adscript:x", "feed:javascript:x", "view-source:javascript:x",
	"ws://x", "ftp://x", "tel:1", "intent://x", "ms-word:x", "x-app:y",
}

func TestHostileLinks(t *testing.T) {
	for _, dest := range schemes {
		for _, s := range []string{
			"[a](" + dest + ")", "[a](<" + dest + ">)", "![a](" + dest + ")", "![a](<" + dest + ">)", "<" + dest + ">", dest, " " + dest,
			"[a]\n\n[a]: " + dest, "[a][b]\n\n[b]: <" + dest + "> 'x'", "[![a](" + dest + ")](" + dest + ")",
			"[a](" + dest + " \"onmouseover=x\")", "|[a](" + dest + ")|\n|-|\n",
		} {
			checkHostile(t, s)
			for _, b := range Render(s, options()) {
				if strings.Contains(b.HTML, "href") {
					t.Errorf("%q became a link: %s", s, b.HTML)
				}
			}
		}
	}
}

func TestHostileText(t *testing.T) {
	for _, s := range []string{
		"<script>alert(1)</script>", "<ScRiPt\n>alert(1)</sCrIpT\t>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<svg><script>1</script></svg>",
		"<a href=\"javascript:x\">y</a>", "<iframe srcdoc='<script>1</script>'>", "<math><mtext><style><img src=x onerror=1>", "<!-- --!><img onerror=x src=y>", "<?php <img onerror=x> ?>",
		"<![CDATA[<img src=x onerror=1>]]>", "<!DOCTYPE x [<!ENTITY y 'z'>]>", "<style>*{}</style>", "<base href=//evil>", "<meta http-equiv=refresh content='0;url=//x'>", "<form action=//evil><input name=x><button>",
		"<div hx-get=/x hx-trigger=load data-hx-post=/y>", "<hx-partial hx-target=#main>x</hx-partial>", "<template hx type=partial>", "<div style=\"x:expression(1)\">", "<p id=main class=code-copy onclick=1>",
		"```\"><script>alert(1)</script>\nx\n```", "```<img/onerror=1>\n<hx-partial>\n```", "~~~ ' onclick='x\n~~~", "```html\n<script>\"'</script>\n</code></pre><img onerror=1 src=x>\n```",
		"[a](/x \"<hx-partial>\\\" onclick=y\")", "[a](/x '\"><script>')", "![\"><script>](/images/x.png)", "![x](/images/\"onerror=1)", "[a](/x\"onmouseover=1)", "<http://x/\"onmouseover=1>", "http://x/\"><script>",
		"# <b onclick=x>\n# \"><script>", "`<script>`", "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;", "\\<script>", "<scr\x00ipt>", "| <script> | \"> |\n|---|---|\n| <img onerror=1> | x |",
		"- <div hx-get=x>\n\n  <script>\n", "> <script>\n> x", "[<script>]: /x\n\n[<script>]", "[x]: /x '<script>'\n\n[x]", "```bor src/<script>alert(1)</script>\"'\n```", "```bor\nsrc/\"><img onerror=1>\n```",
		"<div class=\"fence-slot\" id=\"t1-f0\"></div>\n\n```bor src/a\n```\n\n<div class=\"fence-slot\" id=\"t1-f0\"></div>", "```\n<div class=\"fence-slot\" id=\"t1-f0\"></div>\n```", "t1-f0", "# t1-f0\n\n[t1-f0](#t1-f0)",
		"a\u202eb\u2066c\ufeff", "\U000E0041\U000E0042", strings.Repeat("<", 3000), strings.Repeat("[a](", 1500), strings.Repeat("> - ", 300) + "<script>",
		"---\ntitle: <script>\n---\n<script>", "---\na: ```\n---\n", "{onclick=x}\n# a {onclick=x}\n[a](/b){onclick=x}",
	} {
		checkHostile(t, s)
	}
}
