package registry

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"bor/internal/fault"
	"bor/internal/source"
)

// Limits of an entry.
const (
	maxLocation = 2000 // characters
	maxBranch   = 250
	maxPaths    = 1000 // lines of ignored or allowed paths
)

// Draft is a source as a person enters it. An edit leaves Kind and Location alone.
type Draft struct {
	Kind         Kind // Git or Local
	Name         string
	Location     string
	Branch       string
	Ignore       []string // beginnings of paths, raw
	AllowSecrets []string // whole paths
}

// Lines splits a field of one path a line; blank lines are dropped, what else
// stands in a line is kept as it is.
func Lines(text string) []string {
	list := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			list = append(list, line)
		}
	}
	return list
}

// check collects what is wrong with a draft's fields by themselves, and fills in
// the name that its place gives.
func (r *Registry) check(d *Draft) error {
	wrong := FieldErrors{}
	note := func(name string, err error) {
		var f FieldErrors
		switch {
		case err == nil:
		case errors.As(err, &f):
			wrong[name] = f.Error()
		case fault.CodeOf(err) != fault.Internal:
			wrong[name] = fault.PublicOf(err)
		default:
			wrong[name] = sentence(err.Error())
		}
	}
	switch d.Kind {
	case Git:
		note("location", r.checkURL(d.Location))
		note("branch", r.checkBranch(d.Branch))
	case Local:
		note("location", checkDirectory(d.Location))
		d.Location = filepath.Clean(d.Location)
	default:
		wrong["kind"] = "Choose what kind of source it is: a git repository or a directory."
	}
	if d.Name == "" && wrong["location"] == "" {
		d.Name = nameOf(d.Location)
	}
	if d.Name != "" || wrong["location"] == "" {
		note("name", CheckName(d.Name))
	}
	note("ignore", checkPaths(d.Ignore))
	note("allow", checkPaths(d.AllowSecrets))
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

func (r *Registry) checkURL(address string) error {
	switch {
	case address == "":
		return errors.New("the repository's address is missing: it looks like https://host/owner/repository.git, or git@host:owner/repository.git")
	case utf8.RuneCountInString(address) > maxLocation:
		return fmt.Errorf("the address is longer than %d characters", maxLocation)
	case !printableText(address):
		return errors.New("the address holds a control character or isn't UTF-8")
	}
	if u, err := url.Parse(address); err == nil && u.User != nil {
		if _, secret := u.User.Password(); secret {
			return errors.New("the address holds a password, and it would be shown to whoever sees this page: leave it out, and give credentials by the settings")
		}
	}
	if r.CheckGitURL == nil {
		return nil
	}
	return r.CheckGitURL(address)
}

func (r *Registry) checkBranch(branch string) error {
	switch {
	case branch == "":
		return nil
	case utf8.RuneCountInString(branch) > maxBranch:
		return fmt.Errorf("the branch's name is longer than %d characters", maxBranch)
	case !printableText(branch) || strings.HasPrefix(branch, "-"):
		return errors.New("this can't be a branch's name")
	case r.CheckGitBranch == nil:
		return nil
	}
	return r.CheckGitBranch(branch)
}

// checkDirectory looks at a directory of this machine.
func checkDirectory(dir string) error {
	switch {
	case dir == "":
		return errors.New("the directory is missing: it looks like /srv/notes")
	case !printableText(dir) || utf8.RuneCountInString(dir) > maxLocation:
		return fmt.Errorf("the directory's name holds a control character, isn't UTF-8, or is longer than %d characters", maxLocation)
	case !filepath.IsAbs(dir):
		return fmt.Errorf("%q isn't an absolute path: write it from the root, such as /srv/notes", dir)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no directory %s on this machine", dir)
	case err != nil:
		return fmt.Errorf("the directory %s can't be looked at by the account that runs this server", dir)
	case !info.IsDir():
		return fmt.Errorf("%s is a file: name the directory that it is in", dir)
	}
	return nil
}

func checkPaths(paths []string) error {
	if len(paths) > maxPaths {
		return fmt.Errorf("there are %d lines, and %d is the limit", len(paths), maxPaths)
	}
	for _, p := range paths {
		if utf8.RuneCountInString(p) > source.MaxPathChars {
			return fmt.Errorf("a line is longer than %d characters, which no path is", source.MaxPathChars)
		}
		if !printableText(p) {
			return fmt.Errorf("the line %q holds a control character or isn't UTF-8", p)
		}
	}
	return nil
}

func printableText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// sentence makes one of an error's words.
func sentence(words string) string {
	r, size := utf8.DecodeRuneInString(words)
	words = string(unicode.ToUpper(r)) + words[size:]
	if strings.HasSuffix(words, ".") {
		return words
	}
	return words + "."
}
