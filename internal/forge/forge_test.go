package forge

import (
	"net/url"
	"strings"
	"testing"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

func TestLinks(t *testing.T) {
	hosts, err := ParseHosts("code.example.org=forgejo, git.example.org:8443=gitlab, lab.example.org=none,[2001:db8::1]=gitea,scm.example.org=bitbucket-server")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		remote, path string
		first, last  int
		want         string
	}{
		{"https://github.com/owner/notes.git", "ops/a.yml", 0, 0, "https://github.com/owner/notes/blob/COMMIT/ops/a.yml"},
		{"https://github.com/owner/notes", "ops/a.yml", 12, 40, "https://github.com/owner/notes/blob/COMMIT/ops/a.yml#L12-L40"},
		{"git@github.com:owner/notes.git", "a.yml", 12, 12, "https://github.com/owner/notes/blob/COMMIT/a.yml#L12"},
		{"git@github.com:owner/notes.git", "a.yml", 12, 0, "https://github.com/owner/notes/blob/COMMIT/a.yml#L12"},
		{"ssh://git@ssh.github.com:443/owner/notes.git", "README.md", 3, 4, "https://github.com/owner/notes/blob/COMMIT/README.md?plain=1#L3-L4"},
		{"https://github.com/owner/notes", "README.md", 0, 9, "https://github.com/owner/notes/blob/COMMIT/README.md"},
		{"https://github.example.org/o/n", "a", 1, 2, "https://github.example.org/o/n/blob/COMMIT/a#L1-L2"},
		{"https://gitlab.com/group/sub/notes.git", "a.yml", 12, 40, "https://gitlab.com/group/sub/notes/-/blob/COMMIT/a.yml#L12-40"},
		{"https://gitlab.example.org/g/n.git/", "a.MD", 1, 1, "https://gitlab.example.org/g/n/-/blob/COMMIT/a.MD?plain=1#L1"},
		{"https://git.example.org:8443/g/n.git", "a", 1, 2, "https://git.example.org:8443/g/n/-/blob/COMMIT/a#L1-2"},
		{"https://salsa.debian.org/g/n.git", "a", 0, 0, "https://salsa.debian.org/g/n/-/blob/COMMIT/a"},
		{"https://codeberg.org/o/n.git", "a.yml", 12, 40, "https://codeberg.org/o/n/src/commit/COMMIT/a.yml#L12-L40"},
		{"ssh://git@codeberg.org/o/n.git", "a.markdown", 1, 2, "https://codeberg.org/o/n/src/commit/COMMIT/a.markdown?display=source#L1-L2"},
		{"forgejo@code.example.org:o/n.git", "a", 0, 0, "https://code.example.org/o/n/src/commit/COMMIT/a"},
		{"ssh://git@code.example.org:2222/o/n.git", "a", 0, 0, "https://code.example.org/o/n/src/commit/COMMIT/a"},
		{"https://code.example.org:3000/o/n.git", "a", 0, 0, "https://code.example.org:3000/o/n/src/commit/COMMIT/a"},
		{"http://gitea.lan/o/n.git", "a", 0, 0, "http://gitea.lan/o/n/src/commit/COMMIT/a"},
		{"https://[2001:db8::1]/o/n.git", "a", 0, 0, "https://[2001:db8::1]/o/n/src/commit/COMMIT/a"},
		{"https://bitbucket.org/team/n.git", "a.yml", 12, 40, "https://bitbucket.org/team/n/src/COMMIT/a.yml#lines-12:40"},
		{"git@bitbucket.org:team/n.git", "a.yml", 5, 5, "https://bitbucket.org/team/n/src/COMMIT/a.yml#lines-5"},
		{"https://bitbucket.example.org/scm/PRJ/n.git", "d/a.yml", 12, 40, "https://bitbucket.example.org/projects/PRJ/repos/n/browse/d/a.yml?at=COMMIT#12-40"},
		{"ssh://git@stash.example.org:7999/PRJ/n.git", "a", 7, 7, "https://stash.example.org/projects/PRJ/repos/n/browse/a?at=COMMIT#7"},
		{"https://scm.example.org/ctx/scm/~jane/n.git", "a", 0, 0, "https://scm.example.org/ctx/users/jane/repos/n/browse/a?at=COMMIT"},
		{"https://bitbucket.example.org/n.git", "a", 0, 0, ""},
		{"https://bitbucket.example.org/~/n.git", "a", 0, 0, ""},
		{"https://git.sr.ht/~jane/notes", "a.yml", 12, 40, "https://git.sr.ht/~jane/notes/tree/COMMIT/item/a.yml#L12-40"},
		{"git@git.sr.ht:~jane/notes", "a.yml", 0, 0, "https://git.sr.ht/~jane/notes/tree/COMMIT/item/a.yml"},
		{"https://git.kernel.org/pub/scm/x.git", "Makefile", 12, 40, "https://git.kernel.org/pub/scm/x.git/tree/Makefile?id=COMMIT#n12"},
		{"https://cgit.example.org/x", "a", 0, 0, "https://cgit.example.org/x/tree/a?id=COMMIT"},

		{"https://me:secret@github.com/o/n", "a", 0, 0, "https://github.com/o/n/blob/COMMIT/a"},
		{"me:secret@github.com:o/n", "a", 0, 0, ""},
		{"https://github.com/o/n?token=secret#x", "a", 0, 0, "https://github.com/o/n/blob/COMMIT/a"},
		{"https://github.com/o/n", "a b/#?%&+;=@:'\"<>\\|\x01\xff ü.yml", 1, 1,
			"https://github.com/o/n/blob/COMMIT/a%20b/%23%3F%25%26%2B%3B%3D%40%3A%27%22%3C%3E%5C%7C%01%FF%20%C3%BC.yml#L1"},
		{"https://github.com/o%20x/n", "a", 0, 0, "https://github.com/o%20x/n/blob/COMMIT/a"},
		{"https://github.com/o/n", "javascript:alert(1)", 0, 0, "https://github.com/o/n/blob/COMMIT/javascript%3Aalert%281%29"},
		{"https://github.com/o/n", "../../evil/x", 0, 0, ""},
		{"https://github.com/o/n", "a/./x", 0, 0, ""},
		{"https://github.com/o/n", "/a", 0, 0, ""},
		{"https://github.com/o/n", "", 0, 0, ""},
		{"https://github.com/o/../n", "a", 0, 0, ""},
		{"https://github.com/", "a", 0, 0, ""},
		{"https://lab.example.org/o/n", "a", 0, 0, ""},
		{"https://example.org/o/n", "a", 0, 0, ""},
		{"https://notgithub.com/o/n", "a", 0, 0, ""},
		{"javascript://github.com/o/n", "a", 0, 0, ""},
		{"file:///srv/github.com/n", "a", 0, 0, ""},
		{"/srv/github.com/n", "a", 0, 0, ""},
		{"git://github.com/o/n", "a", 0, 0, ""},
		{"ext::github.com/o/n", "a", 0, 0, ""},
		{"https://github.com:x/o/n", "a", 0, 0, ""},
		{"https://github.com\x00/o/n", "a", 0, 0, ""},
		{"git hub@github .com:o/n", "a", 0, 0, ""},
		{"", "a", 0, 0, ""},
	} {
		got, ok := hosts.Link(Place{c.remote, commit, c.path, c.first, c.last})
		if want := strings.ReplaceAll(c.want, "COMMIT", commit); got.URL != want || ok != (want != "") || ok && got.Forge == "" {
			t.Errorf("%s %q: %q (%s), not %q", c.remote, c.path, got.URL, got.Forge, want)
		}
	}
	for _, revision := range []string{"", "main", "0123", commit + "/x", strings.Repeat("a", 65), strings.ToUpper("ABCDEF0123")} {
		if got, ok := hosts.Link(Place{Remote: "https://github.com/o/n", Revision: revision, Path: "a"}); ok {
			t.Errorf("%q: %s", revision, got.URL)
		}
	}
}

