package localpg

import (
	"slices"
	"strings"
)

// source is one archive of apt's configuration.
type source struct {
	uri, suite string
	components []string
}

// mirror is where a Debian release and its security updates are fetched from.
type mirror struct{ main, security string }

// parseSources reads one of apt's source files, in the one-line format (.list)
// or in deb822 (.sources): see sources.list(5). What it does not understand it
// passes over, as the file is the administrator's and not ours to judge.
func parseSources(name, text string) []source {
	if strings.HasSuffix(name, ".sources") {
		return parseDeb822(text)
	}
	var found []source
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		kind, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line, "\t", " ")), " ")
		if kind != "deb" {
			continue
		}
		if rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "[") {
			_, rest, _ = strings.Cut(rest, "]")
		}
		if f := strings.Fields(rest); len(f) >= 2 {
			found = append(found, source{f[0], f[1], f[2:]})
		}
	}
	return found
}

func parseDeb822(text string) []source {
	var found []source
	fields, last := map[string]string{}, ""
	flush := func() {
		off := strings.ToLower(strings.TrimSpace(fields["enabled"]))
		if slices.Contains(strings.Fields(fields["types"]), "deb") && off != "no" && off != "false" {
			for _, uri := range strings.Fields(fields["uris"]) {
				for _, suite := range strings.Fields(fields["suites"]) {
					found = append(found, source{uri, suite, strings.Fields(fields["components"])})
				}
			}
		}
		fields, last = map[string]string{}, ""
	}
	for line := range strings.Lines(text) {
		switch name, value, isField := strings.Cut(line, ":"); {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			flush()
		case line[0] == ' ' || line[0] == '\t':
			fields[last] += " " + line
		case isField:
			last = strings.ToLower(name)
			fields[last] = value
		}
	}
	flush()
	return found
}

// debianMirrors picks, from the sources of a Debian machine of the given
// codename, those that carry its main archive, best guess first. Other vendors'
// archives can look the same; they fail the signature check and the next is
// tried.
func debianMirrors(sources []source, codename string) []mirror {
	suites := []string{codename, "oldstable", "stable", "testing", "unstable", "sid"}
	security := ""
	for _, s := range sources {
		if strings.HasSuffix(s.suite, "-security") && slices.Contains(s.components, "main") && security == "" {
			security = s.uri
		}
	}
	var likely, others []mirror
	for _, s := range sources {
		if !slices.Contains(suites, s.suite) || !slices.Contains(s.components, "main") || strings.HasPrefix(s.uri, "cdrom:") {
			continue
		}
		m := newMirror(s.uri)
		if security != "" {
			m.security = security
		}
		switch {
		case slices.Contains(likely, m) || slices.Contains(others, m):
		case strings.HasSuffix(m.main, "/debian") || strings.HasPrefix(m.main, "mirror+"):
			likely = append(likely, m)
		default:
			others = append(others, m)
		}
	}
	return append(likely, others...)
}

// newMirror takes the security archive to stand beside the main one, as on
// every full mirror.
func newMirror(uri string) mirror {
	uri = strings.TrimSuffix(uri, "/")
	return mirror{uri, uri + "-security"}
}
