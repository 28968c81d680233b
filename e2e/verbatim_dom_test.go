package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bor/internal/testkit"
)

// everything is an answer with all that Markdown has, with places of exact text
// between and inside.
const everything = `# Heading *one*

A paragraph with **bold**, *emphasis*, ` + "`code`" + `, ~~gone~~, a [link](https://example.org/a?b=1&c=2), a [later one][late], a
hard break\
and <b>raw</b> &amp; &lt;escaped&gt; text, https://example.org/auto and an image ![alt](https://example.org/x.png).

` + "```bor traps/crlf.txt\n```" + `

| left | right | middle |
|:-----|------:|:------:|
| a    | ` + "`b`" + `   | [late] |
| 1    | 2     | 3      |

1. first

   ` + "```bor traps/mixed.txt:1-2\n   typed\n   ```" + `

   more of the first
2. second
   - nested
     > quoted
     >
     > ` + "~~~bor\n     > traps/crlf.txt\n     > typed\n     > ~~~" + `
   - [x] done
   - [ ] not done

` + "```go\nfunc main() {\n\tprintln(\"<pre>\")\n}\n```" + `

    indented code

` + "```bor traps/missing.txt\n```" + `

***

Setext heading
--------------

> a quote with
lazy continuation [late]

` + "````md\n```bor traps/crlf.txt\nits own text\n```\n````" + `

Term — 日本語 text 👩‍👩‍👧 and é.

[late]: https://example.org/late "A title"

` + "```bor\ntraps/mixed.txt\n"

// A page that followed the stream, the page loaded anew and the page without script
// show the same answer (D8, DEC6).
func TestVerbatimSameDOM(t *testing.T) {
	model := testkit.NewModel(t)
	p := start(t, options{model: model, sources: map[string]string{"traps": folder(t, []awkward{trapsNote,
		{path: "crlf.txt", data: "one\r\ntwo\r\n"}, {path: "mixed.txt", data: mixture}})}})
	v := withClipboard(t, p.url)
	w := newTranscript()
	var first string
	for n, size := range []int{1, 7, len(everything)} {
		model.Queue(testkit.Think("A thought.", pieces(everything, size)...))
		v.ask(trapsQuestion)
		v.settled(n)
		if shown := v.panels(); len(shown) != 5*(n+1) {
			t.Fatalf("answer %d: %d panels, want %d", n, len(shown), 5*(n+1))
		}
		v.expectSameEverywhere(w, n)
		own := strings.NewReplacer("t"+v.turn(n)+"-", "tN-", "/turns/"+v.turn(n)+"/", "/turns/N/")
		if dom := own.Replace(v.answerDOM(n)); n == 0 {
			first = dom
		} else {
			same(t, fmt.Sprintf("in deltas of %d characters, against deltas of one", size), dom, first)
		}
	}
	codes, err := v.page.Locator(".msg.brain").First().Locator(".code-block code").AllTextContents()
	must(t, err)
	if want := []string{"func main() {\n\tprintln(\"<pre>\")\n}", "indented code", "```bor traps/crlf.txt\nits own text\n```"}; !slices.Equal(codes, want) {
		t.Errorf("the model's own code: %q, want %q", codes, want)
	}
	if badges, err := v.page.Locator(".code-block .badge").Count(); err != nil || badges != 0 {
		t.Errorf("%d badges on the model's own code: %v", badges, err)
	}
}
