package markdown

import (
	"fmt"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	o := Options{Fence: func(int, Fence) string { return "" }, IsLocator: func(s string) bool { return strings.Contains(s, "/") }}
	for name, c := range map[string]struct{ in, want string }{
		"none":           {"Text `bor a/b`.\n", "Text `bor a/b`.\n"},
		"plain":          {"A\n\n```bor a/b 1-2\nWRONG\n```\n\nB\n", "A\n\n<0>\n<0>\n\nB\n"},
		"no body":        {"```bor a/b\n```\n", "<0>\n<0>\n"},
		"bare":           {"```bor\na/b\nWRONG\n```\nB", "<0>\n<0>\nB"},
		"tilde, longer":  {"~~~~bor a/b\n~~~\nWRONG\n~~~~~\nB\n", "<0>\n<0>\nB\n"},
		"unclosed":       {"A\n\n```bor a/b\nWRONG\n", "A\n\n<0>\n<0>\n"},
		"unclosed, bare": {"A\n\n```bor a/b", "A\n\n<0>\n<0>\n"},
		"list":           {"- one\n\n  ```bor a/b\n  WRONG\n  ```\n- two\n", "- one\n\n  <0>\n  <0>\n- two\n"},
		"list marker":    {"1. ```bor a/b\n   WRONG\n   ```\n", "1. <0>\n   <0>\n"},
		"quote":          {"> ~~~bor a/b\n> WRONG\n> ~~~\nB\n", "> <0>\n> <0>\nB\n"},
		"two":            {"```bor a/b\n```\n```bor c/d\n```\n", "<0>\n<0>\n<1>\n<1>\n"},
		"CR LF":          {"A\r\n\r\n- ```bor a/b\r\n  WRONG\r\n  ```\r\n  B\r\n", "A\n\n- <0>\n  <0>\n  B\n"},
		"CR":             {"A\r\r```bor a/b\rWRONG\r```\rB\r", "A\n\n<0>\n<0>\nB\n"},
		"CR, bare":       {"```bor\ra/b\rWRONG", "<0>\n<0>\n"},
		"inside another": {"````md\n```bor a/b\nX\n```\n````\n", "````md\n```bor a/b\nX\n```\n````\n"},
		"no locator":     {"```bor what\nX\n```\n", "```bor what\nX\n```\n"},
	} {
		got := Expand(c.in, o, func(n int, asked Fence) string {
			if !strings.Contains(asked.Locator, "/") {
				t.Errorf("%s: asked for %q", name, asked.Locator)
			}
			return strings.Repeat(fmt.Sprintf("<%d>\n", n), 2)
		})
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if in := "```bor a/b\nX\n```\n"; Expand(in, Options{}, nil) != in {
		t.Error("switched off, a fence is the model's own text")
	}
}
