package agent

import (
	"strings"
	"unicode/utf8"

	"bor/internal/kb"
)

// speech is one kind of what a model says over the rounds of a turn, on its way
// to the sink.
type speech struct {
	all  strings.Builder
	emit func(string) error
	gap  string // to put before this round's first words, if there are earlier ones
	from int    // bytes of all that earlier rounds said
	new  bool   // nothing was said in this round yet
}

// round begins the next round. apart says that readers see the rounds as one
// text, so that a paragraph has to be begun.
func (s *speech) round(apart bool) {
	s.new, s.gap, s.from = true, "", s.all.Len()
	if said := s.all.String(); apart && said != "" {
		s.gap = "\n\n"[:2-min(2, len(said)-len(strings.TrimRight(said, "\n")))]
	}
}

// say passes a piece on. Empty lines at a round's beginning are left out, and
// what PostgreSQL can't store is replaced (DEC26).
func (s *speech) say(piece string) error {
	if s.new {
		piece = strings.TrimLeft(piece, "\r\n")
	}
	if piece == "" {
		return nil
	}
	if s.new {
		piece = s.gap + piece
		s.new = false
	}
	piece = kb.Storable(piece)
	s.all.WriteString(piece)
	return s.emit(piece)
}

// retract forgets what was said in this round, and returns its characters.
func (s *speech) retract() int {
	all := s.all.String()
	s.all.Reset()
	s.all.WriteString(all[:s.from])
	s.new = true
	return utf8.RuneCountInString(all[s.from:])
}
