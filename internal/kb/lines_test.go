package kb

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// awkward are texts that tempt a line model to end lines at the wrong place.
var awkward = []string{
	"", "\n", "\n\n", "a", "a\n", "a\nb", "a\nb\n", "\na", "a\r\nb\r\n", "a\rb", "a\r", "\r\n",
	"a\vb\fc\u0085d\u2028e\u2029f\n", "\ufeffa\n", "é\ne\u0301\n", "👩‍👩‍👧\n", "a\n\n\nb",
}

func TestLinesEndAtLineFeedOnly(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"\n", []string{"\n"}},
		{"a", []string{"a"}},
		{"a\n", []string{"a\n"}},
		{"a\nb", []string{"a\n", "b"}},
		{"\n\na\n", []string{"\n", "\n", "a\n"}},
		{"a\r\nb\rc\n", []string{"a\r\n", "b\rc\n"}},
		{"a\vb\fc\u0085d\u2028e\u2029f", []string{"a\vb\fc\u0085d\u2028e\u2029f"}},
	} {
		l := SplitLines(c.text)
		if l.Count() != len(c.want) {
			t.Errorf("%q has %d lines, want %d", c.text, l.Count(), len(c.want))
			continue
		}
		for i, want := range c.want {
			if got := l.Line(i + 1); got != want {
				t.Errorf("line %d of %q is %q, want %q", i+1, c.text, got, want)
			}
		}
	}
}

func TestSliceIsTheLinesBetween(t *testing.T) {
	l := SplitLines("one\ntwo\nthree\nfour")
	for _, c := range []struct {
		first, last int
		want        string
	}{{1, 4, "one\ntwo\nthree\nfour"}, {2, 3, "two\nthree\n"}, {4, 4, "four"}, {1, 1, "one\n"}} {
		if got := l.Slice(c.first, c.last); got != c.want {
			t.Errorf("Slice(%d, %d) = %q, want %q", c.first, c.last, got, c.want)
		}
	}
}

// The line numbers of the product are those of the tools that people compare
// them with.
func TestLinesAgreeWithWcAndSed(t *testing.T) {
	for _, text := range awkward {
		l := SplitLines(text)
		wc := strings.TrimSpace(run(t, text, "wc", "-l"))
		ends, err := strconv.Atoi(wc)
		if err != nil {
			t.Fatal(err)
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			ends++
		}
		if l.Count() != ends {
			t.Errorf("%q has %d lines, wc says %d", text, l.Count(), ends)
		}
		for n := 1; n <= l.Count(); n++ {
			if sed := run(t, text, "sed", "-n", strconv.Itoa(n)+"p"); l.Line(n) != sed {
				t.Errorf("line %d of %q is %q, sed says %q", n, text, l.Line(n), sed)
			}
		}
	}
}

func run(t *testing.T, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func FuzzLines(f *testing.F) {
	for _, text := range awkward {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := SplitLines(text)
		want := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			want++
		}
		if l.Count() != want {
			t.Fatalf("%q has %d lines, want %d", text, l.Count(), want)
		}
		var all strings.Builder
		for n := 1; n <= l.Count(); n++ {
			line := l.Line(n)
			if line == "" || strings.Contains(line[:len(line)-1], "\n") {
				t.Fatalf("line %d of %q is %q", n, text, line)
			}
			all.WriteString(line)
		}
		if all.String() != text {
			t.Fatalf("the lines of %q add up to %q", text, all.String())
		}
		if l.Count() > 0 && l.Slice(1, l.Count()) != text {
			t.Fatalf("all lines of %q are not the text", text)
		}
	})
}
