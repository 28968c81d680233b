package chunk

import (
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// packer makes chunks of a document's sections.
type packer struct {
	*document
	sections []section
	chunks   []Chunk
}

// pack joins neighbouring sections up to the target, and splits what is over it.
func (p *packer) pack() {
	for i := 0; i < len(p.sections); {
		from := p.sections[i].first
		for i++; i < len(p.sections) && p.joins(from, i); i++ {
		}
		p.split(from, p.end(i-1))
	}
}

// joins reports whether section i goes into one chunk with what is held from a line up to it. What is too small to
// stand alone, such as a title with a line of introduction, also takes a section of rank along, and the start of
// one that must be split anyway.
func (p *packer) joins(from, i int) bool {
	s := p.sections[i]
	small := p.size(from, s.first) < p.TargetChars/4
	if p.size(from, p.end(i)) <= p.TargetChars {
		return small || s.level != 1 && s.level != 2
	}
	return small && p.size(s.first, p.end(i)) > p.TargetChars
}

// end is where a section ends.
func (p *packer) end(i int) int {
	if i+1 < len(p.sections) {
		return p.sections[i+1].first
	}
	return p.lines()
}

// split makes chunks of a range of lines.
func (p *packer) split(from, to int) {
	start, done := from, from // the next chunk's first line, and the first line that is in no chunk yet
	for done < to {
		if p.size(done, done+1) > p.MaxChars {
			p.splitLine(done, done)
			done++
			start = done
			continue
		}
		cut := p.cut(start, done, to)
		if p.bare(start, cut, to) {
			p.splitLine(start, cut)
			done = cut + 1
			start = done
			continue
		}
		p.emit(start, cut, p.slice(start, cut))
		start, done = p.overlap(start, cut, to), cut
	}
}

// cut chooses where a chunk that begins at start ends: after done, which must be in it, and at to at the latest.
// It is the best break in the last three quarters of the target; failing that the end of the block that is cut
// into, when the maximum allows it; failing that any break.
func (p *packer) cut(start, done, to int) int {
	limit := p.reach(start, to, p.TargetChars)
	if limit == to {
		return to
	}
	if limit <= done {
		return done + 1
	}
	floor := p.reach(done, to, p.TargetChars/4-1) + 1
	if i := p.best(floor, limit); i > 0 {
		return i
	}
	if p.breaks[limit] == breakNever {
		for i, end := limit+1, p.reach(start, to, p.MaxChars); i <= end; i++ {
			if i == to || p.breaks[i] > breakNever {
				return i
			}
		}
	}
	return max(done+1, p.best(done+1, min(floor-1, limit)))
}

// reach is the end of the longest range of lines from start, up to to, with at most chars characters.
func (p *packer) reach(start, to, chars int) int {
	return start + sort.Search(to-start, func(n int) bool { return p.size(start, start+n+1) > chars })
}

// best is the highest break between two lines, both included, the last among equals; 0 when there is none.
func (p *packer) best(from, to int) int {
	found, rank := 0, uint8(breakNever)
	for i := to; i >= from; i-- {
		if p.breaks[i] > rank {
			found, rank = i, p.breaks[i]
		}
	}
	return found
}

// overlap is where the chunk after the one from start to done begins: a few lines before done, if a chunk can begin
// there and the lines don't keep the next block from fitting into the target.
func (p *packer) overlap(start, done, to int) int {
	if done == to || p.OverlapChars == 0 {
		return done
	}
	block := done + 1 // the end of the block that comes next
	for most := p.reach(done, to, p.TargetChars); p.breaks[block] == breakNever; block++ {
		if block >= most {
			return done
		}
	}
	next := done
	for i := done - 1; i > start && p.size(i, done) <= p.OverlapChars && p.size(i, block) <= p.TargetChars; i-- {
		if p.breaks[i] > breakNever && !blank(p.slice(i, i+1)) {
			next = i
		}
	}
	return next
}

// bare reports whether a chunk that ends at cut would be next to nothing, as a heading is without its text, because
// the line that follows doesn't fit.
func (p *packer) bare(start, cut, to int) bool {
	return cut < to && p.size(start, cut) < p.TargetChars/8 && p.size(start, cut+1) > p.MaxChars
}

// splitLine makes chunks of a line that is longer than a chunk may be, or doesn't fit to the few lines from start on
// that lead to it: these go with its beginning. The chunks are of about one size. It cuts after white space when there
// is some in the last quarter, else wherever the size falls.
func (p *packer) splitLine(start, i int) {
	chars := p.size(start, i+1)
	for rest, from := p.slice(start, i+1), start; rest != ""; from = i {
		pieces := (chars + p.MaxChars - 1) / p.MaxChars
		size := (chars + pieces - 1) / pieces
		piece := first(rest, size)
		if len(piece) < len(rest) {
			piece = piece[:lastSpace(piece, size/4)]
		}
		p.emit(from, i+1, piece)
		rest = rest[len(piece):]
		chars -= utf8.RuneCountInString(piece)
	}
}

// lastSpace is the offset after the last white space among the last n characters of s, or the length of s.
func lastSpace(s string, n int) int {
	for end := len(s); n > 0; n-- {
		r, size := utf8.DecodeLastRuneInString(s[:end])
		if unicode.IsSpace(r) {
			return end
		}
		end -= size
	}
	return len(s)
}

func (p *packer) emit(from, to int, text string) {
	if blank(text) {
		return
	}
	p.chunks = append(p.chunks, Chunk{
		Position:  len(p.chunks),
		StartLine: from + 1,
		EndLine:   to,
		Heading:   p.heading(from, to),
		Text:      text,
	})
}

// heading names the section that a chunk starts in. When that one has no name, as the text before the first
// heading, it is the first name in the chunk.
func (p *packer) heading(from, to int) string {
	i, found := slices.BinarySearchFunc(p.sections, from, func(s section, line int) int { return s.first - line })
	if !found {
		i--
	}
	for ; i < len(p.sections) && p.sections[i].first < to; i++ {
		if h := p.sections[i].heading; h != "" {
			return h
		}
	}
	return ""
}
