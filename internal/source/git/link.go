package git

import (
	"path"
	"strings"
	"unicode"

	"bor/internal/source"
)

// link reports a symbolic link, as a local source does: one that leaves the
// repository or stands for a folder always, others when a file of that name would
// be in scope.
func (w *walk) link(c source.Candidate, e entry) error {
	says, always, err := w.destination(e)
	if err == nil && (always || c.Wanted) {
		w.report(c.Skip(source.KindSymlink, says))
	}
	return err
}

// maxLink is the longest target of a symbolic link that is looked at, in bytes.
const maxLink = 4096

// destination says what a link is to, and whether people should know whatever the
// link is called.
func (w *walk) destination(e entry) (says string, always bool, err error) {
	const nothing = "a symbolic link to nothing"
	if e.size > maxLink {
		return nothing, false, nil
	}
	if err := w.objects.ask("contents " + e.oid); err != nil {
		return "", false, err
	}
	target, err := w.objects.content(e.size)
	if err != nil {
		return "", false, err
	}
	to := path.Join(path.Dir(e.path), string(target))
	switch {
	case path.IsAbs(string(target)) || to == ".." || strings.HasPrefix(to, "../"):
		return "a symbolic link that leaves the source", true, nil
	case strings.ContainsFunc(to, unicode.IsControl): // its name would garble the request
		return nothing, false, nil
	case to == ".":
		to = ""
	}
	if err := w.objects.ask("info " + w.commit + ":" + to); err != nil {
		return "", false, err
	}
	switch kind, err := w.objects.kind(); kind {
	case "tree":
		return "a symbolic link to a folder of this source: its files are indexed under their own path", true, err
	case "blob":
		return "a symbolic link to a file of this source: it is indexed under its own path", false, err
	default:
		return nothing, false, err
	}
}
