package kb

import "strings"

// grepBlockBytes is the size at which a block of folded text ends: small enough
// that a hit points near its line, big enough that the index stays small.
const grepBlockBytes = 8 << 10

// GrepBlock is a run of whole lines, folded: the unit of the grep index (DEC22).
type GrepBlock struct {
	FirstLine int
	Folded    string
}

// GrepBlocks cuts a document's text into the blocks that Grep searches. A line
// longer than a block has a block of its own, whatever its length.
func GrepBlocks(text string) []GrepBlock {
	var blocks []GrepBlock
	lines := SplitLines(text)
	first, size := 1, 0
	flush := func(last int) {
		if size > 0 {
			blocks = append(blocks, GrepBlock{FirstLine: first, Folded: Fold(lines.Slice(first, last))})
		}
		first, size = last+1, 0
	}
	for n := 1; n <= lines.Count(); n++ {
		length := len(lines.Line(n))
		if size+length > grepBlockBytes {
			flush(n - 1)
		}
		size += length
	}
	flush(lines.Count())
	return blocks
}

// likePattern matches folded text that contains the folded pattern, and nothing
// in the pattern is special.
func likePattern(folded string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(folded) + "%"
}
