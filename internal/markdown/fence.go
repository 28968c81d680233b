package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// fenceWord is the first word of the info string of a locator fence (V1).
const fenceWord = "bor"

// Fence is a locator fence of an answer: the request for a place in the
// knowledge base, as the model wrote it. Surrounding white space is dropped.
type Fence struct {
	Locator   string // the raw text; look this up first
	Unescaped string // with Markdown's escapes and references resolved; look this up next (DEC9)
}

// Waiting is what stands in a fence's place until the exact text is there (V6).
// A caller whose Options.Fence can't answer at once returns it too.
const Waiting = `<p class="waiting" role="status">Retrieving the exact text…</p>`

// fenceState is what is known about a code fence.
type fenceState int8

const (
	plainFence   fenceState = iota // the model's own code
	bareFence                      // `bor` alone: the first body line will tell
	locatorFence                   // a locator fence; its body is dropped
)

// classify tells what a code fence is. Its body counts as complete up to the
// lines it has now.
func (c *config) classify(n *ast.FencedCodeBlock, src []byte) (Fence, fenceState) {
	if c.fence == nil || n.Info == nil {
		return Fence{}, plainFence
	}
	info := string(n.Info.Segment.Value(src))
	word, rest := info, ""
	if i := strings.IndexAny(info, " \t\v\f"); i >= 0 {
		word, rest = info[:i], strings.TrimSpace(info[i:])
	}
	if word != fenceWord {
		return Fence{}, plainFence
	}
	f := Fence{rest, string(appendUnescaped(nil, []byte(rest)))}
	if rest == "" {
		lines := n.Lines()
		if lines.Len() == 0 {
			return Fence{}, bareFence
		}
		first := lines.At(0)
		body := strings.TrimSpace(string(first.Value(src)))
		f = Fence{body, body}
	}
	if c.isLocator(f.Locator) || c.isLocator(f.Unescaped) {
		return f, locatorFence
	}
	return Fence{}, plainFence
}

// fenceID is the id of the n-th fence's place.
func (c *config) fenceID(n int) string { return c.prefix + "f" + strconv.Itoa(n) }

// slot is the n-th fence's place with the given content. An empty one, in the
// HTML of a Replace, stands for the element that the page already has.
func (c *config) slot(n int, content string) string {
	return `<div class="fence-slot" id="` + c.fenceID(n) + `">` + content + `</div>`
}
