package lexical

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Thing is something that a question names: an identifier, or a capitalised or
// quoted phrase (DEC24). A question that names a thing which the knowledge base
// doesn't hold can't be answered from it, however near the rest is.
type Thing struct {
	Text  string // as written
	Terms []Term // of Text; never empty
	Query string // text of a tsquery that matches the chunks where it occurs

	// Weak marks what only may be a name: a capitalised first word of a sentence,
	// lower-case words with a hyphen or slash (read-only, and/or), and what people
	// call formats and parts of machines (JSON, CPU). That it occurs nowhere is
	// no reason to deflect by itself.
	Weak bool
}

// Things finds the things that a question names, in order, each once. Capitals
// say nothing in a question without small letters or with most of its words
// capitalised; then only identifiers and quotations are things. A language that
// capitalises all nouns can't be told from names.
func Things(question string) []Thing {
	var f finder
	quoted := quotations(question)
	for _, q := range quoted {
		f.add(question[q.start:q.end], false)
	}
	words := sentences(question, quoted)
	capitals := meaningful(words)
	for i := 0; i < len(words); {
		w := words[i]
		switch {
		case isIdentifier(w.text) && w.kind() != plainWord:
			f.add(w.text, w.kind() == compoundWord)
			i++
		case capitals && w.named():
			n := phrase(words[i:])
			last := words[i+n-1]
			end := last.start + len(possessor(last.text))
			f.add(question[w.start:end], w.first || n == 1 && generic[fold(w.text)])
			if w.first && n > 1 { // Backup Gufo: the capital of the second word isn't the sentence's
				f.add(question[words[i+1].start:end], n == 2 && generic[fold(last.text)])
			}
			i += n
		default:
			i++
		}
	}
	return f.things
}

// finder collects things without repeating one.
type finder struct {
	things []Thing
	seen   map[string]bool
}

func (f *finder) add(text string, weak bool) {
	text = strings.TrimSpace(text)
	terms := Terms(text)
	query := occurrence(text, terms)
	if len(terms) == 0 || f.seen[query] {
		return
	}
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	f.seen[query] = true
	f.things = append(f.things, Thing{Text: text, Terms: terms, Query: query, Weak: weak})
}

// occurrence is a tsquery for a thing. One token is there whole, or in parts
// that all stand in one chunk. Several are there in the order and distance in
// which they were written, or all at one place, where an identifier has its
// parts, or as a compound: Home Assistant, home-assistant, homeassistant.
func occurrence(text string, terms []Term) string {
	at := map[int]string{} // what stands for the token
	for _, t := range terms {
		for _, p := range t.Positions {
			if at[p] == "" {
				at[p] = Quote(t.Text)
			}
		}
	}
	places := slices.Sorted(maps.Keys(at))
	switch len(places) {
	case 0:
		return ""
	case 1:
		query := at[places[0]]
		if parts := leaves(text); len(parts) > 1 {
			query += " | (" + strings.Join(parts[:min(len(parts), maxParts)], " & ") + ")"
		}
		return query
	}
	near, here := at[places[0]], at[places[0]]
	for i, p := range places[1:] {
		near += " <" + strconv.Itoa(p-places[i]) + "> " + at[p]
		here += " <0> " + at[p]
	}
	compound := ""
	tokens(text, func(t token) { compound += strings.Join(split(withoutApostrophe(t.text), connectors), "") })
	return "(" + near + ") | (" + here + ") | " + Quote(fold(compound))
}

// maxParts bounds how many parts of a thing are looked for together; nothing
// that people name has more.
const maxParts = 12

// leaves are the smallest parts of an identifier, quoted, except single characters.
func leaves(text string) (quoted []string) {
	for _, piece := range split(text, connectors+" ") {
		for _, part := range humps(withoutApostrophe(piece)) {
			if !letter(part) {
				for _, term := range word(part, nil) {
					quoted = append(quoted, Quote(term))
				}
			}
		}
	}
	return quoted
}

// spokenWord is a word of a question and how it stands there.
type spokenWord struct {
	token
	first  bool // of a sentence
	joined bool // with the word before it, by white space alone
	quoted bool
}

