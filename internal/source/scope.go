package source

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// DefaultExtensions is the default of BOR_IMPORT_EXTENSIONS: notes, structured text, scripts, and the unit files
// of Podman and systemd.
const DefaultExtensions = "md,markdown,txt,yaml,yml,json,py,j2," +
	"container,network,volume,image,pod,kube,swap,os,endpoint," +
	"sh,conf,ini,toml,service,timer,socket,env"

// Scope says which files of a source are wanted.
type Scope struct {
	// Extensions are lower case, without the leading dot; one may hold inner dots ("d.ts"). File names are
	// matched without regard to case.
	Extensions []string
	// Names are whole file names without an extension ("Dockerfile"), matched without regard to case.
	Names []string
	// MaxFileBytes bounds one file; 0 means no bound.
	MaxFileBytes int64
	// Ignore holds raw prefixes of source-relative paths: "old" leaves out old.md and older/x.md, "old/" only
	// the folder. No globs. Blank entries are without effect, a leading "/" or "./" is dropped.
	Ignore []string
	// Images adds png, jpg, jpeg, webp and gif files.
	Images bool
	// AllowSecrets holds exact source-relative paths that are handed on although they are secrets. A path in
	// this list is in scope whatever its extension, also when its name is hidden.
	AllowSecrets []string
}

// wellKnown are the extension-less names that an entry of BOR_IMPORT_EXTENSIONS selects, besides any capitalised
// word that ends in "file".
var wellKnown = []string{
	"Dockerfile", "Containerfile", "Makefile", "GNUmakefile", "Caddyfile", "Justfile", "Kconfig",
	"README", "LICENSE", "CHANGELOG", "NOTICE", "AUTHORS", "TODO",
}

var (
	extensionForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_+-]*(\.[a-z0-9][a-z0-9_+-]*)*$`)
	nameForm      = regexp.MustCompile(`^[A-Z][A-Za-z0-9_-]*file$`)
)

// maxExtensionChars bounds one entry; longer ones are typing errors.
const maxExtensionChars = 40

// ParseExtensions reads a list in the grammar of BOR_IMPORT_EXTENSIONS: entries separated by commas, white space
// around them dropped. An entry is an extension, with or without its leading dot and in any case, or the name of
// an extension-less file ("Dockerfile", "Snakefile"). Repetitions are dropped. A blank list, a blank entry and a
// malformed entry are errors that name the value.
func ParseExtensions(s string) (exts, names []string, err error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil, fmt.Errorf("the list of extensions %q is blank: name at least one, such as \"md,txt,yaml\"", s)
	}
	for entry := range strings.SplitSeq(s, ",") {
		entry = strings.TrimSpace(entry)
		if name, ok := extensionless(entry); ok {
			names = appendNew(names, name)
			continue
		}
		ext := strings.ToLower(strings.TrimPrefix(entry, "."))
		if !extensionForm.MatchString(ext) || len(ext) > maxExtensionChars {
			return nil, nil, fmt.Errorf("%q in the list of extensions %q is not an extension: "+
				"separate extensions such as \"md\" or names such as \"Dockerfile\" with commas, without wildcards", entry, s)
		}
		exts = appendNew(exts, ext)
	}
	return exts, names, nil
}

func extensionless(entry string) (name string, ok bool) {
	for _, name := range wellKnown {
		if strings.EqualFold(entry, name) {
			return name, true
		}
	}
	return entry, len(entry) <= maxExtensionChars && nameForm.MatchString(entry)
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

var imageExtensions = []string{"png", "jpg", "jpeg", "webp", "gif"}

// skippedFolders hold what tools made or fetched, never what people wrote.
var skippedFolders = map[string]bool{
	"node_modules": true, "bower_components": true, "jspm_packages": true,
	"__pycache__": true, "site-packages": true, "venv": true,
	"dist": true, "build": true, "vendor": true, "target": true, "lost+found": true,
}
