package retrieval

import (
	"slices"
	"strings"
	"testing"
)

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"", english},
		{"gufo.container", english},
		{"which port does the DNS sit on?", english},
		{"show me gufo", english},
		{"Zeig mir Größe und Maße", german},
		{"Wie lange läuft der Akku?", german},
		{"Montre-moi le fichier de sauvegarde", "French"},
		{"¿Dónde está la copia de seguridad?", "Spanish"},
		{"Dove sono i backup della settimana?", "Italian"},
		{"Waar staat het wachtwoord?", "Dutch"},
		{"Onde está a cópia de segurança?", "Portuguese"},
	} {
		if got, _ := languageOf(c.question); got != c.want {
			t.Errorf("%q: %s", c.question, got)
		}
	}
}

func TestSpeaks(t *testing.T) {
	_, words := languageOf("Wie lange läuft der Akku und das Netzteil?")
	terms := []Term{{Text: "wie"}, {Text: "der", Chunks: 3}, {Text: "und", Chunks: 4}, {Text: "das", Chunks: 5}}
	if !speaks(terms, words) {
		t.Errorf("%v of %v are known", terms, words)
	}
	terms[1].Chunks, terms[2].Chunks = 0, 0
	if speaks(terms, words) {
		t.Error("most are unknown")
	}
}

func TestWordLists(t *testing.T) {
	for _, w := range []string{"show", "zeig", "wher", "der"} {
		if known := functionWords[w]; known == (w == "wher") {
			t.Errorf("function word %s: %v", w, known)
		}
	}
	for _, heading := range []string{"english", "german", "groups"} {
		if functionWords[heading] || len(synonyms[heading]) > 0 {
			t.Errorf("the heading %s is taken for a word", heading)
		}
	}
	if got := synonyms["db"]; !slices.Equal(got, []string{"databas"}) {
		t.Errorf("db: %v", got)
	}
	if canonical("db") != canonical("databas") || canonical("gufo") != "gufo" {
		t.Error("canonical spellings")
	}
	// Both lists would make a word weigh what the first check says.
	for w := range everydayWords {
		for _, other := range synonyms[w] {
			if functionWords[other] {
				t.Errorf("%s means the function word %s", w, other)
			}
		}
	}
	for line := range strings.Lines(everydayText) {
		if strings.ToLower(line) != line {
			t.Errorf("everyday words are written small: %s", line)
		}
	}
}
