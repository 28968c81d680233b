package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	ext "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// FileLink is a link or an image of a Markdown file.
type FileLink struct {
	Dest        string // the address, with escapes and character references resolved
	Description string // the link's text, or the image's description; may be empty
	Around      string // in plain text: the heading above, and the paragraph it stands in
}

// lonely is the length of a paragraph, apart from the description, up to which
// the paragraphs beside it are taken for what the link is about.
const lonely = 40

// FileLinks finds the links and images of a Markdown file, in its order, with the
// text that they stand in. An image that is alone in its paragraph stands in those
// before and after it.
func FileLinks(file string) []FileLink {
	_, body := frontMatter(strings.TrimPrefix(file, "\uFEFF"))
	src := new(cleaner).clean(nil, body+"\n")
	doc := whole.Parse(text.NewReader(src), parser.WithContext(&context{Context: parser.NewContext(), refs: references{}}))
	w := writer{src: src}
	var links []FileLink
	var blocks []string // of text, in plain text
	var at []int        // for each link, its block
	heading, headings := "", []string{}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var dest []byte
		switch n := n.(type) {
		case *ast.Heading:
			heading = string(w.plain(n))
			blocks, headings = append(blocks, heading), append(headings, "")
		case *ast.Paragraph, *ast.TextBlock:
			blocks, headings = append(blocks, string(w.plain(n))), append(headings, heading)
		case *ext.TableRow, *ext.TableHeader:
			row := ""
			for cell := n.FirstChild(); cell != nil; cell = cell.NextSibling() {
				row += string(w.plain(cell)) + " "
			}
			blocks, headings = append(blocks, row), append(headings, heading)
		case *ast.Link:
			dest = n.Destination
		case *ast.Image:
			dest = n.Destination
		}
		if address, ok := destination(dest); ok && len(blocks) > 0 {
			links = append(links, FileLink{Dest: address, Description: strings.Join(strings.Fields(string(w.plain(n))), " ")})
			at = append(at, len(blocks)-1)
		}
		return ast.WalkContinue, nil
	})
	for i := range links {
		block := at[i]
		parts := []string{headings[block], blocks[block]}
		if len(blocks[block])-len(links[i].Description) <= lonely {
			if block > 0 && headings[block-1] == headings[block] {
				parts = []string{headings[block], blocks[block-1], blocks[block]}
			}
			if block+1 < len(blocks) && headings[block+1] == headings[block] {
				parts = append(parts, blocks[block+1])
			}
		}
		links[i].Around = joined(parts)
	}
	return links
}

// joined is what isn't blank, a line each.
func joined(parts []string) string {
	var lines []string
	for _, part := range parts {
		if part = strings.Join(strings.Fields(part), " "); part != "" {
			lines = append(lines, part)
		}
	}
	return strings.Join(lines, "\n")
}
