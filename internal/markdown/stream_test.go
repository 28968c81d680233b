package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// texts cover every kind of block and every place of a fence.
var texts = []string{
	"Hello world.\n\nSecond *para* with `code`\nand a soft break.\n",
	"# One\n\ntext\n\n## Two\nmore\n### Three ###\nend",
	"Intro:\n- a\n- b\n  - c\n\n    deep para\n- d\n\nAfter the list.\n\n**Bold** start.",
	"- a\n\n  b\n- c\n\n1. one\n2. two\n\n* other\n+ third\n",
	"1. a\n\n   ```sh\n   echo hi\n   ```\n2. b\n\ndone",
	"> quote\nlazy\n> more\n\nafter\n> > deep\nlazy\n\nend",
	"a | b\n--|--:\n1 | 2\n3 | `x\\|y`\n\nafter",
	"para\n| a | b |\n|---|---|\n| 1 | 2 |\nrest\n",
	"```go\nfunc main() {}\n\n\tx := \"s\"\n```\nafter\n~~~\n```bor a/b\n~~~\n",
	"```\n\n\nblank first\n\n\n```\n\n    indented\n\n    code\nafter",
	"Setext\n===\n\nTwo\nlines\n---\n\n---\n* * *\n___\ntext",
	"[a] and [b] and [c][a]\n\n[a]: /x \"title\"\n\n[b]: http://e.org/\n[a]: /second\n",
	"- [late] link\n- more\n\n> [late]\n\n[late]:\n  /url\n  'title'\n\ntext [never]\n",
	"<div>\n*x*\n</div>\n\n<!-- c\n\nd -->\ne\n<b>i</b> <script>alert(1)</script>\n\n<pre>\n\n```bor a/b\n</pre>\n",
	"- [ ] todo\n- [x] done ~~gone~~\n- www.example.org and https://e.org/x?y=1&z=2, a@b.org\n",
	"unclosed\n```yaml\nkey: value\n# comment",
	"See:\n\n```bor src/a.md 1-3\nMARKER one\n```\n\nafter the panel",
	"See:\n```bor src/a.md\nMARKER\n```\ntext right behind\n",
	"~~~~bor src/a.md\nMARKER\n~~~\nMARKER\n~~~~\n",
	"1. step\n\n   ```bor src/a.md\n   MARKER\n   ```\n\n   more text\n2. next\n   ```bor src/b.md\n   MARKER\n   ```\n3. last\n\nend",
	"- x\n  ```bor src/a.md\n  MARKER\n- y\n  ```bor src/b.md\n  MARKER\nout of the list",
	"> ```bor src/a.md\n> MARKER\n> MARKER\n\nbehind\n\n> text\n> ```bor src/b.md\n> MARKER\nnot quoted\n",
	"```bor\nsrc/a.md\nMARKER\n```\n\n```bor\nnolocator\nown text\n```\n\n```bor\n```\n- a\n  ```bor\n  src/b.md\n  MARKER\n  ```\n- ```bor\n  none\n  ```\n- ```bor\n- b\n",
	"```bor nolocator\nown text\n```\n```bor src/a`b\nparagraph\n\n```borg src/a\nown\n```\n```  bor   src/a b  \nMARKER\n```",
	"- ```bor src/a.md\n\n  MARKER\n\n\n  MARKER\nbehind",
	"- a\n\n      ```bor src/a.md\n      indented code\n\n- - - ```bor src/a.md\n      MARKER\n\n> - > ~~~bor src/b\n>   > MARKER\n> - >\n",
	"unclosed fence\n\n```bor src/a.md\nMARKER\n\nMARKER\n- MARKER\n",
	"```bor\nsrc/unfinished",
	"```bor",
	"```bor src/only",
	"-\n\n  foo\n-\n  bar\n- \n\n10) x\n\n    y\n1) z\nlazy\n2. w",
	"a\r\nb\rc\x00d\xffe\xe2\x82\n\nemoji 👩‍💻 é ❤️ text\r",
	"tabs\n\n\tcode\n-\titem\n\n\tpara\n\n1.\tx\n\n\ty",
	"Tom's \"quote\" & <tag> &amp; &copy; \\* \\&amp; &#13; &#x1F600; &bogus;\n",
	"![remote](http://x.org/a.png) ![own](/images/a.png \"t\") [![in](http://y)](http://z)\n",
	"#\n##\n# #\n####### seven\n#nospace\n",
	"* * *\n- - x\n***bold***\n**\n--\n==\n",
	"a\n\n\n\n   \n\t\nb   \nc\\\nd  \n",
	"> \n> \n\n>```\n>x\n\ny",
	"1234567890. x\n123456789. y\n\n0. z\n- a\n2. b\n",
	"- a\n# H\n- b\n> q\n- c\n~~~\nx\n~~~\n- d\n---\n- e\n<div>\n",
}

