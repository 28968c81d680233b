package git

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bor/internal/fault"
)

// The longest address and branch, in bytes.
const (
	maxURL    = 1000
	maxBranch = 250
)

// address is a remote's, taken apart.
type address struct {
	scheme string // https, ssh or file
	user   string // of ssh
	host   string // lower case, with its port if it has one
	path   string // with its leading slash if it has one
}

// CheckURL says what is wrong with a repository's address, in words for a form's
// field. It takes https://host/path, ssh://user@host/path and user@host:path,
// and with local also file:///path and /path.
func CheckURL(raw string, local bool) error {
	_, err := parse(raw, local)
	return err
}

// Name is what a source is called after its repository: the last part of the
// address without ".git". It is empty when the address has none.
func Name(raw string) string {
	if i := strings.LastIndexByte(raw, ':'); i >= 0 && !strings.Contains(raw, "://") {
		raw = raw[i+1:]
	}
	if u, err := url.Parse(raw); err == nil && u.Scheme != "" {
		raw = u.Path
	}
	name := strings.TrimSuffix(path.Base(strings.TrimRight(raw, "/")), ".git")
	if name == "." || name == "/" {
		return ""
	}
	return name
}

var (
	hostForm   = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?$`)
	userForm   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`)
	schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
)

func parse(raw string, local bool) (address, error) {
	switch scheme, rest, ok := strings.Cut(raw, "://"); {
	case raw == "":
		return address{}, invalid("The repository's address is empty. Write it as https://host/owner/repository.git.")
	case len(raw) > maxURL:
		return address{}, invalid("The repository's address has more than %d characters.", maxURL)
	case !utf8.ValidString(raw) || strings.ContainsFunc(raw, unreadable):
		return address{}, invalid("The repository's address has a line end, a control character or another that can't be seen.")
	case strings.HasPrefix(raw, "-"):
		return address{}, invalid("The repository's address begins with a dash, like an option of a program.")
	case strings.Contains(raw, "::"):
		if !ok || !strings.Contains(rest, "[") { // [::1]
			return address{}, invalid("The repository's address has two colons, which would start a program. Write it as https://host/path or ssh://user@host/path.")
		}
		return parseURL(strings.ToLower(scheme), raw, local)
	case ok && schemeForm.MatchString(scheme):
		return parseURL(strings.ToLower(scheme), raw, local)
	case strings.HasPrefix(raw, "/"):
		return parseLocal(raw, local)
	}
	return parseShort(raw)
}

func parseURL(scheme, raw string, local bool) (address, error) {
	switch scheme {
	case "https", "ssh":
	case "file":
		u, err := url.Parse(raw)
		if err != nil || u.Host != "" || u.RawQuery != "" || u.Fragment != "" {
			return address{}, invalid("The address of a local repository is file:///absolute/path or /absolute/path.")
		}
		return parseLocal(u.Path, local)
	case "http", "git":
		return address{}, invalid("%s:// is not encrypted: anyone on the way could read and change the repository. Use https:// or ssh://.", scheme)
	default:
		return address{}, invalid("%q is not a way to reach a repository that is taken here. Use https:// or ssh://.", scheme+"://")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return address{}, invalid("The repository's address is not well-formed. Write it as https://host/owner/repository.git.")
	}
	password := false
	if u.User != nil {
		_, password = u.User.Password()
	}
	switch {
	case password, scheme == "https" && u.User != nil:
		return address{}, invalid("The repository's address holds a user's name, a password or a token, which would be shown and stored. Take it out, and put the token into BOR_GIT_TOKENS as %s=token.", shownHost(u))
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(raw, "#"):
		return address{}, invalid("The repository's address has a ? or a #. Take that and what follows out; a token goes into BOR_GIT_TOKENS.")
	case u.Path == "" || u.Path == "/":
		return address{}, invalid("The address names a host and no repository on it. Write it as https://host/owner/repository.git.")
	case strings.ContainsFunc(u.Path, unreadable):
		return address{}, invalid("The repository's address has an encoded control character.")
	}
	user := ""
	if u.User != nil {
		user = u.User.Username()
	}
	host, err := checkHost(u.Hostname(), u.Port())
	if err != nil {
		return address{}, err
	}
	return checked(raw, address{scheme, user, host, u.Path}, u.User != nil)
}

