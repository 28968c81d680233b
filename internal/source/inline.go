package source

import (
	"html"
	"regexp"
	"strings"
)

// maxInline bounds the bytes of a heading that are worth interpreting; a longer one is no title anyway.
const maxInline = 8 << 10

// plain is the text of a Markdown heading as a reader sees it: code, links and emphasis without their marks, no
// images, no tags, entities decoded. It covers what headings hold in practice, not every rule of CommonMark.
func plain(s string) string {
	if len(s) <= maxInline {
		s = emphasis(inline(s))
	}
	return strings.Join(strings.Fields(s), " ")
}

// Inside code and after a back-slash, marks of emphasis are text. They are written as a NUL and a digit until
// emphasis has been dropped: text that is indexed never holds a NUL.
var (
	protect   = strings.NewReplacer("*", "\x001", "_", "\x002", "~", "\x003")
	unprotect = strings.NewReplacer("\x001", "*", "\x002", "_", "\x003", "~")
)

var emphases = []struct {
	mark *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`\*\*([^*\s](?:[^*]*[^*\s])?)\*\*`), "$1"},
	{regexp.MustCompile(`\*([^*\s](?:[^*]*[^*\s])?)\*`), "$1"},
	{regexp.MustCompile(`(^|[^\pL\pN_])__([^_\s](?:[^_]*[^_\s])?)__([^\pL\pN_]|$)`), "$1$2$3"},
	{regexp.MustCompile(`(^|[^\pL\pN_])_([^_\s](?:[^_]*[^_\s])?)_([^\pL\pN_]|$)`), "$1$2$3"},
	{regexp.MustCompile(`~~([^~\s](?:[^~]*[^~\s])?)~~`), "$1"},
}

func emphasis(s string) string {
	for _, e := range emphases {
		s = e.mark.ReplaceAllString(s, e.text)
	}
	return unprotect.Replace(s)
}

var (
	tag    = regexp.MustCompile(`^<[a-zA-Z/!][^<>]*>`)
	auto   = regexp.MustCompile(`^<([a-zA-Z][a-zA-Z0-9+.-]*:[^<>\s]*)>`)
	entity = regexp.MustCompile(`^&(?:[a-zA-Z][a-zA-Z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});`)
)

// inline resolves everything but emphasis.
func inline(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		text, used := s[i:i+1], 1
		switch s[i] {
		case '\\':
			if i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
				text, used = protect.Replace(s[i+1:i+2]), 2
			}
		case '`':
			text, used = codeSpan(s[i:])
		case '!':
			if strings.HasPrefix(s[i:], "![") {
				if _, n := link(s[i+1:]); n > 0 {
					text, used = "", 1+n
				}
			}
		case '[':
			if label, n := link(s[i:]); n > 0 {
				text, used = inline(label), n
			}
		case '<':
			if m := auto.FindStringSubmatch(s[i:]); m != nil {
				text, used = protect.Replace(m[1]), len(m[0])
			} else if m := tag.FindString(s[i:]); m != "" {
				text, used = "", len(m)
			}
		case '&':
			if m := entity.FindString(s[i:]); m != "" {
				text, used = html.UnescapeString(m), len(m)
			}
		}
		out.WriteString(text)
		i += used
	}
	return out.String()
}

// codeSpan reads a code span at the start of s; an unmatched run of back-quotes is text.
func codeSpan(s string) (text string, used int) {
	body := strings.TrimLeft(s, "`")
	run := s[:len(s)-len(body)]
	for end := 0; ; {
		i := strings.Index(body[end:], run)
		if i < 0 {
			return run, len(run)
		}
		end += i
		tail := strings.TrimLeft(body[end:], "`")
		if n := len(body) - end - len(tail); n != len(run) {
			end += n
			continue
		}
		return protect.Replace(body[:end]), len(run) + end + len(run)
	}
}

// link reads "[label](target)" or "[label][reference]" at the start of s; used is 0 when there is none.
func link(s string) (label string, used int) {
	end := closing(s, '[', ']')
	if end < 0 || end+1 >= len(s) {
		return "", 0
	}
	rest := s[end+1:]
	n := -1
	switch rest[0] {
	case '(':
		n = closing(rest, '(', ')')
	case '[':
		n = closing(rest, '[', ']')
	}
	if n < 0 {
		return "", 0
	}
	return s[1:end], end + 1 + n + 1
}

// closing is the offset of the bracket that closes the one at the start of s, or -1.
func closing(s string, open, shut byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
