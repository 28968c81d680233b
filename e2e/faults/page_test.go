//go:build faults

package faults

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// page is what a browser has of a conversation, and does with a stream's messages.
type page struct{ root *html.Node }

func parsePage(text string) (*page, error) {
	root, err := html.Parse(strings.NewReader(text))
	return &page{root}, err
}

// events is the address of the stream that the page wants to open; empty when
// nothing runs.
func (p *page) events() string {
	for n := range p.root.Descendants() {
		if url := attribute(n, "hx-sse:connect"); url != "" {
			return url
		}
	}
	return ""
}

// apply swaps a message's parts in.
func (p *page) apply(message string) error {
	parts, err := html.ParseFragment(strings.NewReader(message), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return err
	}
	for _, n := range parts {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" {
			continue
		}
		target, how := attribute(n, "to"), attribute(n, "as")
		if n.Data == "hx-partial" {
			target, how = attribute(n, "hx-target"), attribute(n, "hx-swap")
		}
		if target == "" {
			return fmt.Errorf("a message holds %.60s", outer(n))
		}
		content := slices.Collect(n.ChildNodes())
		for _, c := range content {
			n.RemoveChild(c)
		}
		if err := p.swap(target, how, content); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) swap(selector, how string, content []*html.Node) error {
	target := p.find(selector)
	if target == nil {
		return fmt.Errorf("no place %s on the page", selector)
	}
	if strings.HasSuffix(how, "Morph") {
		p.keep(content)
	}
	switch how {
	case "beforeend":
	case "innerHTML", "innerMorph":
		for target.FirstChild != nil {
			target.RemoveChild(target.FirstChild)
		}
	case "outerHTML", "outerMorph", "delete":
		for _, c := range content {
			target.Parent.InsertBefore(c, target)
		}
		target.Parent.RemoveChild(target)
		return nil
	default:
		return fmt.Errorf("unknown swap %q", how)
	}
	for _, c := range content {
		target.AppendChild(c)
	}
	return nil
}

// keep puts the page's own nodes in place of their stubs (DEC2).
func (p *page) keep(content []*html.Node) {
	var stubs []*html.Node
	for _, c := range content {
		for d := range c.Descendants() {
			if d.FirstChild == nil && (attribute(d, "class") == "fence-slot" || slices.ContainsFunc(d.Attr, func(a html.Attribute) bool { return a.Key == "data-kept" })) {
				stubs = append(stubs, d)
			}
		}
	}
	for _, stub := range stubs {
		if there := p.find("#" + attribute(stub, "id")); there != nil {
			there.Parent.RemoveChild(there)
			stub.Parent.InsertBefore(there, stub)
			stub.Parent.RemoveChild(stub)
		}
	}
}

// find resolves the few forms of selectors that streams use.
func (p *page) find(selector string) *html.Node {
	id, rest := strings.TrimPrefix(selector, "#"), ""
	if i := strings.IndexAny(id, " >"); i >= 0 {
		id, rest = id[:i], id[i:]
	}
	for n := range p.root.Descendants() {
		if attribute(n, "id") != id {
			continue
		}
		switch rest {
		case "":
			return n
		case ">.tail:last-child":
			return n.LastChild
		}
		for d := range n.Descendants() {
			if d.Type == html.ElementNode && d.Data == strings.Trim(rest, " >") {
				return d
			}
		}
	}
	return nil
}

var between = regexp.MustCompile(`\s+(<)|(>)\s+`)

// bubble is a turn's answer as it stands on the page, without white space that
// nobody sees.
func (p *page) bubble(turn int64) string {
	n := p.find(fmt.Sprintf("#t%d", turn))
	if n == nil {
		return ""
	}
	return between.ReplaceAllString(outer(n), "$1$2")
}

// text is what can be read in a turn's answer.
func (p *page) text(turn int64) string {
	var b strings.Builder
	if n := p.find(fmt.Sprintf("#t%d-answer", turn)); n != nil {
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				b.WriteString(d.Data)
			}
		}
	}
	return b.String()
}

func outer(n *html.Node) string {
	var b strings.Builder
	if err := html.Render(&b, n); err != nil {
		return err.Error()
	}
	return b.String()
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
