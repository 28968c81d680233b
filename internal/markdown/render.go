package markdown

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	ext "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// counters number an answer's headings and fences in document order.
type counters struct{ headings, fences int }

// rendering is the HTML of one top-level block, without its wrapper.
type rendering struct {
	html   string   // every locator fence an empty slot
	missed []string // link labels without a definition so far
	end    counters // after the block
}

// render parses and renders the source of one top-level block.
func (c *config) render(src []byte, refs references, from counters) rendering {
	pc := &context{Context: parser.NewContext(), refs: refs}
	doc := whole.Parse(text.NewReader(src), parser.WithContext(pc))
	w := writer{config: c, src: src, counters: from, out: make([]byte, 0, len(src)+len(src)/4)}
	w.walk(doc)
	return rendering{string(w.out), pc.missed, w.counters}
}

// writer writes the HTML of a syntax tree. It knows the elements it may write;
// everything else, raw HTML included, goes through appendEscaped.
type writer struct {
	*config
	counters
	src    []byte
	out    []byte
	tags   int      // open elements
	ends   []string // end tags of the open nodes, "" for one without an element
	inLink int      // > 0 inside an <a>
}

// walk writes a tree. The bounds on parsing bound the recursion.
func (w *writer) walk(root ast.Node) {
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			w.leave(n)
		} else if !w.enter(n) {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
}

// open writes a start tag and keeps its end tag for leave. Past maxTags it
// writes neither: the content is shown flat.
func (w *writer) open(start, end string) {
	if end != "" {
		if w.tags >= maxTags {
			start, end = "", ""
		} else {
			w.tags++
		}
	}
	w.out = append(w.out, start...)
	w.ends = append(w.ends, end)
}

func (w *writer) leave(n ast.Node) {
	last := len(w.ends) - 1
	end := w.ends[last]
	w.ends = w.ends[:last]
	if end != "" {
		w.tags--
		w.out = append(w.out, end...)
	}
	if _, isLink := n.(*ast.Link); isLink && end != "" {
		w.inLink--
	}
}

// enter writes what a node begins with, keeps what it ends with, and reports
// whether its children are to be visited.
func (w *writer) enter(n ast.Node) (children bool) {
	switch n := n.(type) {
	case *ast.Paragraph:
		w.open("<p>", "</p>")
	case *ast.Heading:
		w.heading(n)
	case *ast.ThematicBreak:
		w.open("<hr>", "")
	case *ast.Blockquote:
		w.open("<blockquote>", "</blockquote>")
	case *ast.List:
		w.list(n)
	case *ast.ListItem:
		w.open("<li>", "</li>")
	case *ast.FencedCodeBlock:
		w.fenced(n)
		return false
	case *ast.CodeBlock:
		w.code("", n.Lines())
		return false
	case *ast.HTMLBlock:
		w.lines(n.Lines(), n.ClosureLine)
		return false
	case *plainText:
		w.lines(n.Lines(), text.NewSegment(-1, -1))
		return false
	case *ast.LinkReferenceDefinition:
		w.open("", "")
		return false
	case *ext.Table:
		w.open(`<div class="table-wrap" tabindex="0" role="group" aria-label="Table"><table>`, "</table></div>")
	case *ext.TableHeader:
		w.open("<thead><tr>", "</tr></thead>")
	case *ext.TableRow:
		w.row(n)
	case *ext.TableCell:
		w.cell(n)
	default:
		return w.enterInline(n)
	}
	return true
}

// heading writes a heading one level lower than written: the page has its h1.
func (w *writer) heading(n *ast.Heading) {
	w.headings++
	level := strconv.Itoa(min(n.Level+1, 6))
	id := appendAttr(nil, w.headingID(w.headings, string(w.plain(n))))
	w.open("<h"+level+` id="`+string(id)+`">`, "</h"+level+">")
}

func (w *writer) list(n *ast.List) {
	switch {
	case !n.IsOrdered():
		w.open("<ul>", "</ul>")
	case n.Start != 1:
		w.open(`<ol start="`+strconv.Itoa(n.Start)+`">`, "</ol>")
	default:
		w.open("<ol>", "</ol>")
	}
}

func (w *writer) row(n *ext.TableRow) {
	start, end := "<tr>", "</tr>"
	if _, first := n.PreviousSibling().(*ext.TableHeader); first {
		start = "<tbody>" + start
	}
	if n.NextSibling() == nil {
		end += "</tbody>"
	}
	w.open(start, end)
}

// cell writes a table cell. Alignment is a class: the policy for the page
// forbids inline styles.
func (w *writer) cell(n *ext.TableCell) {
	name, attrs := "td", ""
	if _, head := n.Parent().(*ext.TableHeader); head {
		name, attrs = "th", ` scope="col"`
	}
	switch n.Alignment {
	case ext.AlignCenter:
		attrs += ` class="mid"`
	case ext.AlignRight:
		attrs += ` class="num"`
	}
	w.open("<"+name+attrs+">", "</"+name+">")
}

// lines writes raw lines as the text of a paragraph: how raw HTML is shown.
func (w *writer) lines(lines *text.Segments, closure text.Segment) {
	raw := segments(lines, w.src)
	if closure.Start >= 0 {
		raw = append(raw, closure.Value(w.src)...)
	}
	for len(raw) > 0 && raw[len(raw)-1] == '\n' {
		raw = raw[:len(raw)-1]
	}
	w.open("<p>", "</p>")
	w.text(raw)
}

func (w *writer) text(b []byte) { w.out = appendText(w.out, b) }

// segments returns the bytes of lines.
func segments(lines *text.Segments, src []byte) []byte {
	var b []byte
	for i := range lines.Len() {
		line := lines.At(i)
		b = append(b, line.Value(src)...)
	}
	return b
}
