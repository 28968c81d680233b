package markdown

import (
	"strings"

	"github.com/yuin/goldmark/util"
)

// destination decodes a link destination as written in Markdown and refuses
// what no address needs and browsers read in surprising ways: control
// characters (they drop tabs and line ends inside a scheme) and backslashes
// (they read them as slashes).
func destination(raw []byte) (string, bool) {
	dest := util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw)))
	for _, c := range dest {
		if c < 0x20 || c == 0x7F || c == '\\' {
			return "", false
		}
	}
	return string(dest), len(dest) > 0
}

// outside returns the address of an allowed outside link: http and https with a
// host, and mailto. The judgement is on the escaped form, which is what the
// page gets.
func outside(dest string) (string, bool) {
	href := string(util.URLEscape([]byte(dest), false))
	scheme, rest, found := strings.Cut(href, ":")
	if !found {
		return "", false
	}
	switch strings.ToLower(scheme) {
	case "http", "https":
		host, ok := strings.CutPrefix(rest, "//")
		return href, ok && host != "" && !strings.ContainsRune("/?#", rune(host[0]))
	case "mailto":
		return href, rest != ""
	}
	return "", false
}

// inApp returns the address of an absolute path on this server. "//host" is
// another server.
func inApp(dest string) (string, bool) {
	href := string(util.URLEscape([]byte(dest), false))
	return href, strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "//")
}

// answerLink is the allow list of an answer's links (CH3).
func answerLink(dest string) (href string, out, ok bool) {
	if href, ok = outside(dest); ok {
		return href, true, true
	}
	href, ok = inApp(dest)
	return href, false, ok
}

// imagePath is where this server serves images.
const imagePath = "/images/"

// answerImage allows this server's own images only: an image address chosen by
// a prompt-injected model would leak data with the request (CH3).
func answerImage(dest string) (string, bool) {
	src, ok := inApp(dest)
	lower := strings.ToLower(src)
	return src, ok && strings.HasPrefix(src, imagePath) &&
		!strings.Contains(lower, "..") && !strings.Contains(lower, "%2e")
}
