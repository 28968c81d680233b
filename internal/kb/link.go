package kb

import (
	"net/url"
	"path"
	"strings"
)

// Linked resolves a relative link of the document at from: to a path inside the
// same source, and the link's fragment. ok is false for an address with a scheme,
// a host or a root, for a fragment alone, and for what leaves the source. Whether
// there is a document at the path is another question.
func Linked(from, link string) (to, fragment string, ok bool) {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
		return "", "", false
	}
	to = path.Join(path.Dir(from), u.Path)
	if to == ".." || to == "." || strings.HasPrefix(to, "../") {
		return "", "", false
	}
	return to, u.Fragment, true
}
