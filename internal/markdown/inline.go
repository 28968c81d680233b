package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	ext "github.com/yuin/goldmark/extension/ast"
)

// enterInline is enter for inline nodes. A node of a kind it doesn't know
// writes nothing of its own.
func (w *writer) enterInline(n ast.Node) (children bool) {
	switch n := n.(type) {
	case *ast.Text:
		w.open("", "")
		w.out = w.appendNode(w.out, n)
		switch {
		case n.HardLineBreak():
			w.out = append(w.out, "<br>"...)
		case n.SoftLineBreak():
			w.out = append(w.out, '\n')
		}
	case *ast.CodeSpan:
		w.open("<code>", "</code>")
		w.text(w.span(n))
		return false
	case *ast.Emphasis:
		if n.Level == 2 {
			w.open("<strong>", "</strong>")
		} else {
			w.open("<em>", "</em>")
		}
	case *ext.Strikethrough:
		w.open("<del>", "</del>")
	case *ext.TaskCheckBox:
		if n.IsChecked {
			w.open(`<input type="checkbox" disabled checked aria-label="Done"> `, "")
		} else {
			w.open(`<input type="checkbox" disabled aria-label="Not done"> `, "")
		}
	case *ast.RawHTML:
		w.open("", "")
		w.text(segments(n.Segments, w.src))
	case *ast.AutoLink:
		w.autoLink(n)
	case *ast.Link:
		w.link(n)
	case *ast.Image:
		w.image(n)
		return false
	default:
		w.open("", "")
	}
	return true
}

// appendNode appends a text node's characters as HTML.
func (w *writer) appendNode(dst []byte, n *ast.Text) []byte {
	value := n.Segment.Value(w.src)
	if n.IsRaw() || bytes.IndexByte(value, '\\') < 0 && bytes.IndexByte(value, '&') < 0 {
		return appendText(dst, value)
	}
	return appendText(dst, appendUnescaped(nil, value))
}

// span returns the text of a code span; a line end in it is a space.
func (w *writer) span(n ast.Node) []byte {
	var b []byte
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b = append(b, t.Segment.Value(w.src)...)
		}
	}
	return bytes.ReplaceAll(b, []byte("\n"), []byte(" "))
}

// plain returns the text below a node, without markup.
func (w *writer) plain(root ast.Node) []byte {
	var b []byte
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			if value := n.Segment.Value(w.src); n.IsRaw() {
				b = append(b, value...)
			} else {
				b = appendUnescaped(b, value)
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				b = append(b, ' ')
			}
		case *ast.AutoLink:
			b = append(b, n.Label(w.src)...)
		case *ast.RawHTML:
			b = append(b, segments(n.Segments, w.src)...)
		}
		return ast.WalkContinue, nil
	})
	return b
}

// anchor opens a link; it reports false for one that is refused, whose content
// is then shown as text.
func (w *writer) anchor(dest, title []byte) bool {
	if w.inLink > 0 {
		return false
	}
	d, ok := destination(dest)
	if !ok {
		return false
	}
	href, out, ok := w.linkTo(d)
	if !ok || w.tags >= maxTags {
		return false
	}
	tag := append([]byte(`<a href="`), appendAttr(nil, href)...)
	if len(title) > 0 {
		tag = append(append(tag, `" title="`...), appendAttr(nil, appendUnescaped(nil, title))...)
	}
	if out {
		tag = append(tag, `" rel="noopener noreferrer nofollow`...)
	}
	w.open(string(append(tag, `">`...)), "</a>")
	return true
}

func (w *writer) link(n *ast.Link) {
	if w.anchor(n.Destination, n.Title) {
		w.inLink++
	} else {
		w.open("", "")
	}
}

func (w *writer) autoLink(n *ast.AutoLink) {
	dest := n.URL(w.src)
	if n.AutoLinkType == ast.AutoLinkEmail {
		dest = append([]byte("mailto:"), dest...)
	}
	if !w.anchor(dest, nil) {
		w.open("", "")
	}
	w.text(n.Label(w.src))
}

// image writes an image of this server; any other image becomes a link.
func (w *writer) image(n *ast.Image) {
	alt := w.plain(n)
	if d, ok := destination(n.Destination); ok {
		if src, ok := w.imageAt(d); ok {
			tag := append([]byte(`<img src="`), appendAttr(nil, src)...)
			tag = append(append(tag, `" alt="`...), appendAttr(nil, alt)...)
			w.open(string(append(tag, `" loading="lazy">`...)), "")
			return
		}
	}
	if !w.anchor(n.Destination, n.Title) {
		w.open("", "")
	}
	if len(bytes.TrimSpace(alt)) == 0 {
		alt = n.Destination
	}
	w.text(alt)
}
