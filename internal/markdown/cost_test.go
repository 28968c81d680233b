package markdown

import (
	"os"
	"strings"
	"testing"
)

func ordinary(t testing.TB) string {
	b, err := os.ReadFile("testdata/ordinary.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// cost streams a text and counts the bytes of its ops and of what was rendered.
func cost(t testing.TB, s string, piece int) (ops, rendered, final int) {
	st := NewStream(options())
	count := func(list []Op) {
		for _, op := range list {
			ops += len(op.HTML)
		}
	}
	for s := s; s != ""; {
		n := min(piece, len(s))
		count(st.Write(s[:n]))
		s = s[n:]
	}
	count(st.Close())
	for _, b := range st.Blocks() {
		final += len(b.HTML)
	}
	return ops, st.parsed, final
}

// The byte bar of DEC1: an ordinary answer at 2 000 characters a second, in
// ticks of 50 ms, costs at most 2.5 times its text.
func TestBytesOfOrdinaryAnswer(t *testing.T) {
	s := ordinary(t)
	ops, rendered, final := cost(t, s, 100)
	t.Logf("text %d, final HTML %d (%.2f), ops %d: %.2f × text, %.2f × final HTML", len(s), final,
		float64(final)/float64(len(s)), ops, float64(ops)/float64(len(s)), float64(ops)/float64(final))
	if float64(ops) > 2.5*float64(len(s)) {
		t.Errorf("%d bytes of ops for %d bytes of text", ops, len(s))
	}
	if rendered > len(s) {
		t.Errorf("%d bytes rendered of %d", rendered, len(s))
	}
}

// The cost per byte of text doesn't grow with the text, whatever its shape and
// however small its pieces are.
func TestWorkIsLinear(t *testing.T) {
	shapes := map[string]string{
		"answer":         ordinary(t),
		"one list":       "- item with *some* text\n\n  and a paragraph\n",
		"one quote":      "> quoted text\n",
		"one code block": "    x := 1\n",
		"one line":       "word ",
		"list of panels": "1. step\n\n   ```bor src/a.md\n   body\n   ```\n",
		"table rows":     "| a | b |\n|---|---|\n| 1 | 2 |\n",
		"forward links":  "- [a] and [b]\n\n[x]: /y\n\n",
		"fences":         "```bor src/a\nbody\n```\n",
		"held line":      "- - - - ",
		"long fence":     "~~~~~~~~",
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			var before int
			for _, size := range []int{10_000, 100_000} {
				s := strings.Repeat(shape, size/len(shape))
				ops, rendered, _ := cost(t, s, 4)
				if rendered > len(s)+1 {
					t.Errorf("%d bytes rendered of %d", rendered, len(s))
				}
				if before > 0 && ops > 11*before { // ids get longer
					t.Errorf("%d bytes of ops, %d for a tenth of the text", ops, before)
				}
				before = ops
			}
		})
	}
}

// A definition at the end renders again only what it concerns.
func TestForwardLinksRenderTwice(t *testing.T) {
	s := strings.Repeat("plain *text*\n\n", 1000) + "uses [label]\n\n" + strings.Repeat("[other]\n\n", 100) + "[label]: /x\n"
	_, rendered, _ := cost(t, s, 50)
	if extra := rendered - len(s); extra > 20 {
		t.Errorf("%d bytes rendered again", extra)
	}
}

func BenchmarkStream(b *testing.B) {
	s := strings.Repeat(ordinary(b), 160_000/len(ordinary(b))+1)[:160_000]
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		st := NewStream(options())
		for i := 0; i < len(s); i += 4 {
			st.Write(s[i : i+4])
		}
		st.Close()
	}
}

func BenchmarkStreamProse(b *testing.B) {
	s := strings.Repeat("Some prose with *emphasis*, `code` and a [link](https://example.org/x).\n\n", 2200)[:160_000]
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		st := NewStream(options())
		for i := 0; i < len(s); i += 4 {
			st.Write(s[i : i+4])
		}
		st.Close()
	}
}

func BenchmarkRender(b *testing.B) {
	s := ordinary(b)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Render(s, options())
	}
}

func BenchmarkCodePlain(b *testing.B) {
	s := strings.Repeat("PublishPort=8642:8080\n", 100_000)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Code(s, "")
	}
}

func BenchmarkCodeColoured(b *testing.B) {
	s := strings.Repeat("func f(s string) error { return nil } // comment\n", 1000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Code(s, "go")
	}
}
