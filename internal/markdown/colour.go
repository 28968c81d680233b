package markdown

import (
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const (
	// MaxColour is the longest code that is coloured, in bytes; longer code is
	// plain. The lexers do a few hundred KB a second.
	MaxColour = 64 << 10
	// colourTime bounds the lexers' time on one piece of code: their regular
	// expressions backtrack. Past it the code is plain.
	colourTime = 2 * time.Second
	// stepTime is under the time, 250 ms by the clock, after which chroma gives
	// up one match and goes on with other tokens. What a lexer returns after
	// such a step depends on the machine's load and isn't used.
	stepTime = 200 * time.Millisecond
	// colourTries is how often a lexer is tried that was held up by load.
	colourTries = 3
)

// span is a piece of code with the class of its colour, "" for none.
type span struct{ class, text string }

// append writes the span, its text through escape.
func (s span) append(dst []byte, escape func([]byte, string) []byte) []byte {
	if s.class == "" {
		return escape(dst, s.text)
	}
	dst = append(append(append(dst, `<span class="`...), s.class...), `">`...)
	return append(escape(dst, s.text), "</span>"...)
}

// colour splits code into spans whose texts concatenate to exactly the code. A
// lexer that is unknown, too slow, fails, or changes a byte leaves it plain.
func colour(code, lang string) []span {
	plain := []span{{"", code}}
	lexer := lexerOf(lang)
	if lexer == nil || code == "" || len(code) > MaxColour {
		return plain
	}
	tokens, ok := tokenise(lexer, code)
	for limit, tries := time.Now().Add(colourTime), 1; !ok && tries < colourTries && time.Now().Before(limit); tries++ {
		tokens, ok = tokenise(lexer, code)
	}
	if !ok {
		return plain
	}
	var spans []span
	at := 0 // offset of the next token in code
	for _, t := range tokens {
		end := at + len(t.Value)
		if end == len(code)+1 && strings.HasSuffix(t.Value, "\n") && code[at:] == t.Value[:len(t.Value)-1] {
			end, t.Value = end-1, t.Value[:len(t.Value)-1] // a line end that the lexer added
		}
		if end > len(code) || code[at:end] != t.Value {
			return plain
		}
		spans = merge(spans, span{classOf(t.Type), code[at:end]}, code[:end])
		at = end
	}
	if at != len(code) {
		return plain
	}
	return spans
}

// merge appends the span that ends read, into the one before it if that has the
// same colour. White space within a line takes the colour of what precedes it.
func merge(spans []span, s span, read string) []span {
	if s.text == "" {
		return spans
	}
	if n := len(spans); n > 0 {
		last := &spans[n-1]
		blank := s.class == "" && strings.Trim(s.text, " \t") == ""
		if last.class == s.class || blank {
			last.text = read[len(read)-len(s.text)-len(last.text):]
			return spans
		}
	}
	return append(spans, s)
}

// tokenise runs a lexer under its time limits. Lexers panic on their own
// mistakes.
func tokenise(lexer chroma.Lexer, code string) (tokens []chroma.Token, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	it, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return nil, false
	}
	start := time.Now()
	for before := start; ; {
		t := it()
		now := time.Now()
		if now.Sub(before) > stepTime || now.Sub(start) > colourTime {
			return nil, false
		}
		if t == chroma.EOF {
			return tokens, true
		}
		tokens, before = append(tokens, t), now
	}
}

// lexersByName finds lexers by exact name or alias, in lower case. The
// registry's own look-up would go on to match file patterns.
var lexersByName = sync.OnceValue(func() map[string]chroma.Lexer {
	byName := map[string]chroma.Lexer{}
	for _, l := range lexers.GlobalLexerRegistry.Lexers {
		for _, name := range append(l.Config().Aliases, l.Config().Name) {
			byName[strings.ToLower(name)] = l
		}
	}
	return byName
})

func lexerOf(lang string) chroma.Lexer { return lexersByName()[strings.ToLower(lang)] }

// classOf returns the colour class of a token: k keyword, s string, c comment,
// n name that is defined or set, gi and gd lines that a diff adds and removes.
// Few classes keep the style sheet small, and the stream: each span costs 23
// bytes (PERF4).
func classOf(t chroma.TokenType) string {
	switch t {
	case chroma.NameAttribute, chroma.NameTag, chroma.NameClass, chroma.NameDecorator, chroma.NameProperty:
		return "n"
	case chroma.GenericInserted:
		return "gi"
	case chroma.GenericDeleted:
		return "gd"
	case chroma.GenericHeading, chroma.GenericSubheading, chroma.OperatorWord:
		return "k"
	}
	switch {
	case t.InCategory(chroma.Keyword):
		return "k"
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	}
	return ""
}
