package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Expand is the answer's Markdown with each locator fence, whose body never
// counts, replaced by what replace gives for it: Markdown of whole lines, to
// stand at the same place of the same list or quote. It is the text that people
// copy, where the panels' bytes must stand for the model's request. The
// answer's line ends become LF, as in a Stream, so that both see the same fences.
func Expand(answer string, o Options, replace func(n int, asked Fence) string) string {
	c := answerConfig(o)
	if c.fence == nil {
		return answer
	}
	var clean cleaner
	src := clean.flush(clean.clean(nil, answer))
	root := structure.Parse(text.NewReader(src))
	var out strings.Builder
	at, n := 0, 0
	ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		fence, ok := node.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		asked, state := c.classify(fence, src)
		if state != locatorFence {
			return ast.WalkContinue, nil
		}
		start, marker, end := extent(fence, src)
		out.Write(src[at:start])
		first, rest := src[start:marker], continuation(src[start:marker])
		for line := range strings.Lines(replace(n, asked)) {
			out.Write(first)
			out.WriteString(line)
			first = rest
		}
		at, n = end, n+1
		return ast.WalkContinue, nil
	})
	out.Write(src[at:])
	return out.String()
}

// extent is where a fence's first line begins, where on it the fence itself
// does, and where its last line ends.
func extent(fence *ast.FencedCodeBlock, src []byte) (start, marker, end int) {
	info := fence.Info.Segment.Start
	start = bytes.LastIndexByte(src[:info], '\n') + 1
	marker = len(bytes.TrimRight(src[:info], " \t"))
	char := src[marker-1]
	for marker > start && src[marker-1] == char {
		marker--
	}
	length := 0
	for marker+length < len(src) && src[marker+length] == char {
		length++
	}
	end = lineEnd(src, info)
	if lines := fence.Lines(); lines.Len() > 0 {
		end = lineEnd(src, max(lines.At(lines.Len()-1).Stop-1, info))
	}
	next := lineEnd(src, end)
	closing := bytes.TrimSpace(bytes.TrimLeft(src[end:next], " \t>"))
	if len(closing) >= length && len(bytes.Trim(closing, string(char))) == 0 {
		end = next
	}
	return start, marker, end
}

// lineEnd is the offset behind the line that holds the byte at i.
func lineEnd(src []byte, i int) int {
	if n := bytes.IndexByte(src[min(i, len(src)):], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(src)
}

// continuation is what further lines of the same containers begin with: quotes
// are marked on every line, a list item is only indented.
func continuation(first []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, first)
}
