package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds that keep parsing linear for every input. goldmark's inline parser is
// quadratic in one paragraph ("[a](" again and again), its block parser in the
// nesting depth, and a table row is filled up to the header's width. They bound
// the depth of the syntax tree too, which is walked by recursion.
const (
	// maxInline is the longest paragraph, heading or table line, in bytes,
	// whose inline syntax is parsed; a longer one is shown as plain text.
	maxInline = 8 << 10
	// maxDepth is the deepest nesting of lists, list items and quotes.
	maxDepth = 40
	// maxTags is the deepest nesting of HTML elements that is written.
	maxTags = 120
)

// setext is the parser of underlined headings, known by identity because it is
// the only one that takes lines of the block before it.
var setext = parser.NewSetextHeadingParser()

// structure parses blocks only; whole parses the inline content too. Both see
// the same blocks. No attributes, no footnotes, no automatic heading ids.
var structure, whole = newParser(), newParser(
	parser.WithInlineParsers(parser.DefaultInlineParsers()...),
	parser.WithInlineParsers(
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewLinkifyParser(), 999),
	),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

func newParser(inline ...parser.Option) parser.Parser {
	return parser.NewParser(append(inline,
		parser.WithBlockParsers(
			util.Prioritized(setext, 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(nested{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(shortLine{parser.NewATXHeadingParser()}, 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(nested{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
			util.Prioritized(boundedTable{extension.NewTableParagraphTransformer()}, 200),
			util.Prioritized(plainParagraph{}, 300),
		),
	)...)
}

// nested opens a container only down to maxDepth.
type nested struct{ parser.BlockParser }

func (p nested) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	// Inside a list the list parser only clears a flag; it must always run.
	if _, inList := parent.(*ast.List); !inList {
		depth := 0
		for n := parent; n != nil; n = n.Parent() {
			if depth++; depth > maxDepth {
				return nil, parser.NoChildren
			}
		}
	}
	return p.BlockParser.Open(parent, r, pc)
}

// shortLine opens a block only on a line of at most maxInline bytes.
type shortLine struct{ parser.BlockParser }

func (p shortLine) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if line, _ := r.PeekLine(); len(line) > maxInline {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, r, pc)
}

// boundedTable makes a table of a paragraph unless a line is too long or the
// table would have more cells than the paragraph has bytes.
type boundedTable struct{ parser.ParagraphTransformer }

func (t boundedTable) Transform(p *ast.Paragraph, r text.Reader, pc parser.Context) {
	size, columns, lines := 0, 0, p.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		if line.Len() > maxInline {
			return
		}
		size += line.Len()
		columns = max(columns, 1+bytes.Count(r.Source()[line.Start:line.Stop], []byte("|")))
	}
	if columns*lines.Len() <= size+1000 {
		t.ParagraphTransformer.Transform(p, r, pc)
	}
}

// plainText is a paragraph too long for its inline syntax to be parsed.
type plainText struct{ ast.BaseBlock }

var kindPlainText = ast.NewNodeKind("PlainText")

func (*plainText) Kind() ast.NodeKind         { return kindPlainText }
func (*plainText) IsRaw() bool                { return true }
func (p *plainText) Dump(src []byte, lvl int) { ast.DumpHelper(p, src, lvl, nil, nil) }

// plainParagraph replaces a paragraph over maxInline by plainText.
type plainParagraph struct{}

func (plainParagraph) Transform(p *ast.Paragraph, _ text.Reader, _ parser.Context) {
	size, lines := 0, p.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		size += line.Len()
	}
	if size > maxInline {
		plain := &plainText{}
		plain.SetLines(lines)
		p.Parent().ReplaceChild(p.Parent(), p, plain)
	}
}

// references are the link definitions of one text. The first of a label wins,
// wherever in the text it stands.
type references map[string]parser.Reference

// context lets the blocks of one text, parsed one after the other, share its
// link definitions. It notes which labels were asked for in vain.
type context struct {
	parser.Context
	refs   references
	missed []string
}

func (c *context) AddReference(r parser.Reference) {
	key := util.ToLinkReference(r.Label())
	if _, ok := c.refs[key]; !ok {
		c.refs[key] = r
	}
}

func (c *context) Reference(label string) (parser.Reference, bool) {
	r, ok := c.refs[label]
	if !ok {
		c.missed = append(c.missed, label)
	}
	return r, ok
}
