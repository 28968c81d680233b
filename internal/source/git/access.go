package git

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Access is how remotes are reached.
type Access struct {
	Tokens         []Token
	KeyFile        string // a private key for ssh; empty: none
	KnownHostsFile string // keys of ssh hosts; empty: the machine's own list
	CAFile         string // certificates to trust instead of the machine's; empty: the machine's
	AllowLocal     bool   // repositories on this machine's disk
}

// Token is a credential for https.
type Token struct {
	Place string // host, host:port, or one of these with the beginning of a path
	User  string
	Value string
}

// String keeps a token out of anything that is printed.
func (t Token) String() string { return t.Place + "=…" }

// GoString is String.
func (t Token) GoString() string { return t.String() }

// defaultUser goes with a token that has no user's name. Bitbucket insists on
// this one; the others take any.
const defaultUser = "x-token-auth"

// ParseTokens reads a list of place=token or place=user:token, separated by
// commas. A place is a host, or a host with the beginning of a path. Errors tell
// the position in the list and nothing of the value.
func ParseTokens(list string) ([]Token, error) {
	var tokens []Token
	n := 0
	for entry := range strings.SplitSeq(list, ",") {
		n++
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		place, value, ok := strings.Cut(entry, "=")
		place, value = strings.TrimSpace(place), strings.TrimSpace(value)
		host, rest, _ := strings.Cut(place, "/")
		user, token, named := strings.Cut(value, ":")
		if !named {
			user, token = defaultUser, value
		}
		_, err := parse("https://"+host+"/x", false)
		switch {
		case !ok || place == "" || token == "" || user == "":
			return nil, fmt.Errorf("entry %d of the list is not host=token", n)
		case err != nil || strings.Contains(place, "://"):
			return nil, fmt.Errorf("entry %d of the list doesn't begin with a host, such as git.example.org=token", n)
		case strings.ContainsFunc(value, unicode.IsControl):
			return nil, fmt.Errorf("the token of entry %d of the list has a control character", n)
		}
		place = strings.ToLower(host)
		if rest = strings.TrimSuffix(strings.Trim(rest, "/"), ".git"); rest != "" {
			place += "/" + rest
		}
		if slices.ContainsFunc(tokens, func(t Token) bool { return t.Place == place }) {
			return nil, fmt.Errorf("entry %d of the list names a place that an earlier one has", n)
		}
		tokens = append(tokens, Token{place, user, token})
	}
	return tokens, nil
}

// token is the one for an address: of those whose place holds it, the one with
// the longest.
func (a Access) token(to address) (Token, bool) {
	var best Token
	where := to.host + strings.TrimSuffix(strings.TrimSuffix(to.path, "/"), ".git") + "/"
	for _, t := range a.Tokens {
		if to.scheme == "https" && strings.HasPrefix(where, t.Place+"/") && len(t.Place) > len(best.Place) {
			best = t
		}
	}
	return best, best.Value != ""
}

// secrets are the texts that must not be in any message, the longest first. A
// server may repeat what it was sent.
func (a Access) secrets() []string {
	var all []string
	for _, t := range a.Tokens {
		all = append(all, t.Value, url.QueryEscape(t.Value), url.PathEscape(t.Value), base64.StdEncoding.EncodeToString([]byte(t.User+":"+t.Value)))
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all
}

// answer gives git what it asks for: the user's name or the token for the
// address, and nothing for any other host.
func (t Token) answer(to address, question string) (string, bool) {
	kind, rest, _ := strings.Cut(question, " for '")
	place, ok := strings.CutSuffix(strings.TrimSpace(rest), "':")
	u, err := url.Parse(place)
	if !ok || err != nil || t.Value == "" || u.Scheme != to.scheme || !strings.EqualFold(u.Host, to.host) {
		return "", false
	}
	switch kind {
	case "Username":
		return t.User, true
	case "Password":
		return t.Value, true
	}
	return "", false
}
