package git

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"bor/internal/fault"
)

func TestAddressesThatAreTaken(t *testing.T) {
	for raw, want := range map[string]address{
		"https://github.com/owner/notes.git":        {"https", "", "github.com", "/owner/notes.git"},
		"HTTPS://Git.Example.ORG:8443/a/b%20c":      {"https", "", "git.example.org:8443", "/a/b c"},
		"https://[2001:db8::1]:8443/a.git":          {"https", "", "[2001:db8::1]:8443", "/a.git"},
		"ssh://git@example.org:2222/~me/notes":      {"ssh", "git", "example.org:2222", "/~me/notes"},
		"ssh://example.org/notes":                   {"ssh", "", "example.org", "/notes"},
		"git@example.org:owner/notes.git":           {"ssh", "git", "example.org", "owner/notes.git"},
		"example.org:notes":                         {"ssh", "", "example.org", "notes"},
		"first.last+x@git-1.example.org:/srv/n.git": {"ssh", "first.last+x", "git-1.example.org", "/srv/n.git"},
		"file:///srv/my%20notes":                    {"file", "", "", "/srv/my notes"},
		"/srv/my notes.git":                         {"file", "", "", "/srv/my notes.git"},
	} {
		got, err := parse(raw, true)
		if raw == "https://github.com/owner/notes.git" && CheckURL(raw, false) != nil {
			t.Error("CheckURL and parse differ")
		}
		if err != nil || got != want {
			t.Errorf("%q is %+v, %v", raw, got, err)
		}
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	for raw, words := range map[string]string{
		"":                                                   "empty",
		"notes":                                              "not a repository's address",
		"../notes":                                           "not a repository's address",
		"host/path:x":                                        "not a repository's address",
		"https://example.org":                                "no repository on it",
		"https://example.org/":                               "no repository on it",
		"git@example.org:":                                   "no repository on it",
		"https:///owner/notes":                               "host",
		"http://example.org/a.git":                           "not encrypted",
		"git://example.org/a.git":                            "not encrypted",
		"ftp://example.org/a.git":                            "not a way",
		"ssh+git://example.org/a.git":                        "not a way",
		"ext::sh -c touch% /tmp/x":                           "start a program",
		"ext::https://example.org/a.git":                     "start a program",
		"fd::17":                                             "start a program",
		"a::[b]":                                             "start a program",
		"ext://x/a":                                          "not a way",
		"--upload-pack=touch x":                              "dash",
		"-oProxyCommand=touch x":                             "dash",
		"ssh://-oProxyCommand=touch/a":                       "host",
		"-oProxyCommand=x@example.org:a":                     "dash",
		"a@-oProxyCommand=x:a":                               "host",
		"ssh://-oProxyCommand=x@host/a":                      "user",
		"@example.org:a":                                     "user",
		"ssh://@example.org/a":                               "user",
		"-l@example.org:a":                                   "dash",
		"git@example.org:-a":                                 "dash",
		"https://example.org/-upload":                        "dash",
		"ssh://git@example.org/--x":                          "dash",
		"https://me:secret@example.org/a":                    "BOR_GIT_TOKENS as example.org=token",
		"https://ghp_secret@example.org/a":                   "BOR_GIT_TOKENS",
		"ssh://git:secret@example.org/a":                     "BOR_GIT_TOKENS",
		"https://x:y@-o/a":                                   "BOR_GIT_TOKENS as host=token",
		"https://example.org/a?token=x":                      "?",
		"https://example.org/a?":                             "?",
		"https://example.org/a#x":                            "#",
		"https://example.org/a#":                             "#",
		"https://example.org/a\r\nHost: x":                   "line end",
		"https://example.org/a\x00b":                         "can't be seen",
		"https://example.org/a%00b":                          "control character",
		"https://example.org/a%0d%0ab":                       "control character",
		"https://example.org/a\u202eb":                       "can't be seen",
		"https://example.org/\xff":                           "can't be seen",
		"https://example.org/a\\b":                           "backslash",
		"git@example.org:a b":                                "space",
		"https://exämple.org/a":                              "xn--",
		"https://example.org:0/a":                            "port",
		"https://example.org:65536/a":                        "port",
		"https://example.org:/%zz":                           "not well-formed",
		"https://a b/c":                                      "not well-formed",
		"https://[fe80::1%25eth0]/a":                         "host",
		"https://example.org/" + strings.Repeat("a", maxURL): "characters",
		"file://host/srv/a":                                  "file:///absolute",
		"file:srv":                                           "",
		"file:///srv/a?x":                                    "file:///absolute",
		"file:///srv/%0a":                                    "file:///absolute",
		"file://":                                            "file:///absolute",
		`C:\notes`:                                           "backslash",
	} {
		if raw == "file:srv" { // a host of the name "file" is a host
			continue
		}
		err := CheckURL(raw, true)
		if err == nil {
			t.Errorf("%q is taken", raw)
			continue
		}
		wantFault(t, err, fault.Invalid, words)
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error repeats the secret: %v", err)
		}
	}
	for _, raw := range []string{"/srv/notes", "file:///srv/notes", "FILE:///srv/notes"} {
		wantFault(t, CheckURL(raw, false), fault.Invalid, "BOR_GIT_ALLOW_LOCAL")
	}
}

