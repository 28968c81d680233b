package turnview

import (
	"context"
	"strings"

	"github.com/a-h/templ"

	"bor/internal/markdown"
)

// render is a component's HTML. Rendering into memory can't fail but for a bug in
// the component.
func render(c templ.Component) string {
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		panic(err)
	}
	return b.String()
}

// How a fragment enters the page: htmx's names.
const (
	swapAppend  = "beforeend"
	swapInside  = "innerHTML"
	swapReplace = "outerHTML"
	swapDelete  = "delete"

	// These two keep what stands in the HTML as a stub (DEC2).
	swapMorph       = "outerMorph"
	swapMorphInside = "innerMorph"
)

// partial frames HTML for one place of the page. It is htmx's hx-partial but for
// one thing: the place is looked for when its turn comes, and not before the whole
// message is swapped in, so that a part may aim into one before it. static/app.js
// tells htmx how. The frame is the only markup of htmx in a stream; the content
// carries none (DEC5).
func partial(b *strings.Builder, target, swap, html string) {
	b.WriteString(`<hx-part to="`)
	b.WriteString(templ.EscapeString(target))
	b.WriteString(`" as="`)
	b.WriteString(swap)
	b.WriteString(`">`)
	b.WriteString(strings.ReplaceAll(html, "\r", "&#13;")) // a raw one would end the message's line
	b.WriteString("</hx-part>\n")
}

// apply frames a change of the answer. A block whose content comes again with an
// empty place for a panel keeps the panel that is on the page.
func apply(b *strings.Builder, answer string, op markdown.Op) {
	switch op.Kind {
	case markdown.Open:
		partial(b, answer, swapAppend, op.HTML)
	case markdown.Append:
		partial(b, op.Target, swapAppend, op.HTML)
	case markdown.Remove:
		partial(b, op.Target, swapDelete, "")
	case markdown.Fill:
		if keepsPanel(op.HTML) {
			partial(b, op.Target, swapMorphInside, op.HTML)
		} else {
			partial(b, op.Target, swapInside, op.HTML)
		}
	}
}

// keepsPanel tells whether a block's HTML has an empty place for a fence.
func keepsPanel(html string) bool {
	for rest := html; ; {
		_, after, found := strings.Cut(rest, `<div class="fence-slot" id="`)
		if !found {
			return false
		}
		if _, after, _ = strings.Cut(after, `">`); strings.HasPrefix(after, "</div>") {
			return true
		}
		rest = after
	}
}
