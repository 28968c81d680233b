package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// maxLabel bounds the language name shown in a code block's header, in bytes.
const maxLabel = 40

// codeShell returns what stands before and behind a code block's text. The text
// stands in a code element, so that no parser takes its first line end for the
// one that may follow <pre>.
func (c *config) codeShell(lang string) (head, foot string) {
	return `<div class="code-block"><header><span class="soft mono">` + EscapeText(lang) +
		`</span><span class="actions"><button type="button" class="quiet code-copy">Copy</button></span></header>` +
		`<pre tabindex="0" role="group" aria-label="` + c.codeLabel + `"><code>`, `</code></pre></div>`
}

// language returns the first word of a fence's info string.
func language(n *ast.FencedCodeBlock, src []byte) string {
	lang := appendUnescaped(nil, n.Language(src))
	if len(lang) > maxLabel {
		return ""
	}
	return string(lang)
}

// fenced writes a fenced block: the place of a locator fence, or code.
func (w *writer) fenced(n *ast.FencedCodeBlock) {
	if _, state := w.classify(n, w.src); state == locatorFence {
		w.open(w.slot(w.fences, ""), "")
		w.fences++
		return
	}
	w.code(language(n, w.src), n.Lines())
}

// code writes a code block. Its last line end isn't part of what Copy takes: a
// shell would run a pasted command at once.
func (w *writer) code(lang string, lines *text.Segments) {
	code := segments(lines, w.src)
	if n := len(code); n > 0 && code[n-1] == '\n' {
		code = code[:n-1]
	}
	head, foot := w.codeShell(lang)
	w.open("", "")
	w.out = append(w.out, head...)
	for _, s := range colour(string(code), lang) {
		w.out = s.append(w.out, appendText[string])
	}
	w.out = append(w.out, foot...)
}
