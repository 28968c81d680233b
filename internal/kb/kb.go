// Package kb owns what a document is: its identity, its lines, and reading it
// from the store. It never touches a file system: a path is a key in a table,
// so a traversal string is only a document that doesn't exist (V3).
package kb

import (
	"strings"
	"time"

	"bor/internal/forge"
)

// Kinds of documents.
const (
	KindText  = "text"
	KindImage = "image"
)

// Document is an indexed file with its exact text.
type Document struct {
	ID       int64
	Source   string
	Path     string // inside the source, slash separated
	Kind     string // KindText or KindImage
	Title    string
	Content  string    // exact; empty for an image, whose Summary is the text around its links
	Encoding string    // utf-8, utf-8-bom, utf-16le, utf-16be
	Revision string    // commit of a git source; empty otherwise
	Remote   string    // address of a git source; empty otherwise
	Date     time.Time // modification time or commit date; zero when unknown
	Summary  string
	// SummaryEdited says that a person wrote the summary.
	SummaryEdited bool
	Lines         int // by the rule of Lines
	Chars         int // Unicode code points
	Indexed       time.Time
	Image         Image // of an image

	forges forge.Hosts
}

// Image is what is known of an image's bytes, which ImageBytes gives.
type Image struct {
	SHA256        string // of the bytes, in hexadecimal; empty for a text
	Type          string // media type
	Width, Height int    // in pixels
}

// Identity names the document everywhere in the product: source/path.
func (d Document) Identity() string { return d.Source + "/" + d.Path }

// Origin is where lines first to last can be looked at on the web, at the commit
// that was indexed; a range of all lines marks none, and neither does 0. ok is
// false for a document of no git source, or of one on an unknown forge.
func (d Document) Origin(first, last int) (link forge.Link, ok bool) {
	if first <= 1 && last >= d.Lines {
		first, last = 0, 0
	}
	return d.forges.Link(forge.Place{Remote: d.Remote, Revision: d.Revision, Path: d.Path, First: first, Last: last})
}

// SplitIdentity is the inverse of Identity. Source names hold no slash. ok is
// false when there is no path.
func SplitIdentity(identity string) (source, path string, ok bool) {
	source, path, ok = strings.Cut(identity, "/")
	return source, path, ok && source != "" && path != ""
}
