package markdown

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/goldmark/util"
)

// When leaves says yes to the beginning of a line, goldmark agrees once it has
// seen the whole line; and it goes on saying yes.
func TestLeavesIsExact(t *testing.T) {
	said := 0
	check := func(s string) {
		o := newOutline()
		defer func() { o.stop() }()
		started := false
		for _, line := range strings.SplitAfter(s, "\n") {
			if line == "" || !started && util.IsBlank([]byte(line)) {
				continue
			}
			if !strings.HasSuffix(line, "\n") {
				line += "\n"
			}
			sure := false
			for i := 1; started && i <= len(line); i++ {
				switch o.leaves([]byte(line[:i])) {
				case yes:
					sure = true
				default:
					if sure {
						t.Fatalf("%q: %q takes its yes back", s, line[:i])
					}
				}
			}
			another := o.feed([]byte(line))
			if sure {
				said++
				if !another {
					t.Fatalf("%q: %q belongs to the open block", s, line)
				}
			}
			if another {
				o.stop()
				o = newOutline()
				o.feed([]byte(line))
			}
			started = !o.closed()
			if !started {
				o.stop()
				o = newOutline()
			}
		}
	}
	for _, s := range texts {
		check(s)
	}
	r := rand.New(rand.NewPCG(5, 5))
	starts := []string{"", " ", "  ", "    ", "\t", "> ", ">", "- ", "-", "* ", "+\t", "1. ", "1) ", "2. ", "10. ", "0123456789. ", "# ", "#", "## ", "####### ", "```", "~~~ ", "---", "***", "===", "**", "<div>", "| a |", "|-|", "[a]: b", "\n", "text"}
	for range 4000 {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			for range 1 + r.IntN(3) {
				b.WriteString(starts[r.IntN(len(starts))])
			}
			b.WriteString([]string{"x", "", " ", "- x", "x `y` z"}[r.IntN(5)] + "\n")
		}
		check(b.String())
	}
	if said < 1000 {
		t.Errorf("said yes only %d times", said)
	}
}

func TestOpener(t *testing.T) {
	for in, want := range map[string]bool{
		"": true, "  ": true, "- ": true, "> 12. ": true, "`": true, "~~": true, "```": true, "~~~~ x ` y": true, "- > ```bor a": true, "\t```": true,
		"a": false, "- a": false, "`a": false, "``a": false, "~~a": false, "```a`": false, "```a`b": false, "12. **b": false, "|": false, "a```": false,
	} {
		var all opener
		whole := all.watch([]byte(in))
		var one opener
		byByte := true
		for i := range in {
			byByte = one.watch([]byte(in[i : i+1]))
			if !byByte {
				break
			}
		}
		if whole != want || byByte != want {
			t.Errorf("%q: %v, byte by byte %v, want %v", in, whole, byByte, want)
		}
	}
	for in, want := range map[string]bool{
		"```bor": true, "```bor ": true, "``` bor\tx": true, "- ~~~~bor x": true, "```bor\n": true, "```borg": false, "```bo": false, "```": false, "bor": false, "```x bor": false,
	} {
		var f opener
		f.watch([]byte(in))
		if f.isBor() != want {
			t.Errorf("%q: isBor %v", in, !want)
		}
	}
}