// Whatever is taken is an address that git and ssh can't read as anything else.
func FuzzAddress(f *testing.F) {
	for _, raw := range []string{"https://github.com/o/n.git", "git@h:p", "ssh://u@h:1/p", "https://[::1]/x", "/srv/x", "file:///x", "ext::x", "-o@h:p"} {
		f.Add(raw)
	}
	web := regexp.MustCompile(`(?i)^(https|ssh)://([A-Za-z0-9_][A-Za-z0-9._+-]*@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_][A-Za-z0-9._-]*)(:[0-9]*)?/`)
	short := regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9._+-]*@)?[A-Za-z0-9_][A-Za-z0-9._-]*:[^:-]`)
	disk := regexp.MustCompile(`(?i)^(file://)?/`)
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := parse(raw, true)
		if err != nil {
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if strings.ContainsAny(raw, "\x00\r\n") || !web.MatchString(raw) && !short.MatchString(raw) && !disk.MatchString(raw) {
			t.Errorf("%q is taken as %+v", raw, a)
		}
		Name(raw)
	})
}

func TestNames(t *testing.T) {
	for raw, want := range map[string]string{
		"https://github.com/owner/notes.git":  "notes",
		"https://github.com/owner/notes.git/": "notes",
		"https://example.org/my%20notes":      "my notes",
		"git@example.org:owner/notes.git":     "notes",
		"example.org:notes":                   "notes",
		"ssh://example.org:22/a/b":            "b",
		"/srv/git/notes.git":                  "notes",
		"file:///srv/notes":                   "notes",
		"https://example.org/":                "",
		"https://example.org/.git":            "",
	} {
		if got := Name(raw); got != want {
			t.Errorf("%q is called %q", raw, got)
		}
	}
}

// git itself is asked about each name; ours are its rules, and a few more.
func TestBranches(t *testing.T) {
	stricter := map[string]bool{"refs/heads/main": true, "HEAD": true, "@": true, "a\u200bb": true, "a\u202eb": true, strings.Repeat("a", maxBranch+1): true, "\xff": true}
	for _, name := range []string{
		"main", "release/1.0", "feature/ä-ö", "a@b", "@a", "a.b", "a+b", "(a)", "a{b}", "a#b", "$(touch x)", "`x`", "a;b", "a'b", `a"b`, "a|b", "a&b", "%41", "lock", "a.lock.b",
		"", "-", "--upload-pack=x", "-a", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", `a\b`, "a..b", "a@{b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "/a", "a/", "a//b", "a\x7fb", "a\nb", "a\rb", "a\tb",
		"refs/heads/main", "HEAD", "@", "a\u200bb", "a\u202eb", "\xff", strings.Repeat("a", maxBranch), strings.Repeat("a", maxBranch+1),
	} {
		err := CheckBranch(name)
		gits := exec.Command("git", "check-ref-format", "--branch", name).Run()
		if (err == nil) != (gits == nil) && !(stricter[name] && err != nil) {
			t.Errorf("%q: %v, and git says %v", name, err, gits)
		}
		if err != nil {
			wantFault(t, err, fault.Invalid, "branch")
		}
	}
	wantFault(t, CheckBranch("a\x00b"), fault.Invalid, "can't be seen")
}
