package markdown

import (
	"runtime"
	"strings"
	"testing"
)

// After each piece the page looks as stated (V6); a panel reads [0 locator], the
// waiting note …, a code block's shell {text}, and tails and paragraphs as they are.
func TestWhileStreaming(t *testing.T) {
	type step struct{ piece, page string }
	for name, steps := range map[string][]step{
		"paragraph":             {{"Hel", "Hel"}, {"lo *w", "Hello *w"}, {"*\n", "Hello *w*"}, {"\n", "Hello w"}},
		"entities and markup":   {{"a & <b", "a & <b"}, {"> &amp", "a & <b> &amp"}, {";\n\n", "a & <b> &"}},
		"heading waits":         {{"## He", ""}, {"llo", ""}, {"\n", "Hello"}},
		"number sign":           {{"#no", "#no"}},
		"list then paragraph":   {{"- a\n- *b", "- a\n- *b"}, {"*\n\n", "- a\n- *b*"}, {"A", "ab|A"}, {"fter", "ab|After"}},
		"paragraph then list":   {{"In:\n", "In:"}, {"- ", "In:"}, {"x", "In:|- x"}},
		"list then bold":        {{"- a\n\n*", "- a"}, {"*", "- a"}, {"b", "a|**b"}},
		"another list":          {{"- a\n", "- a"}, {"1. ", "- a"}, {"b", "a|1. b"}},
		"code":                  {{"``", ""}, {"`go\n", "{}"}, {"x := 1", "{x := 1}"}, {"\n\ny", "{x := 1\n\ny}"}, {"\n``", "{x := 1\n\ny}"}, {"`\n", "{x := 1\n\ny}"}},
		"code in a list":        {{"- a\n  ```\n", "- a\n  ```"}, {"  x\n", "- a\n  ```\n  x"}, {"  ```\n", "- a\n  ```\n  x\n  ```"}, {"b", "a{x}|b"}},
		"inline code":           {{"`", ""}, {"``", ""}, {"x` y", "```x` y"}},
		"panel":                 {{"See\n\n", "See"}, {"``", "See"}, {"`bo", "See"}, {"r", "See|…"}, {" src/a", "See|…"}, {"\n", "See|[0 src/a]"}, {"bo\ndy\n", "See|[0 src/a]"}, {"```", "See|[0 src/a]"}, {"\nx", "See|[0 src/a]|x"}},
		"panel at once":         {{"```bor src/a\n", "[0 src/a]"}},
		"bare":                  {{"```bor", "…"}, {"\n", "…"}, {"src/", "…"}, {"a", "…"}, {"\n", "[0 src/a]"}, {"body\n", "[0 src/a]"}},
		"bare without locator":  {{"~~~bor\n", "…"}, {"own", "…"}, {" text\n", "{own text}"}, {"more", "{own text\nmore}"}},
		"no locator":            {{"```bor ", "…"}, {"x", "…"}, {"\n", "{}"}, {"own", "{own}"}},
		"another language":      {{"```bor", "…"}, {"g\n", "{}"}},
		"no fence after all":    {{"```bor src/a", "…"}, {"`b", "```bor src/a`b"}, {" c\n\n", "```bor src/a`b c"}},
		"panel in a list":       {{"1. a\n\n   ```bor", "1. a…"}, {" src/a\n", "1. a[0 src/a]"}, {"   body\n   ```\n", "1. a[0 src/a]"}, {"\n   more", "1. a[0 src/a]   more"}, {"\n2. b\n   ~~~bor src/b\n", "1. a[0 src/a]   more\n2. b[1 src/b]"}, {"   body\n", "1. a[0 src/a]   more\n2. b[1 src/b]"}, {"x", "a[0 src/a]moreb[1 src/b]|x"}},
		"panel in a quote":      {{"> a\n> ```bor src/a\n", "> a[0 src/a]"}, {"> body\n", "> a[0 src/a]"}, {"\nx", "a[0 src/a]|x"}},
		"bare in a list":        {{"- ```bor\n", "…"}, {"  src/a", "…"}, {"\n", "[0 src/a]"}},
		"bare in a list, plain": {{"- a\n  ```bor\n", "- a…"}, {"  own\n", "- a  own"}},
		"note taken back":       {{"- a\n  ```bor x", "- a…"}, {"`y\n", "- a  ```bor x`y"}, {"- b\n", "- a  ```bor x`y\n- b"}},
		"after a paragraph":     {{"See\n```bor", "See…"}, {" src/a\n", "See|[0 src/a]"}},
		"in another fence":      {{"````\n", "{}"}, {"```bor", "{}"}, {" src/a\n", "{```bor src/a}"}},
		"definition":            {{"[a]: ", "[a]: "}, {"/x\n\n", ""}, {"[a]\n\n", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStream(options())
			p := newPage(t)
			for _, st := range steps {
				p.apply(s.Write(st.piece))
				if got := look(p); got != st.page {
					t.Fatalf("after %q: %q, want %q", st.piece, got, st.page)
				}
			}
			s.Close()
		})
	}
}

// look says what a page shows.
func look(p *page) string {
	s := p.String()
	for _, b := range [][2]string{
		{Waiting, "…"}, {`<figure class="verbatim" data-n="`, "["}, {`"><figcaption>`, " "}, {"</figcaption></figure>", "]"},
		{`<button type="button" class="quiet code-copy">Copy</button>`, ""}, {"<code>", "<code>{"}, {"</code></pre>", "}</pre>"}, {"<span class=\"soft mono\">go</span>", ""}, {"<span class=\"soft mono\">bor</span>", ""}, {"<span class=\"soft mono\">borg</span>", ""},
		{`<div class="block"`, "\x00<div"},
	} {
		s = strings.ReplaceAll(s, b[0], b[1])
	}
	return strings.TrimPrefix(strings.ReplaceAll(textOf(newPage(p.t, Block{HTML: strings.ReplaceAll(s, "\x00", "|")}).answer), "||", "|"), "|")
}

// Fence is asked again by Blocks, so that a snapshot shows what is true by then.
func TestBlocksAskAgain(t *testing.T) {
	o := options()
	content := Waiting
	o.Fence = func(int, Fence) string { return content }
	s := NewStream(o)
	s.Write("- a\n  ```bor src/a\n")
	content = "<b>panel</b>"
	if got := s.Blocks()[0].HTML; !strings.Contains(got, `<div class="fence-slot" id="t1-f0"><b>panel</b></div>`) {
		t.Error(got)
	}
	ops := s.Close()
	if len(ops) != 1 || ops[0].Kind != Fill || !strings.Contains(ops[0].HTML, `<div class="fence-slot" id="t1-f0"></div>`) {
		t.Errorf("%+v", ops)
	}
	if got := s.Blocks()[0].HTML; !strings.Contains(got, "<b>panel</b>") {
		t.Error(got)
	}
}

func TestClosedStream(t *testing.T) {
	s := NewStream(options())
	s.Write("a")
	s.Close()
	before := s.Blocks()
	if ops := append(s.Write("b"), s.Close()...); len(ops) != 0 || len(s.Blocks()) != len(before) {
		t.Errorf("%+v", ops)
	}
	if ops := NewStream(options()).Close(); len(ops) != 0 {
		t.Errorf("%+v", ops)
	}
}

// A closed stream leaves no coroutine behind, whatever was open.
func TestCloseEndsCoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, text := range texts {
		s := NewStream(options())
		s.Write(text[:len(text)/2])
		s.Close()
		Render(text, options())
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d coroutines are left", after-before)
	}
}
