package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// bodies returns which marks stand in the body of a locator fence, by a parse of
// the whole text.
func bodies(s string) []string {
	var c cleaner
	src := append(c.flush(c.clean(nil, s)), '\n')
	doc := whole.Parse(text.NewReader(src), parser.WithContext(&context{Context: parser.NewContext(), refs: references{}}))
	cfg := answerConfig(options())
	var found []string
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		fence, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		if _, state := cfg.classify(fence, src); state != locatorFence {
			return ast.WalkContinue, nil
		}
		body := string(segments(fence.Lines(), src))
		if strings.TrimSpace(string(fence.Info.Segment.Value(src))) == fenceWord {
			_, body, _ = strings.Cut(body, "\n") // its first line is the locator
		}
		for body != "" {
			_, rest, ok := strings.Cut(body, "\u2983")
			if !ok {
				break
			}
			id, rest, _ := strings.Cut(rest, "\u2984")
			found, body = append(found, "\u2983"+id+"\u2984"), rest
		}
		return ast.WalkContinue, nil
	})
	return found
}

// checkBodies streams a text, each M in it made unique, and looks for the bodies
// of its locator fences in all that comes out.
func checkBodies(t testing.TB, s string, r *rand.Rand) (marks int) {
	t.Helper()
	for i := 0; strings.Contains(s, "M"); i++ {
		s = strings.Replace(s, "M", fmt.Sprintf("\u2983%d\u2984", i), 1)
	}
	hidden := bodies(s)
	if len(hidden) == 0 {
		return 0
	}
	st := NewStream(options())
	var out strings.Builder
	note := func(ops []Op) {
		for _, op := range ops {
			out.WriteString(op.HTML + "\n")
		}
		for _, b := range st.Blocks() {
			out.WriteString(b.HTML + "\n")
		}
	}
	for _, piece := range split(r, s) {
		note(st.Write(piece))
	}
	note(st.Close())
	for _, mark := range hidden {
		if strings.Contains(out.String(), mark) {
			t.Fatalf("%q: the body %s is shown", s, mark)
		}
	}
	return len(hidden)
}

func TestNoBodyIsShownInMixedTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	lines := []string{"```bor src/a", "~~~bor src/b", "```bor", "src/c", "M", "M", "  M", "> M", "- M", "```", "~~~", "````", "- ", "> ", "", "", "1. x", "   M", "    M", "* * *", "# M", "text", "|M|", "<!--", "-->", "\t"}
	leads := []string{"", "", "", "  ", "   ", "    ", "> ", "- ", ">", "1. ", "- > ", "> - ", "\t"}
	marks := 0
	for range 1500 {
		var b strings.Builder
		for range 2 + r.IntN(9) {
			b.WriteString(leads[r.IntN(len(leads))] + lines[r.IntN(len(lines))] + "\n")
		}
		marks += checkBodies(t, b.String(), r)
		check(t, split(r, b.String()))
	}
	if marks < 150 {
		t.Errorf("only %d marks", marks)
	}
}

func FuzzStream(f *testing.F) {
	for i, s := range texts {
		f.Add(strings.ReplaceAll(s, "MARKER", "M"), uint64(i))
	}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		check(t, split(r, s))
		checkBodies(t, s, r)
	})
}

func FuzzSafe(f *testing.F) {
	for _, s := range schemes {
		f.Add("[a](" + s + ") <" + s + ">\n\n![b][c]\n\n[c]: <" + s + ">")
	}
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkHostile(t, s) })
}

func FuzzCode(f *testing.F) {
	for i, s := range bytesOfFiles {
		f.Add(s, []string{"ini", "yaml", "bash", "go", "html"}[i%5])
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		if !utf8.ValidString(s) || strings.Contains(s, "\x00") {
			return // the store holds no such text
		}
		checkCode(t, s, lang)
	})
}
