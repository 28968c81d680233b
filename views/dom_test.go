package views

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// render is a component's HTML.
func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// dom is a component as a browser would build it. Fragments get a page around.
func dom(t *testing.T, c templ.Component) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(render(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func all(root *html.Node, match func(*html.Node) bool) (found []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && match(n) {
			found = append(found, n)
		}
	}
	return found
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func byID(t *testing.T, root *html.Node, id string) *html.Node {
	t.Helper()
	found := all(root, func(n *html.Node) bool { return attr(n, "id") == id })
	if len(found) != 1 {
		t.Fatalf("%d elements with id %q, want 1", len(found), id)
	}
	return found[0]
}

func byClass(root *html.Node, class string) []*html.Node {
	return all(root, func(n *html.Node) bool { return slices.Contains(strings.Fields(attr(n, "class")), class) })
}

func byTag(root *html.Node, tag string) []*html.Node {
	return all(root, func(n *html.Node) bool { return n.Data == tag })
}

// text is an element's textContent.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// words is what can be read in an element: its text, apart where elements are
// apart, with single spaces.
func words(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := range n.ChildNodes() {
			apart := c.Type == html.ElementNode && c.Data != "wbr" && c.Data != "bdi"
			if c.Type == html.TextNode {
				b.WriteString(c.Data)
			}
			if apart {
				b.WriteString(" ")
			}
			walk(c)
			if apart {
				b.WriteString(" ")
			}
		}
	}
	walk(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

// fill puts value into every string of a model, however deep, and makes one
// element of every slice and pointer. SafeHTML is left out: it is HTML already.
func fill(v reflect.Value, value string) {
	switch v.Kind() {
	case reflect.String:
		switch v.Interface().(type) {
		case SafeHTML:
			v.SetString("<p>rendered</p>")
		case TurnState:
		default:
			v.SetString(value)
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), value)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), value)
		}
	}
}

func filled[T any](value string) T {
	var m T
	fill(reflect.ValueOf(&m).Elem(), value)
	return m
}
