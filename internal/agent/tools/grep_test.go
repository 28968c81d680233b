package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/kb"
)

func TestGrepSaysHowManyMatch(t *testing.T) {
	match := kb.Match{Source: "s", Path: "p", Line: 7, Text: "some text"}
	for name, c := range map[string]struct {
		found      kb.Matches
		text, note string
	}{
		"none":       {kb.Matches{}, "0 of 0. No line contains this text; try a shorter or other one.\n", "no matches"},
		"one":        {kb.Matches{Lines: []kb.Match{match}, Total: 1}, "s/p:7: some text\n1 of 1.\n", "1 match"},
		"more":       {kb.Matches{Lines: []kb.Match{match}, Total: 57}, "s/p:7: some text\n1 of 57. To see others, give a longer pattern or a path.\n", "1 of 57 matches"},
		"many":       {kb.Matches{Lines: []kb.Match{match}, Total: 1000, More: true}, "s/p:7: some text\n1 of 1000+. To see others, give a longer pattern or a path.\n", "1 of 1000+ matches"},
		"two, shown": {kb.Matches{Lines: []kb.Match{match, match}, Total: 2}, "s/p:7: some text\ns/p:7: some text\n2 of 2.\n", "2 matches"},
	} {
		got := matchResult("pat", c.found)
		if got.Text != c.text || got.Note != c.note || got.Read != nil {
			t.Errorf("%s: %q, %q", name, got.Text, got.Note)
		}
		var card agent.GrepCard
		if err := json.Unmarshal(got.Card, &card); err != nil || card.Pattern != "pat" || card.Total != c.found.Total ||
			card.More != c.found.More || len(card.Matches) != len(c.found.Lines) || card.Matches == nil {
			t.Errorf("%s: card %s, %v", name, got.Card, err)
		}
	}
}

func TestGrepFindsWherePathSays(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t, doc("s/a/b", "Port 53\n"), doc("s/a", "port 53\n"), doc("t/c", "PORT 53\n"))
	for arguments, want := range map[string]string{
		`{"pattern":"port 53"}`:                    "s/a:1 s/a/b:1 t/c:1",
		`{"pattern":"port 53","path":null}`:        "s/a:1 s/a/b:1 t/c:1",
		`{"pattern":"port 53","path":"s"}`:         "s/a:1 s/a/b:1",
		"{\"pattern\":\"53\",\"path\":\"`s/a/`\"}": "s/a:1",
		`{"pattern":"53","path":"s/a/"}`:           "s/a/b:1",
		`{"pattern":"53","path":"s/a"}`:            "s/a:1",
	} {
		var places []string
		for line := range strings.Lines(call(t, grep{store}, arguments).Text) {
			if place, _, ok := strings.Cut(line, ": "); ok {
				places = append(places, place)
			}
		}
		if got := strings.Join(places, " "); got != want {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
	for arguments, want := range map[string]string{
		`{"pattern":""}`:                  "is empty",
		`{"pattern":"a\nb"}`:              "line end",
		`{"pattern":"ß5"}`:                "under 3 characters",
		`{"pattern":"port","path":"s/x"}`: `There is no "s/x"`,
		`{"pattern":"port","path":"a/b"}`: "The closest: s/a/b",
		`{"path":"s"}`:                    `"pattern" is missing`,
	} {
		if got := refused(t, grep{store}, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: %s", arguments, got)
		}
	}
}
