// Package forge finds the page on which a file of a git repository can be looked
// at, at one commit and with its lines marked.
//
// It is pure: it knows how forges write their addresses and asks nobody. Which
// forge a host runs is told by the settings, or by the host's name. For a host
// that neither tells about there is no link, rather than one that may lead
// nowhere.
//
// Invariants: a link is https (or http, when the repository is fetched so), goes
// to the host of the repository and holds nothing of the address's user or
// password; every byte of the path is encoded, so that a file's name can't be
// anything but a name.
//
// Rejected: asking hosts what they run (a request to somewhere at each import, for
// what a line in the settings says), and a field for each source (repositories of
// one host are on one forge).
package forge

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Kind is what a host runs.
type Kind string

// The kinds.
const (
	GitHub          Kind = "github"
	GitLab          Kind = "gitlab"
	Gitea           Kind = "gitea" // and Forgejo
	Bitbucket       Kind = "bitbucket"
	BitbucketServer Kind = "bitbucket-server"
	Sourcehut       Kind = "sourcehut"
	Cgit            Kind = "cgit"
	None            Kind = "none" // nothing to link to
)

var names = map[Kind]string{GitHub: "GitHub", GitLab: "GitLab", Gitea: "Gitea", Bitbucket: "Bitbucket", BitbucketServer: "Bitbucket", Sourcehut: "sourcehut", Cgit: "cgit"}

// String is the kind as people know it.
func (k Kind) String() string { return names[k] }

// kinds are the values of a setting.
var kinds = map[string]Kind{"github": GitHub, "gitlab": GitLab, "gitea": Gitea, "forgejo": Gitea, "bitbucket": Bitbucket,
	"bitbucket-server": BitbucketServer, "sourcehut": Sourcehut, "cgit": Cgit, "none": None}

// Hosts says what hosts run, by the host's name in lower case, with its port when
// the repository's address has one. It stands over what names tell.
type Hosts map[string]Kind

// ParseHosts reads a list of host=kind, separated by commas.
func ParseHosts(list string) (Hosts, error) {
	hosts := Hosts{}
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		host, name, _ := strings.Cut(entry, "=")
		host = strings.ToLower(strings.TrimSpace(host))
		kind, ok := kinds[strings.ToLower(strings.TrimSpace(name))]
		if !hostForm.MatchString(host) {
			return nil, fmt.Errorf("%q is not host=kind", entry)
		}
		if !ok {
			return nil, fmt.Errorf("%q is not a kind of forge: %s", name, strings.Join(kindNames(), ", "))
		}
		hosts[host] = kind
	}
	return hosts, nil
}

func kindNames() []string {
	var all []string
	for name := range kinds {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// Link is a page of a forge.
type Link struct {
	URL   string
	Forge string // the forge's name
}

// Place is what a link leads to.
type Place struct {
	Remote      string // the repository's address, as it is fetched
	Revision    string // a commit, in hexadecimal
	Path        string // in the repository, slash separated
	First, Last int    // lines, from 1; 0 marks none
}

var revisionForm = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// Link is where a place can be looked at; ok is false when that isn't known.
func (h Hosts) Link(p Place) (link Link, ok bool) {
	r, ok := parse(p.Remote)
	if !ok || !revisionForm.MatchString(p.Revision) || !plain(p.Path) {
		return Link{}, false
	}
	kind := h.kind(r.host)
	page, ok := pages[kind]
	if !ok {
		return Link{}, false
	}
	if p.First < 1 {
		p.First, p.Last = 0, 0
	}
	to := page(r, p)
	if to == "" {
		return Link{}, false
	}
	return Link{r.scheme + "://" + to, kind.String()}, true
}

// known are hosts whose names don't tell.
var known = map[string]Kind{
	"codeberg.org": Gitea, "gitea.com": Gitea, "bitbucket.org": Bitbucket, "git.sr.ht": Sourcehut, "salsa.debian.org": GitLab, "invent.kde.org": GitLab,
	"git.kernel.org": Cgit, "git.zx2c4.com": Cgit, "git.savannah.gnu.org": Cgit,
}

// labels are parts of host names that tell what is run there.
var labels = map[string]Kind{"github": GitHub, "gitlab": GitLab, "gitea": Gitea, "forgejo": Gitea, "bitbucket": BitbucketServer, "stash": BitbucketServer, "cgit": Cgit}

// kind is what a host runs, empty when that isn't known.
func (h Hosts) kind(host string) Kind {
	if kind, ok := h[host]; ok {
		return kind
	}
	name, _, _ := strings.Cut(host, ":")
	if kind, ok := h[name]; ok {
		return kind
	}
	if kind, ok := known[name]; ok {
		return kind
	}
	for label := range strings.SplitSeq(name, ".") {
		if kind, ok := labels[label]; ok {
			return kind
		}
	}
	return ""
}

// remote is a repository's place on the web.
type remote struct {
	scheme, host string
	path         string // without slashes around it, as it is written
}

var (
	hostForm  = regexp.MustCompile(`^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?(:[0-9]{1,5})?$|^\[[0-9a-f:.]+\](:[0-9]{1,5})?$`)
	shortForm = regexp.MustCompile(`^(?:[^@/:]+@)?([^@/:]+):([^:].*)$`)
)

// sshHosts are those that answer ssh under a name of their own.
var sshHosts = map[string]string{"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com", "altssh.bitbucket.org": "bitbucket.org"}

// parse reads an address as git takes it. The page of a repository that is
// fetched over ssh is on the same host, over https, whatever the port of ssh.
func parse(raw string) (remote, bool) {
	r := remote{scheme: "https"}
	if m := shortForm.FindStringSubmatch(raw); m != nil && !strings.Contains(raw, "://") {
		r.host, r.path = m[1], m[2]
	} else {
		u, err := url.Parse(raw)
		if err != nil {
			return remote{}, false
		}
		switch strings.ToLower(u.Scheme) {
		case "https", "http":
			r.scheme, r.host = strings.ToLower(u.Scheme), u.Host
		case "ssh":
			r.host = strings.TrimSuffix(u.Host, ":"+u.Port())
		default:
			return remote{}, false
		}
		r.path = u.Path
	}
	r.host = strings.ToLower(r.host)
	if web, ok := sshHosts[r.host]; ok {
		r.host = web
	}
	r.path = strings.Trim(r.path, "/")
	return r, hostForm.MatchString(r.host) && plain(r.path)
}

// plain reports whether a path names something when a browser has read it, which
// takes "." and ".." for steps however they are encoded.
func plain(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// escape encodes every byte of a path but the slashes and those that never mean
// anything in an address.
func escape(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("/-_.~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
