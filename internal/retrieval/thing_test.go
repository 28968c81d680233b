package retrieval

import (
	"slices"
	"strings"
	"testing"

	"bor/internal/lexical"
)

func TestNamedThings(t *testing.T) {
	for _, c := range []struct {
		question string
		want     []string
	}{
		{"which port does Jellyfin use?", []string{"Jellyfin"}},
		{"show me gufo.pod", []string{"gufo.pod"}},
		{"what changed in the DNS setup in February?", []string{"DNS"}},
		{"Zeig mir das Quadlet für Jellyfin", nil}, // every German noun has a capital
		{"Zeig mir jellyfin.container", []string{"jellyfin.container"}},
		{"Was bedeutet »PublishPort«?", []string{"PublishPort"}},
		{"why is the sky blue?", nil},
		{strings.Repeat("a.b c.d e.f g.h i.j k.l m.n o.p q.r s.t u.v w.x y.z 1.a 2.b 3.c 4.d 5.e ", 1), strings.Fields("a.b c.d e.f g.h i.j k.l m.n o.p q.r s.t u.v w.x y.z 1.a 2.b 3.c")},
	} {
		language, _ := languageOf(c.question)
		var got []string
		for _, thing := range namedThings(c.question, language) {
			got = append(got, thing.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.question, got)
		}
	}
}

func TestOccurrence(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"where is Jellyfin?", "'jellyfin'"},
		{"show me gufo.pod", "'gufo.pod' | ('gufo' <0> 'pod')"},
		{"what is PublishPort?", "'publishport' | ('publish' <0> 'port')"},
		{"who owns 10.20.10.54?", "'10.20.10.54' | ('10' <0> '20' <0> '10' <0> '54')"},
	} {
		things := lexical.Things(c.question)
		if len(things) != 1 {
			t.Fatalf("%q: %v", c.question, things)
		}
		if got := occurrence(things[0]); got != c.want {
			t.Errorf("%q: %s", c.question, got)
		}
	}
	phrase := lexical.Things("the compose file for Home Assistant")[0]
	if got := occurrence(phrase); got != phrase.Query {
		t.Errorf("a phrase: %s", got)
	}
}

func TestRespelledThings(t *testing.T) {
	known, respelled := map[string]bool{"grafana": true, "home": true}, map[string]bool{"grafna": true, "assistent": true}
	for _, c := range []struct {
		question string
		want     bool
	}{
		{"where is Grafna?", true},
		{"where is Grafana?", false}, // known is looked for, not excused
		{"where is Home Assistent?", true},
		{"where is Home Jellyfin?", false},
		{"where is Jellyfin?", false},
	} {
		if got := isRespelled(lexical.Things(c.question)[0], known, respelled); got != c.want {
			t.Errorf("%q: %v", c.question, got)
		}
	}
}
