package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// page is a little DOM that follows the ops as the package comment says a page
// does.
type page struct {
	t      testing.TB
	answer *html.Node
}

func newPage(t testing.TB, blocks ...Block) *page {
	p := &page{t, &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}}
	for _, b := range blocks {
		p.insert(p.answer, b.HTML)
	}
	return p
}

func (p *page) parse(in *html.Node, s string) []*html.Node {
	p.t.Helper()
	if strings.ContainsRune(s, '\r') {
		p.t.Fatalf("raw CR in %q", s)
	}
	nodes, err := html.ParseFragment(strings.NewReader(s), in)
	if err != nil {
		p.t.Fatal(err)
	}
	return nodes
}

func (p *page) insert(in *html.Node, s string) {
	for _, n := range p.parse(in, s) {
		in.AppendChild(n)
	}
}

// apply applies a list of ops. It looks up all targets first.
func (p *page) apply(ops []Op) {
	p.t.Helper()
	targets := make([]*html.Node, len(ops))
	for i, op := range ops {
		targets[i] = p.answer
		if op.Kind != Open {
			targets[i] = p.find(op)
		}
	}
	for i, op := range ops {
		if n := targets[i]; n != p.answer && !slices.Contains(all(p.answer, func(*html.Node) bool { return true }), n) {
			p.t.Fatalf("the target of %+v is gone", op)
		}
		switch op.Kind {
		case Open, Append:
			if op.HTML == "" || op.Kind == Open && op.Target != "" {
				p.t.Fatalf("bad op %+v", op)
			}
			p.insert(targets[i], op.HTML)
		case Fill:
			p.fill(targets[i], op.HTML)
		case Remove:
			targets[i].Parent.RemoveChild(targets[i])
		default:
			p.t.Fatalf("bad op %+v", op)
		}
	}
}

// fill keeps the fences' elements that the page has, as a morph by id does.
func (p *page) fill(old *html.Node, s string) {
	kept := map[string]*html.Node{}
	for _, n := range all(old, isSlot) {
		if n != old {
			kept[attr(n, "id")] = n
		}
	}
	nodes := p.parse(old, s)
	for old.FirstChild != nil {
		old.RemoveChild(old.FirstChild)
	}
	for _, n := range nodes {
		old.AppendChild(n)
	}
	for _, slot := range all(old, isSlot) {
		if k := kept[attr(slot, "id")]; k != nil && slot != old {
			if slot.FirstChild != nil {
				p.t.Fatalf("a panel was sent twice: %s", attr(slot, "id"))
			}
			if k.Parent != nil {
				k.Parent.RemoveChild(k)
			}
			slot.Parent.InsertBefore(k, slot)
			slot.Parent.RemoveChild(slot)
		}
	}
}

// find resolves the selectors that ops use; the target must be unambiguous.
func (p *page) find(op Op) *html.Node {
	p.t.Helper()
	sel := strings.TrimPrefix(op.Target, "#")
	id, rest := sel, ""
	if i := strings.IndexAny(sel, "> "); i >= 0 {
		id, rest = sel[:i], sel[i:]
	}
	found := all(p.answer, func(n *html.Node) bool { return attr(n, "id") == id })
	if len(found) != 1 {
		p.t.Fatalf("%d elements for %q in %s", len(found), op.Target, p)
	}
	root := found[0]
	switch rest {
	case "":
	case ">p":
		found = all(root, func(n *html.Node) bool { return n.Data == "p" && n.Parent == root })
	case " code":
		found = all(root, func(n *html.Node) bool { return n.Data == "code" })
	case ">.tail:last-child":
		found = all(root, func(n *html.Node) bool {
			return n == root.LastChild && attr(n, "class") == "tail"
		})
	default:
		p.t.Fatalf("unknown selector %q", op.Target)
	}
	if len(found) != 1 {
		p.t.Fatalf("%d elements for %q in %s", len(found), op.Target, p)
	}
	return found[0]
}

func isSlot(n *html.Node) bool { return attr(n, "class") == "fence-slot" }

func all(root *html.Node, ok func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && ok(n) {
			found = append(found, n)
		}
	}
	if root.Type == html.ElementNode && ok(root) {
		found = append(found, root)
	}
	return found
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// String serialises the page; adjacent text nodes look like one.
func (p *page) String() string {
	var b strings.Builder
	for n := p.answer.FirstChild; n != nil; n = n.NextSibling {
		if err := html.Render(&b, n); err != nil {
			p.t.Fatal(err)
		}
	}
	return b.String()
}

// options are an answer's options with a recognisable panel.
func options() Options {
	return Options{
		IDPrefix:  "t1-",
		Fence:     panel,
		IsLocator: func(s string) bool { return strings.Contains(s, "/") },
	}
}

func panel(n int, f Fence) string {
	return fmt.Sprintf(`<figure class="verbatim" data-n="%d"><figcaption>%s</figcaption></figure>`, n, EscapeText(f.Locator))
}

// inner returns the HTML of a text's blocks without their wrappers.
func inner(s string) string {
	var b strings.Builder
	for _, block := range Render(s, options()) {
		b.WriteString(strings.TrimSuffix(strings.TrimPrefix(block.HTML, `<div class="block" id="`+block.ID+`">`), "</div>"))
	}
	return b.String()
}
