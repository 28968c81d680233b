package retrieval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"bor/internal/lexical"
)

// maxThings bounds how many things of a question are looked for.
const maxThings = 16

// namedThings are the things that the question names for sure. In German every
// noun has a capital, so that it names nothing.
func namedThings(question, language string) []lexical.Thing {
	things := lexical.Things(question)
	if language == german {
		for i, t := range things {
			things[i].Weak = t.Weak || isCapitalised(t.Text)
		}
	}
	things = slices.DeleteFunc(things, func(t lexical.Thing) bool { return t.Weak })
	return things[:min(len(things), maxThings)]
}

// isCapitalised tells whether a text is words with capitals, and no identifier.
func isCapitalised(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first) && !strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !unicode.IsLetter(r) })
}

// missingThings are those that occur in no text, path or title, whole or in
// parts that stand together, and that aren't another spelling of something that
// does (DEC24).
func (s *Searcher) missingThings(ctx context.Context, things []lexical.Thing, terms []Term) (missing []string, err error) {
	known, respelled := map[string]bool{}, map[string]bool{}
	for _, t := range terms {
		if t.Chunks > 0 {
			known[t.Text] = true
			respelled[t.For] = true
		}
	}
	for _, thing := range things {
		if isRespelled(thing, known, respelled) {
			continue
		}
		n, err := s.db.CountChunks(ctx, occurrence(thing))
		if err != nil {
			return nil, fmt.Errorf("looking for what the question names: %w", err)
		}
		if n == 0 {
			missing = append(missing, thing.Text)
		}
	}
	return missing, nil
}

// occurrence is a tsquery for the chunks where a thing occurs. An identifier is
// there whole, or within a longer one that has all its parts: a token's parts
// share its position. That they stand somewhere in one chunk isn't enough:
// gufo.pod isn't there because a chunk speaks of gufo and of a pod.
func occurrence(thing lexical.Thing) string {
	place := thing.Terms[0].Positions[0]
	for _, t := range thing.Terms {
		if len(t.Positions) != 1 || t.Positions[0] != place {
			return thing.Query
		}
	}
	query := lexical.Quote(thing.Terms[0].Text)
	var parts []string
	for _, part := range leaves(thing.Text) {
		parts = append(parts, lexical.Quote(part))
	}
	if len(parts) > 1 {
		query += " | (" + strings.Join(parts, " <0> ") + ")"
	}
	return query
}

// isRespelled tells whether each word of a thing is known or another spelling of
// a known one, and some are the latter.
func isRespelled(thing lexical.Thing, known, respelled map[string]bool) bool {
	seen := map[int]bool{}
	any := false
	for _, t := range thing.Terms {
		for _, place := range t.Positions {
			if seen[place] {
				continue // the first term at a place is the whole word
			}
			seen[place] = true
			if !known[t.Text] && !respelled[t.Text] {
				return false
			}
			any = any || !known[t.Text]
		}
	}
	return any
}
