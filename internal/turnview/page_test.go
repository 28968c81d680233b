package turnview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"bor/views"
)

// page is the part of a browser that fragments need: elements by id, and what
// htmx does with each frame.
type page struct {
	t    *testing.T
	root *html.Node
}

// newPage is a page that shows a bubble, and what stands around it.
func newPage(t *testing.T, p views.TurnPanel) *page {
	t.Helper()
	root, err := html.Parse(strings.NewReader(render(views.Turn(p)) + `<p id="announce"></p><div id="send-place"></div>`))
	if err != nil {
		t.Fatal(err)
	}
	return &page{t, root}
}

// take applies a stream message, and holds it to what a stream may carry.
func (p *page) take(message []byte) {
	p.t.Helper()
	for _, n := range fragment(p.t, string(message)) {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" {
			continue
		}
		target, how := attribute(n, "to"), attribute(n, "as")
		switch n.Data {
		case "hx-part":
		case "hx-partial":
			target, how = attribute(n, "hx-target"), attribute(n, "hx-swap")
		default:
			p.t.Fatalf("outside of a frame: %s", outer(n))
		}
		for d := range n.Descendants() {
			for _, a := range d.Attr {
				if strings.HasPrefix(a.Key, "hx-") || strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					p.t.Fatalf("a stream carries %s=%q", a.Key, a.Val)
				}
			}
		}
		var content []*html.Node
		for c := range n.ChildNodes() {
			content = append(content, c)
		}
		for _, c := range content {
			n.RemoveChild(c)
		}
		p.swap(target, how, content)
	}
	if strings.Contains(string(message), "\r") {
		p.t.Fatal("a message with a raw carriage return")
	}
}

func (p *page) swap(selector, how string, content []*html.Node) {
	p.t.Helper()
	target := p.find(selector)
	switch how {
	case "beforeend":
		for _, c := range content {
			target.AppendChild(c)
		}
	case "innerHTML", "innerMorph":
		if how == "innerMorph" {
			p.keep(content)
		}
		for target.FirstChild != nil {
			target.RemoveChild(target.FirstChild)
		}
		for _, c := range content {
			target.AppendChild(c)
		}
	case "outerHTML", "outerMorph":
		if how == "outerMorph" {
			p.keep(content)
		}
		for _, c := range content {
			target.Parent.InsertBefore(c, target)
		}
		target.Parent.RemoveChild(target)
	case "delete":
		target.Parent.RemoveChild(target)
	default:
		p.t.Fatalf("unknown swap %q", how)
	}
}

// keep puts the page's own nodes in place of their stubs.
func (p *page) keep(content []*html.Node) {
	p.t.Helper()
	var stubs []*html.Node
	for _, c := range content {
		if c.Type == html.ElementNode && isStub(c) {
			p.t.Fatal("a stub that is the whole content")
		}
		for d := range c.Descendants() {
			if isStub(d) {
				stubs = append(stubs, d)
			}
		}
	}
	for _, stub := range stubs {
		there := p.find("#" + attribute(stub, "id"))
		there.Parent.RemoveChild(there)
		stub.Parent.InsertBefore(there, stub)
		stub.Parent.RemoveChild(stub)
	}
}

func isStub(n *html.Node) bool {
	return n.FirstChild == nil && (attribute(n, "class") == "fence-slot" || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "data-kept" }))
}

// find resolves the few forms of selectors that fragments use.
func (p *page) find(selector string) *html.Node {
	p.t.Helper()
	id, rest := selector[1:], ""
	if i := strings.IndexAny(id, " >"); i >= 0 {
		id, rest = id[:i], id[i:]
	}
	var found []*html.Node
	for n := range p.root.Descendants() {
		if attribute(n, "id") == id {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		p.t.Fatalf("%d elements for %s", len(found), selector)
	}
	n, ok := found[0], true
	switch rest {
	case "":
	case ">p":
		n, ok = only(n.ChildNodes(), func(c *html.Node) bool { return c.Data == "p" })
	case ">.tail:last-child":
		n, ok = n.LastChild, n.LastChild != nil && attribute(n.LastChild, "class") == "tail"
	case " code":
		n, ok = only(n.Descendants(), func(c *html.Node) bool { return c.Type == html.ElementNode && c.Data == "code" })
	default:
		ok = false
	}
	if !ok {
		p.t.Fatalf("selector %s matches nothing, or too much, in %s", selector, outer(found[0]))
	}
	return n
}

func only(nodes func(func(*html.Node) bool), match func(*html.Node) bool) (*html.Node, bool) {
	var found []*html.Node
	for n := range nodes {
		if match(n) {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		return nil, false
	}
	return found[0], true
}

// bubble is the bubble's HTML as it stands on the page.
func (p *page) bubble(turn int64) string {
	p.t.Helper()
	return outer(p.find("#" + ID(turn)))
}

// text is what can be read in the element with the id.
func (p *page) text(id string) string {
	p.t.Helper()
	return content(p.find("#" + id))
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func outer(n *html.Node) string {
	var b strings.Builder
	if err := html.Render(&b, n); err != nil {
		return fmt.Sprint(err)
	}
	return b.String()
}

// whole is the bubble's HTML as a page of its own would have it.
func whole(t *testing.T, p views.TurnPanel) string {
	t.Helper()
	return outer(newPage(t, p).find("#" + p.ID))
}

func fragment(t *testing.T, text string) []*html.Node {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