func TestHostsThatAreRefused(t *testing.T) {
	for list, words := range map[string]string{
		"example.org":             "not a kind of forge: bitbucket, bitbucket-server, cgit",
		"example.org=svn":         `"svn" is not a kind of forge`,
		"=github":                 "not host=kind",
		"https://a.org=github":    "not host=kind",
		"a.org=github,-a.org=git": "not host=kind",
	} {
		if _, err := ParseHosts(list); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", list, err)
		}
	}
	if hosts, err := ParseHosts(" , "); err != nil || len(hosts) != 0 {
		t.Error(hosts, err)
	}
}

// A link goes to the repository's host and names the file, whatever it is called.
func FuzzLink(f *testing.F) {
	for _, remote := range []string{"https://github.com/o/n.git", "git@gitlab.com:g/n", "ssh://u@codeberg.org:22/o/n", "https://u:p@bitbucket.org/o/n", "https://bitbucket.a/scm/~p/n", "https://git.sr.ht/~a/b", "https://cgit.a/x.git"} {
		f.Add(remote, "a/b c.md", 1, 2)
	}
	f.Add("https://github.com@evil.test/o/n", "..%2f/x", 0, -1)
	f.Fuzz(func(t *testing.T, remote, path string, first, last int) {
		link, ok := Hosts{}.Link(Place{remote, commit, path, first, last})
		if !ok {
			return
		}
		u, err := url.Parse(link.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Host == "" {
			t.Fatalf("%q %q: %q, %v", remote, path, link.URL, err)
		}
		for _, c := range []byte(link.URL) {
			if c <= ' ' || c >= 0x7f || strings.IndexByte(`"'<>\^{|}`+"`", c) >= 0 {
				t.Fatalf("%q %q: a raw %q in %q", remote, path, c, link.URL)
			}
		}
		if !strings.HasSuffix(u.Path, "/"+path) {
			t.Fatalf("%q %q: %q leads to %q", remote, path, link.URL, u.Path)
		}
		if u.JoinPath().Path != u.Path {
			t.Fatalf("%q %q: a browser makes %q of %q", remote, path, u.JoinPath().Path, u.Path)
		}
	})
}
