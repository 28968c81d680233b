package retrieval

import (
	_ "embed"
	"strings"
	"unicode"

	"bor/internal/lexical"
)

//go:embed words/function.txt
var functionText string

//go:embed words/everyday.txt
var everydayText string

//go:embed words/synonyms.txt
var synonymText string

var (
	// functionWords carry grammar or the act of asking, in several languages. The
	// gate passes them over: whether a knowledge base holds them says nothing
	// about what it is about.
	functionWords = termSet(functionText)

	// everydayWords are about anything: to find one says little, and so does it
	// to miss one.
	everydayWords = termSet(everydayText)

	// askingWords say what to do with what is asked for.
	askingWords = termSet("show tell give explain describe")

	// synonyms maps a term to other spellings of it.
	synonyms = synonymGroups()

	// languages has the function words of each language, folded.
	languages = functionWordsByLanguage()
)

// termSet is the set of the words of a list, and of their terms; lines that begin
// with # are headings.
func termSet(text string) map[string]bool {
	set := map[string]bool{}
	for line := range contentLines(text) {
		for _, t := range lexical.Terms(line) {
			set[t.Text] = true
		}
		for _, word := range strings.Fields(line) {
			set[word] = true // a stop word is no term, but an inflection of it is: owns
		}
	}
	return set
}

func synonymGroups() map[string][]string {
	groups := map[string][]string{}
	for line := range contentLines(synonymText) {
		spellings := lexical.Terms(line)
		for _, t := range spellings {
			for _, other := range spellings {
				if other.Text != t.Text {
					groups[t.Text] = append(groups[t.Text], other.Text)
				}
			}
		}
	}
	return groups
}

func contentLines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "#") && !yield(line) {
				return
			}
		}
	}
}

const english, german = "English", "German"

func functionWordsByLanguage() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	language := ""
	for line := range strings.Lines(functionText) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			language = strings.TrimSpace(heading)
			all[language] = map[string]bool{}
			continue
		}
		for _, w := range strings.Fields(line) {
			all[language][w] = true
		}
	}
	return all
}

// languageOf guesses a question's language by its function words, and gives
// those; English when nothing speaks for another one.
func languageOf(question string) (language string, words []string) {
	count := map[string][]string{}
	for _, w := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		for language, set := range languages {
			if set[w] {
				count[language] = append(count[language], w)
			}
		}
	}
	language = english
	for other, words := range count {
		if more := len(words) - len(count[language]); more > 0 || more == 0 && language != english && other < language {
			language = other
		}
	}
	return language, count[language]
}

// speaks tells whether the knowledge base knows most of a question's function
// words, that is, whether it holds text in that language. In a language that it
// doesn't hold, unknown words say nothing.
func speaks(terms []Term, words []string) bool {
	known := map[string]bool{}
	for _, t := range terms {
		known[t.Text] = t.Chunks > 0
	}
	n, all := 0, 0
	for _, w := range words {
		for _, t := range lexical.Terms(w) {
			all++
			if known[t.Text] {
				n++
			}
		}
	}
	return 2*n > all
}
