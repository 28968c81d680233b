// Package source turns a place that holds files into a stream of raw files.
//
// It owns four decisions: which names are in scope, which bytes count as text, which files are secrets, and what
// a document is called. It never opens a database and never writes.
//
// Invariants:
//   - Nothing outside the source is ever opened. Each file and folder is opened by its name in the folder around
//     it, and symbolic links are not followed at all.
//   - A file is handed on with its exact text, or it is reported with the reason. What the scope leaves out by
//     rule (other extensions, hidden names, dependency and build folders, ignored paths) is not reported.
//   - A few files are in memory at a time, a few folders are open, and the order is the same for the same tree.
//   - A walk that could not see the whole tree returns an error, so that nobody prunes from half a picture.
//
// Rejected: following links inside the source. It would index the same bytes under two paths, needs cycle
// detection, and would let a link with a harmless name reach a hidden or secret file. And os.Root for each folder:
// it follows links within the folder, and its listings ask for the metadata of every entry, which doubled
// what a Count and a Walk cost (BenchmarkWalk: 99 ms instead of 50, hashing the same files takes 55).
package source

import (
	"context"
	"time"
)

// Limits on what a document may be called, in characters (Unicode code points).
const (
	MaxPathChars  = 1000
	MaxTitleChars = 500
)

// Tree is a source that has been opened for one run, wherever its files lie. It
// is not safe for concurrent use.
type Tree interface {
	// Count gives the number of files in scope by their names, for progress. It fails where Walk would fail
	// before anything has been handed on, as far as that can be known.
	Count(ctx context.Context) (files int, err error)
	// Walk hands every file in scope to visit, in an order that is the same for the same tree, and reports what
	// it leaves out to skip. It stops at the first error of visit and returns it as it is. Any other error says
	// that only a part of the tree was seen, so that nobody prunes.
	Walk(ctx context.Context, visit func(File) error, skip func(Skip)) error
	// Close releases what the tree holds, temporary files included.
	Close() error
}

var _ Tree = (*Dir)(nil)

// File is one indexable file: text, or an image when the scope asks for images.
type File struct {
	// Path is relative to the source, slash separated, the exact bytes of the names, valid UTF-8,
	// at most MaxPathChars long.
	Path string
	// Size is the length of the file in bytes, as read.
	Size int64
	// ModTime is when the file was modified; in git, the date of the indexed commit.
	ModTime time.Time
	// Revision is the indexed commit of a git source; empty elsewhere.
	Revision string
	// SHA256 is of the file's bytes, before any decoding.
	SHA256 [32]byte
	// Text is the exact text (see Decode). It holds no NUL and is valid UTF-8. Empty for an image.
	Text     string
	Encoding Encoding
	// Image holds an image's bytes; nil for text.
	Image []byte
}

// Skip reports a file or folder that is in scope, or is a secret, and was not handed on.
type Skip struct {
	// Path is relative to the source. Bytes that are not UTF-8 are written \xNN, so that it can be stored and shown.
	Path string
	Kind Kind
	// Reason is a sentence for people. It never quotes the content of a secret.
	Reason string
}

// Kind says why a file was skipped.
type Kind string

const (
	KindTooBig     Kind = "too_big"    // over Scope.MaxFileBytes
	KindBadName    Kind = "bad_name"   // the name is not valid UTF-8
	KindLongPath   Kind = "long_path"  // the path is over MaxPathChars
	KindNotText    Kind = "not_text"   // neither UTF-8 nor well-formed UTF-16 with a byte order mark
	KindNotImage   Kind = "not_image"  // an image's name, but no image that can be shown
	KindNUL        Kind = "nul"        // text that holds a NUL character
	KindSecret     Kind = "secret"     // a secret by its name or content, see Secret
	KindSymlink    Kind = "symlink"    // a symbolic link
	KindSpecial    Kind = "special"    // a device, a pipe or a socket
	KindSubmodule  Kind = "submodule"  // another repository inside a git source
	KindLFS        Kind = "lfs"        // a pointer to content that Git LFS keeps elsewhere
	KindUnreadable Kind = "unreadable" // the system refused to open or read it, or it changed while being read
)

// Transient reports whether the file may still hold what was indexed before: a document made from it earlier
// should stay. For every other kind the file has left the scope, and pruning may remove its document.
func (k Kind) Transient() bool { return k == KindUnreadable }
