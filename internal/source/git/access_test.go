package git

import (
	"fmt"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	tokens, err := ParseTokens(" Git.Example.org=tok=1 , example.org:8443/Team/=me:tok2,, example.org:8443=tok3, example.org:8443/Team/One.git=a:b:c ")
	if err != nil {
		t.Fatal(err)
	}
	a := Access{Tokens: tokens}
	for url, want := range map[string]Token{
		"https://git.example.org/x":              {"git.example.org", defaultUser, "tok=1"},
		"https://GIT.example.org/x":              {"git.example.org", defaultUser, "tok=1"},
		"https://example.org:8443/other":         {"example.org:8443", defaultUser, "tok3"},
		"https://example.org:8443/Team/two.git":  {"example.org:8443/Team", "me", "tok2"},
		"https://example.org:8443/Teams/two.git": {"example.org:8443", defaultUser, "tok3"},
		"https://example.org:8443/Team/One":      {"example.org:8443/Team/One", "a", "b:c"},
		"https://example.org:8443/Team/One.git/": {"example.org:8443/Team/One", "a", "b:c"},
		"https://example.org/Team/two.git":       {},
		"https://git.example.org.evil.test/x":    {},
		"https://evil.test/git.example.org/x":    {},
		"ssh://git@git.example.org/x":            {},
		"git@git.example.org:x":                  {},
	} {
		to, err := parse(url, false)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := a.token(to); got != want || ok != (want.Value != "") {
			t.Errorf("%s gets %s for %s (%v)", url, got.Value, got.Place, ok)
		}
	}
	if tokens, err := ParseTokens(""); len(tokens) != 0 || err != nil {
		t.Error(tokens, err)
	}
	if shown := fmt.Sprintf("%v %+v %#v %s", a, a, tokens, tokens[0]); strings.Contains(shown, "tok") {
		t.Errorf("printed: %s", shown)
	}
}

func TestTokensThatAreRefused(t *testing.T) {
	for list, words := range map[string]string{
		"example.org":               "entry 1",
		"a.org=x,=secret":           "entry 2",
		"a.org=x,b.org=":            "entry 2",
		"a.org=:secret":             "entry 1",
		"a.org=me:":                 "entry 1",
		"https://a.org=secret":      "begin with a host",
		"-o=secret":                 "begin with a host",
		"a.org=sec\nret":            "control character",
		"a.org=secret,A.org=secret": "entry 2",
		"me:secret@a.org=secret":    "begin with a host",
	} {
		_, err := ParseTokens(list)
		if err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", list, err)
		}
	}
}

func TestAnswersAreForOneHost(t *testing.T) {
	to, _ := parse("https://git.example.org:8443/x", false)
	token := Token{"git.example.org:8443", "me", "secret"}
	for question, want := range map[string]string{
		"Username for 'https://git.example.org:8443': ":       "me",
		"Password for 'https://me@git.example.org:8443': ":    "secret",
		"Password for 'https://me@GIT.example.org:8443': ":    "secret",
		"Password for 'https://me@git.example.org': ":         "",
		"Password for 'https://me@evil.test': ":               "",
		"Password for 'http://me@git.example.org:8443': ":     "",
		"Password for 'https://git.example.org:8443@evil/': ": "",
		"Enter passphrase for key '/k': ":                     "",
		"Password for 'https://%zz': ":                        "",
		"":                                                    "",
	} {
		if got, ok := token.answer(to, question); got != want || ok != (want != "") {
			t.Errorf("%q is answered %q", question, got)
		}
	}
}
