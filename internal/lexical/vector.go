package lexical

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// PostgreSQL's bounds of a tsvector: positions count to 16383, a lexeme has 255
// of them.
const (
	maxPosition  = 16383
	maxPositions = 255
)

// Term is one entry of a text's index.
type Term struct {
	Text      string
	Positions []int // of its tokens, counted from 1, rising; function words count
}

// Terms gives the distinct terms of text in the order in which they first occur.
func Terms(text string) []Term {
	var list []Term
	place := map[string]int{}
	words(text, 1, func(term string, position int) {
		i, known := place[term]
		if !known {
			i = len(list)
			place[term] = i
			list = append(list, Term{Text: term})
		}
		list[i].add(position)
	})
	return list
}

func (t *Term) add(position int) {
	if n := len(t.Positions); n == 0 || t.Positions[n-1] != position {
		t.Positions = append(t.Positions, position)
	}
}

// words calls yield for every term of text. The first token has the position
// first; the position after the last token is returned.
func words(text string, first int, yield func(term string, position int)) (next int) {
	var buffer []string
	tokens(text, func(t token) {
		buffer = t.terms(buffer[:0])
		for _, term := range buffer {
			yield(term, first)
		}
		first++
	})
	return first
}

// Chunk is what a chunk is found by.
type Chunk struct {
	Title   string // of its document
	Path    string // of its document, inside the source
	Heading string // nearest above it
	Text    string
}

// Index is a chunk's side of the lexical index.
type Index struct {
	Vector string   // text of a tsvector
	Terms  []string // its lexemes, sorted
	Length int      // number of words in Chunk.Text, for BM25
}

// NewIndex tokenises a chunk. The fields come first, so that they keep their
// positions in a chunk with more words than PostgreSQL counts.
func NewIndex(c Chunk) Index {
	list := map[string]*Term{}
	position := 1
	put := func(text string) {
		position = words(text, position, func(term string, at int) {
			if list[term] == nil {
				list[term] = &Term{Text: term}
			}
			list[term].add(min(at, maxPosition))
		})
	}
	file := c.Path[strings.LastIndexByte(c.Path, '/')+1:]
	for _, field := range []string{c.Title, c.Title, c.Path, file, c.Heading} {
		put(field)
	}
	before := position
	put(c.Text)
	names := slices.Sorted(maps.Keys(list))
	return Index{Vector: vector(names, list), Terms: names, Length: position - before}
}

// vector writes the text of a tsvector.
func vector(names []string, terms map[string]*Term) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(Quote(name))
		positions := terms[name].Positions
		for j, p := range positions[:min(len(positions), maxPositions)] {
			b.WriteByte(":,"[min(j, 1)])
			b.WriteString(strconv.Itoa(p))
		}
	}
	return b.String()
}

// Query is the text of a tsquery that matches a chunk with any of the terms. It
// is empty without terms, and then matches nothing.
func Query(terms []Term) string {
	quoted := make([]string, len(terms))
	for i, t := range terms {
		quoted[i] = Quote(t.Text)
	}
	return strings.Join(quoted, " | ")
}

// Quote writes a term as a lexeme of a tsvector or tsquery.
func Quote(term string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(term) + "'"
}
