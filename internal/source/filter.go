package source

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"
)

// Filter is a Scope made ready to decide on files, wherever they lie: first by
// name (Folder, Name, Admit), then by content (File). Every path is relative to
// the source and slash separated.
type Filter struct {
	MaxFileBytes int64 // larger files are left out; 0 means no bound

	suffixes, images, names, allowed map[string]bool
	ignore                           []string
}

// Filter makes the scope ready.
func (s Scope) Filter() Filter {
	f := Filter{MaxFileBytes: s.MaxFileBytes, suffixes: set(s.Extensions), names: set(s.Names), allowed: map[string]bool{}}
	if s.Images {
		f.images = set(imageExtensions)
	}
	for _, path := range s.AllowSecrets {
		f.allowed[path] = true
	}
	for _, prefix := range s.Ignore {
		prefix = strings.TrimPrefix(strings.TrimPrefix(prefix, "./"), "/")
		if strings.TrimSpace(prefix) != "" {
			f.ignore = append(f.ignore, prefix)
		}
	}
	return f
}

func set(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, s := range list {
		m[strings.ToLower(s)] = true
	}
	return m
}

// Folder decides whether the files of a folder are looked at. A reason comes
// when people should know that they are not. It judges the folder alone, not the
// folders around it.
func (f Filter) Folder(dir string) (enter bool, reason *Skip) {
	name := path.Base(dir)
	switch {
	case hidden(name), skippedFolders[name], f.ignored(dir + "/"):
		return false, nil
	case !utf8.ValidString(name):
		return false, &Skip{printable(dir), KindBadName, "the folder's name is not UTF-8: rename it to have its files indexed"}
	case tooLong(dir + "/x"):
		return false, &Skip{dir, KindLongPath, fmt.Sprintf("paths in this folder are longer than %d characters", MaxPathChars)}
	}
	return true, nil
}

// Candidate is a file judged by its name.
type Candidate struct {
	Path    string
	Wanted  bool // the scope names it
	Image   bool
	allowed bool // although it is a secret
}

// Name judges a file's name, as far as its type doesn't matter: one that is not
// visible is hidden, ignored, or a secret, and only a secret has a reason.
func (f Filter) Name(file string) (c Candidate, visible bool, reason *Skip) {
	c = Candidate{Path: file}
	if f.ignored(file) {
		return c, false, nil
	}
	name := path.Base(file)
	c.allowed = f.allowed[file]
	if reason, ok := secretName(name); ok && !c.allowed {
		return c, false, &Skip{printable(file), KindSecret, reason}
	}
	if hidden(name) && !c.allowed {
		return c, false, nil
	}
	c.Wanted, c.Image = f.wanted(name)
	c.Wanted = c.Wanted || c.allowed
	return c, true, nil
}

// Admit decides on a visible file that is no link, by its type: whether its
// content is to be read.
func (c Candidate) Admit(mode fs.FileMode) (ok bool, reason *Skip) {
	switch {
	case !c.Wanted:
		return false, nil
	case !utf8.ValidString(c.Path):
		return false, &Skip{printable(c.Path), KindBadName, "the file's name is not UTF-8: rename it to have it indexed"}
	case tooLong(c.Path):
		return false, &Skip{c.Path, KindLongPath, fmt.Sprintf("the path has %d characters, the limit is %d",
			utf8.RuneCountInString(c.Path), MaxPathChars)}
	case !mode.IsRegular():
		return false, &Skip{c.Path, KindSpecial, "not a regular file but a device, a pipe or a socket"}
	}
	return true, nil
}

// Skip is a reason to leave a candidate out that its source knows.
func (c Candidate) Skip(kind Kind, reason string) *Skip {
	return &Skip{printable(c.Path), kind, reason}
}

// File makes the file of a candidate from its whole content, or says why it is
// left out: too big, not text, or a secret. The content is kept for an image and
// not otherwise.
func (f Filter) File(c Candidate, content []byte, modified time.Time) (File, *Skip) {
	if f.MaxFileBytes > 0 && int64(len(content)) > f.MaxFileBytes {
		return File{}, f.TooBig(c.Path, int64(len(content)))
	}
	file := File{Path: c.Path, Size: int64(len(content)), ModTime: modified, SHA256: sha256.Sum256(content)}
	if c.Image {
		file.Image = content
		return file, nil
	}
	var err error
	if file.Text, file.Encoding, err = Decode(content); err != nil {
		var undecodable *DecodeError
		errors.As(err, &undecodable)
		return File{}, &Skip{c.Path, undecodable.Kind, undecodable.Reason}
	}
	if reason, ok := Secret(c.Path, file.Text); ok && !c.allowed {
		return File{}, &Skip{c.Path, KindSecret, reason}
	}
	return file, nil
}

// TooBig is the reason for a file of size bytes, or more.
func (f Filter) TooBig(path string, size int64) *Skip {
	return &Skip{path, KindTooBig, fmt.Sprintf("the file has %d bytes or more, the limit is %d (BOR_MAX_FILE_MB)", size, f.MaxFileBytes)}
}

// ignored reports whether a path is under an ignored prefix; a folder's path is given with its final slash.
func (f Filter) ignored(path string) bool {
	for _, prefix := range f.ignore {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// wanted reports whether a file's base name is in scope, and whether it is an image.
func (f Filter) wanted(name string) (wanted, image bool) {
	name = strings.ToLower(name)
	for rest := name; ; {
		_, suffix, ok := strings.Cut(rest, ".")
		if !ok {
			return f.names[name], false
		}
		if f.images[suffix] {
			return true, true
		}
		if f.suffixes[suffix] {
			return true, false
		}
		rest = suffix
	}
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

func tooLong(path string) bool {
	return len(path) > MaxPathChars && utf8.RuneCountInString(path) > MaxPathChars
}

// printable writes bytes that are not UTF-8 as \xNN.
func printable(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, name[i])
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}
