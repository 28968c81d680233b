package markdown

import (
	"strings"
)

// Kind says what an Op does to the page.
type Kind uint8

const (
	Open   Kind = iota + 1 // append HTML, a new block, to the answer's element; Target is empty
	Append                 // append HTML to the element Target
	Fill                   // make HTML the content of the element Target
	Remove                 // take the element Target away
)

// Op is one change of the page. Target is a CSS selector that matches exactly
// one element, and it does so before the first op of the same list is applied:
// htmx looks up all targets of a message first.
type Op struct {
	Kind   Kind
	Target string
	HTML   string
}

// takeOps returns the changes since the last call.
func (s *Stream) takeOps() []Op {
	if s.open != nil {
		s.flush(s.open)
	}
	ops := s.ops
	s.ops = nil
	return ops
}

// flush brings the page up to date with what the open block shows.
func (s *Stream) flush(o *openBlock) {
	switch {
	case len(o.inner) == 0:
		return
	case !o.sent:
		s.add(Open, "", s.wrap(o.id, s.fill(o.html(), s.at.fences, false)))
		o.sent = true
	default:
		if len(o.text) > 0 {
			s.add(Append, o.textTarget, string(o.text))
		}
		if len(o.more) > 0 {
			if !o.onPage {
				o.more = append(o.more, o.foot...)
			}
			s.add(Append, "#"+o.id, s.fill(string(o.more), s.placed, false))
		}
	}
	o.text, o.more, o.onPage, o.noteOnPage = o.text[:0], o.more[:0], true, o.waiting
}

func (s *Stream) add(kind Kind, target, html string) {
	s.ops = append(s.ops, Op{kind, target, html})
}

// wrap puts a block's HTML into its element.
func (s *Stream) wrap(id, html string) string {
	return `<div class="block" id="` + id + `">` + html + `</div>`
}

// fill puts the fences' HTML into their slots, from fence n on: into all of
// them, or into those that the page doesn't have yet. Slots are found by their
// whole start tag, which no content can contain: there it is escaped.
func (s *Stream) fill(html string, n int, all bool) string {
	var b strings.Builder
	for ; n < len(s.fences); n++ {
		before, after, found := strings.Cut(html, s.slot(n, ""))
		if !found {
			break
		}
		b.WriteString(before)
		content := ""
		if all || n >= s.placed {
			content = s.fence(n, s.fences[n])
		}
		if !all {
			s.placed = max(s.placed, n+1)
		}
		b.WriteString(s.slot(n, content))
		html = after
	}
	b.WriteString(html)
	return b.String()
}
