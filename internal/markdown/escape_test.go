package markdown

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What an HTML parser reads back, as text and as an attribute, is the text.
func TestEscapeTextIsExact(t *testing.T) {
	for _, s := range []string{
		"", "plain", `<b a="x">&amp;'</b>`, "\r\n\r \n", "</pre></script><!--", "\ufeff\u202e\u2028\u0085\v\f\x7f", "a\tb  ",
	} {
		e := EscapeText(s)
		if strings.ContainsAny(e, "<>\"'\r") {
			t.Errorf("%q: raw characters in %q", s, e)
		}
		p := newPage(t, Block{HTML: `<pre title="` + e + `"><code>` + e + `</code></pre>`})
		pre := p.answer.FirstChild
		if got := textOf(pre); got != s {
			t.Errorf("text %q of %q", got, s)
		}
		if got := attr(pre, "title"); got != s {
			t.Errorf("attribute %q of %q", got, s)
		}
	}
	if got := EscapeText("a\x00b"); got != "a\ufffdb" {
		t.Errorf("NUL became %q", got)
	}
}

func TestUnescaped(t *testing.T) {
	for in, want := range map[string]string{
		`\*\&amp;\a\`:            `*&amp;\a\`,
		`&lt;&copy;&AMP;`:        `<©&`,
		`&#65;&#x41;&#X1F600;`:   `AA😀`,
		`&#0;&#xD800;&#1114112;`: "\ufffd\ufffd\ufffd",
		`&#010;`:                 "\n",
		`&#12345678;&#x1234567;&#;&#x;&#xg;&;&bogus;& amp;&amp`: `&#12345678;&#x1234567;&#;&#x;&#xg;&;&bogus;& amp;&amp`,
		`&` + strings.Repeat("a", 50) + `;`:                     `&` + strings.Repeat("a", 50) + `;`,
	} {
		if got := string(appendUnescaped(nil, []byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCleaner(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\rc\nd\r": "a\nb\nc\nd\n",
		"\r\r\n\r":       "\n\n\n",
		"\x00é\xff€😀":    "\ufffdé\ufffd€😀",
		"\xe2\x82":       "\ufffd\ufffd",
		"\xf0\x9f\x98a":  "\ufffd\ufffd\ufffda",
		"\xed\xa0\x80":   "\ufffd\ufffd\ufffd",
		"\x80\x80":       "\ufffd\ufffd",
	} {
		r := rand.New(rand.NewPCG(1, 1))
		for range 20 {
			var c cleaner
			var out []byte
			for _, piece := range split(r, in) {
				out = c.clean(out, piece)
			}
			if got := string(c.flush(out)); got != want {
				t.Errorf("%q: %q, want %q", in, got, want)
			}
		}
	}
}
