package markdown

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// DocOptions say how a document's addresses become addresses of this server.
// Both functions get a relative path or an absolute one, with character
// references resolved and percent escapes as written; an answer that isn't an
// absolute path on this server counts as refused. A nil function refuses all.
type DocOptions struct {
	// Link resolves a link. The text of a refused one is shown without it.
	Link func(dest string) (href string, ok bool)
	// Image resolves an image. A refused one becomes a link if Link or the
	// list of schemes allows it, else its description as text.
	Image func(dest string) (src string, ok bool)
}

// docPrefix begins the ids of a document's headings.
const docPrefix = "d-"

// RenderDocument renders a Markdown file of the knowledge base, whole, under
// the rules for answers: raw HTML is text, and the same links are allowed. A
// `bor` fence is the document's own text. YAML front matter is shown as code.
func RenderDocument(text string, o DocOptions) string {
	c := documentConfig(o)
	var b strings.Builder
	front, body := frontMatter(strings.TrimPrefix(text, "\uFEFF"))
	if front != "" {
		s := newStream(c)
		s.Write("```yaml\n" + front + "```\n")
		s.Close()
		b.WriteString(s.done[0].html)
	}
	s := newStream(c)
	s.Write(body)
	s.Close()
	for _, d := range s.done {
		b.WriteString(d.html)
	}
	return b.String()
}

// Anchor returns the id that RenderDocument gives to the first heading with
// this text; a fragment as other sites make it of the text gives the same id.
func Anchor(heading string) string {
	return docPrefix + strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

func documentConfig(o DocOptions) *config {
	c := &config{prefix: docPrefix, codeLabel: "Code"}
	ids, used := map[int]string{}, map[string]int{}
	c.headingID = func(n int, text string) string {
		if id, again := ids[n]; again {
			return id
		}
		id := Anchor(text)
		used[id]++
		if k := used[id] - 1; k > 0 {
			id += "-" + strconv.Itoa(k)
		}
		ids[n] = id
		return id
	}
	c.linkTo = func(dest string) (string, bool, bool) {
		if href, ok := outside(dest); ok {
			return href, true, true
		}
		if fragment, ok := strings.CutPrefix(dest, "#"); ok {
			if plain, err := url.PathUnescape(fragment); err == nil {
				fragment = plain
			}
			return "#" + Anchor(fragment), false, true
		}
		href, ok := resolve(o.Link, dest)
		return href, false, ok
	}
	c.imageAt = func(dest string) (string, bool) { return resolve(o.Image, dest) }
	return c
}

// resolve asks for the address of a path; anything with a scheme or a host of
// its own isn't one.
func resolve(ask func(string) (string, bool), dest string) (string, bool) {
	if i := strings.IndexAny(dest, ":/?#"); ask == nil || i >= 0 && dest[i] == ':' || strings.HasPrefix(dest, "//") {
		return "", false
	}
	address, ok := ask(dest)
	if !ok {
		return "", false
	}
	return inApp(address)
}

// maxFrontMatter bounds the front matter, in bytes.
const maxFrontMatter = 64 << 10

// frontMatter splits a document after the YAML between its first line, `---`,
// and the next such line.
func frontMatter(text string) (front, body string) {
	rest, ok := strings.CutPrefix(strings.ReplaceAll(text[:min(len(text), maxFrontMatter)], "\r\n", "\n"), "---\n")
	if !ok {
		return "", text
	}
	end := strings.Index(rest, "\n---\n")
	if end < 0 || !strings.Contains(rest[:end], ":") || strings.Contains(rest[:end], "```") {
		return "", text
	}
	front = rest[:end+1]
	// The body begins behind as many line ends as the front matter has, and two
	// for its fences, whatever their length in bytes.
	body = text
	for range strings.Count(front, "\n") + 2 {
		_, body, _ = strings.Cut(body, "\n")
	}
	return front, body
}