// named tells whether the word's capital makes it a name.
func (w spokenWord) named() bool {
	r, _ := utf8.DecodeRuneInString(w.text)
	f := fold(withoutApostrophe(w.text))
	return unicode.IsUpper(r) && !w.quoted && !stopWords[f] && !(w.first && openers[f])
}

// Kinds of tokens with inner structure.
const (
	plainWord      = iota // no name: a number, a version, 24/7
	compoundWord          // lower-case words joined by hyphens or slashes
	identifierWord        // anything else: a file, a setting, an address
)

func (w spokenWord) kind() int {
	s := withoutApostrophe(w.text)
	switch {
	case w.quoted:
		return plainWord
	case strings.Trim(s, "0123456789.:-/+=x%") == "" && strings.Count(s, ".") != 3:
		return plainWord
	case strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-/") == "":
		return compoundWord
	case abbreviations[fold(s)]:
		return plainWord
	}
	return identifierWord
}

// sentences parts a question into words with what their capitals mean.
func sentences(question string, quoted []span) []spokenWord {
	var words []spokenWord
	end := 0
	tokens(question, func(t token) {
		gap := question[end:t.start]
		w := spokenWord{token: t, first: end == 0 || strings.ContainsAny(gap, ".!?:;\n"), joined: end > 0 && strings.TrimSpace(gap) == "" && !strings.Contains(gap, "\n")}
		for _, q := range quoted {
			w.quoted = w.quoted || q.start <= t.start && t.start < q.end
		}
		words = append(words, w)
		end = t.start + len(t.text)
	})
	return words
}

// meaningful tells whether capitals in the question mark names.
func meaningful(words []spokenWord) bool {
	capital, small := 0, 0
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w.text); unicode.IsUpper(r) && !w.first {
			capital++
		} else if unicode.IsLower(r) {
			small++
		}
	}
	return small > 0 && (capital < 4 || capital < 2*small)
}

// phrase is how many words from the first on make one name: Home Assistant.
func phrase(words []spokenWord) int {
	n := 1
	for n < min(len(words), maxParts) && words[n].joined && words[n].named() && !isIdentifier(words[n].text) && possessor(words[n-1].text) == words[n-1].text {
		n++
	}
	return n
}

// possessor is a name without its genitive: Gufo's is Gufo.
func possessor(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
}

// maxQuotation bounds what is between two marks, in bytes.
const maxQuotation = 300

// span is a range of bytes.
type span struct{ start, end int }

// quotations finds what stands between quotation marks, back-quotes included,
// without the marks. A mark without a partner quotes nothing.
func quotations(text string) (spans []span) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		closing, ok := quotes[r]
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if !ok || i > 0 && wordRune(before) { // an apostrophe, an inch
			i += size
			continue
		}
		inside := text[i+size : min(len(text), i+size+maxQuotation)]
		n := strings.IndexAny(inside, closing)
		if n <= 0 || strings.Contains(inside[:n], "\n") {
			i += size
			continue
		}
		spans = append(spans, span{i + size, i + size + n})
		_, closed := utf8.DecodeRuneInString(text[i+size+n:])
		i += size + n + closed
	}
	return spans
}

var quotes = map[rune]string{'"': `"`, '`': "`", '\'': `'`, '“': "”“", '„': "“”", '«': "»", '‘': "’"}

// openers begin questions and orders; capitalised there, they name nothing.
var openers = set(`
	show list tell give find get explain describe compare print display open read search look check help need want
	summarize summarise write make create add remove delete set use run start stop restart install configure change
	update upgrade move copy enable disable fix say name count quote paste dump see know remember try any
	hi hello hey thanks thank ok okay yes sorry
`)

// generic are capitalised words that name a kind of thing and not a thing.
var generic = set(`
	json yaml yml toml ini csv xml html css sql pdf svg png markdown md
	url urls uri api apis http https ip ips id ids os cpu cpus gpu ram ssd hdd pc pcs vm vms ui cli gui faq todo
	linux unix english internet
	monday tuesday wednesday thursday friday saturday sunday
	january february march april may june july august september october november december
`)

// abbreviations look like identifiers and name nothing.
var abbreviations = set(`e.g i.e a.m p.m etc. vs. n/a w/o i/o`)