// rest of a stream of pieces must give the page of the one-shot rendering.
func check(t testing.TB, pieces []string) {
	t.Helper()
	whole := strings.Join(pieces, "")
	want := newPage(t, Render(whole, options())...).String()
	s := NewStream(options())
	p := newPage(t)
	resume := len(whole) % (len(pieces) + 1) // where another page begins from a snapshot
	var other *page
	for i, piece := range pieces {
		ops := s.Write(piece)
		p.apply(ops)
		if other != nil {
			other.apply(ops)
		}
		if i == resume {
			other = newPage(t, s.Blocks()...)
			if got := other.String(); got != p.String() {
				t.Fatalf("%q\nsnapshot %s\nlive     %s", pieces[:i+1], got, p)
			}
		}
	}
	ops := s.Close()
	p.apply(ops)
	if got := p.String(); got != want {
		t.Fatalf("%q\ngot  %s\nwant %s", pieces, got, want)
	}
	if other != nil {
		other.apply(ops)
		if got := other.String(); got != want {
			t.Fatalf("%q\nresumed %s\nwant    %s", pieces, got, want)
		}
	}
	if got := newPage(t, s.Blocks()...).String(); got != want {
		t.Fatalf("%q\nblocks %s\nwant   %s", pieces, got, want)
	}
	if n := s.at.fences; n != len(s.fences) {
		t.Fatalf("%q: %d fences met, %d rendered", pieces, len(s.fences), n)
	}
	if s.placed != len(s.fences) {
		t.Fatalf("%q: %d of %d fences are on the page", pieces, s.placed, len(s.fences))
	}
}

func split(r *rand.Rand, s string) []string {
	most := 1 + r.IntN(12)
	var pieces []string
	for s != "" {
		n := min(1+r.IntN(most), len(s))
		pieces, s = append(pieces, s[:n]), s[n:]
	}
	return pieces
}

func TestStreamEqualsRender(t *testing.T) {
	for i, s := range texts {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			check(t, strings.Split(s, ""))
			check(t, strings.SplitAfter(s, "\n"))
			for at := range len(s) {
				check(t, []string{s[:at], s[at:]})
			}
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 20 {
				check(t, split(r, s))
			}
		})
	}
}

func TestStreamEqualsRenderMixed(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 700 {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			lines := strings.SplitAfter(texts[r.IntN(len(texts))], "\n")
			from := r.IntN(len(lines))
			indent := []string{"", "", "", "  ", "> ", "- ", "    "}[r.IntN(7)]
			for _, line := range lines[from:min(len(lines), from+1+r.IntN(6))] {
				b.WriteString(indent + line)
			}
		}
		check(t, split(r, b.String()))
	}
}

// Not a character of a locator fence's body is in any op or block, for every
// place where the text may be cut.
func TestFenceBodyNeverShown(t *testing.T) {
	found := 0
	for _, s := range texts {
		if !strings.Contains(s, "MARKER") {
			continue
		}
		found++
		s = strings.ReplaceAll(s, "MARKER", "\u2603\u2603\u2603")
		for at := range len(s) {
			for _, pieces := range [][]string{{s[:at], s[at:]}, strings.Split(s[:at], "")} {
				st := NewStream(options())
				var ops []Op
				for _, piece := range pieces {
					ops = append(ops, st.Write(piece)...)
					for _, b := range st.Blocks() {
						ops = append(ops, Op{HTML: b.HTML})
					}
				}
				ops = append(ops, st.Close()...)
				for _, b := range st.Blocks() {
					ops = append(ops, Op{HTML: b.HTML})
				}
				for _, op := range ops {
					if strings.Contains(op.HTML, "\u2603") {
						t.Fatalf("%q cut at %d shows the body: %+v", s, at, op)
					}
				}
			}
		}
	}
	if found < 8 {
		t.Fatalf("only %d texts have a body", found)
	}
}