// parseShort reads user@host:path, as ssh is often written.
func parseShort(raw string) (address, error) {
	place, repo, ok := strings.Cut(raw, ":")
	if !ok || strings.ContainsRune(place, '/') {
		return address{}, invalid("%q is not a repository's address. Write it as https://host/owner/repository.git, ssh://user@host/path or user@host:path.", raw)
	}
	a := address{scheme: "ssh", host: place, path: repo}
	user, rest, named := strings.Cut(place, "@")
	if named {
		a.user, a.host = user, rest
	}
	host, err := checkHost(a.host, "")
	if err != nil {
		return address{}, err
	}
	if a.host = host; a.path == "" {
		return address{}, invalid("The address names a host and no repository on it.")
	}
	return checked(raw, a, named)
}

// checked checks what both ways of writing an address have; named says that it has
// a user, who may turn out to be empty.
func checked(raw string, a address, named bool) (address, error) {
	switch {
	case named && !userForm.MatchString(a.user):
		return address{}, invalid("The user's name in the repository's address can't be one: letters, digits, dots, dashes and underscores, a dash not first.")
	case strings.HasPrefix(strings.TrimPrefix(a.path, "/"), "-"):
		return address{}, invalid("The repository's path begins with a dash, like an option of a program.")
	case strings.ContainsAny(raw, " \\"):
		return address{}, invalid("The repository's address has a space or a backslash. Write a space as %%20.")
	}
	return a, nil
}

func parseLocal(dir string, local bool) (address, error) {
	switch {
	case !local:
		return address{}, invalid("Repositories on the server's own disk are not taken. Whoever runs the server can allow them with BOR_GIT_ALLOW_LOCAL=true.")
	case !strings.HasPrefix(dir, "/") || strings.ContainsFunc(dir, unreadable):
		return address{}, invalid("The address of a local repository is file:///absolute/path or /absolute/path.")
	}
	return address{scheme: "file", path: dir}, nil
}

func checkHost(host, port string) (string, error) {
	if port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "", invalid("The port in the repository's address is not a number from 1 to 65535.")
		}
		port = ":" + port
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() && ip.Zone() == "" {
		return "[" + host + "]" + port, nil
	}
	if len(host) > 253 || !hostForm.MatchString(host) {
		return "", invalid("The host in the repository's address can't be one: letters, digits, dots and dashes, a dash not first. An international name is written in its xn-- form.")
	}
	return strings.ToLower(host) + port, nil
}

// shownHost is a host as far as it can be repeated in a message.
func shownHost(u *url.URL) string {
	if host, err := checkHost(u.Hostname(), u.Port()); err == nil {
		return host
	}
	return "host"
}

func unreadable(r rune) bool {
	return r == utf8.RuneError || r != ' ' && !unicode.IsGraphic(r)
}

// CheckBranch says what is wrong with the name of a branch, by git's own rules,
// in words for a form's field.
func CheckBranch(name string) error {
	problem := ""
	switch {
	case name == "":
		problem = "it is empty"
	case len(name) > maxBranch:
		problem = fmt.Sprintf("it has more than %d characters", maxBranch)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unreadable):
		problem = "it has a line end, a control character or another that can't be seen"
	case strings.ContainsAny(name, " ~^:?*[\\"):
		problem = "a branch has no space and none of ~ ^ : ? * [ \\"
	case strings.HasPrefix(name, "-"):
		problem = "it begins with a dash, like an option of a program"
	case strings.HasPrefix(name, "refs/"):
		problem = "write it without refs/heads/"
	case name == "HEAD" || name == "@":
		problem = "it stands for whatever is current; leave the field empty for the repository's default branch"
	case strings.Contains(name, "..") || strings.Contains(name, "@{"):
		problem = "a branch has neither .. nor @{"
	case strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.Contains(name, "//"):
		problem = "its slashes stand between names"
	case strings.HasSuffix(name, "."):
		problem = "it ends in a dot"
	}
	for part := range strings.SplitSeq(name, "/") {
		if problem == "" && (strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")) {
			problem = "no part of it begins with a dot or ends in .lock"
		}
	}
	if problem == "" {
		return nil
	}
	return invalid("This can't be the name of a branch: %s.", problem)
}

func invalid(format string, args ...any) error {
	return fault.New(fault.Invalid, fmt.Sprintf(format, args...))
}
