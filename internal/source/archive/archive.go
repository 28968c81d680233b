// Package archive reads an uploaded archive as a source: zip, and tar as it is or compressed by gzip, xz, zstd or
// bzip2.
//
// It owns what an archive may be: the bars that bombs break at, and the names and kinds of members that no honest
// archive holds. Which members are indexed, what is text and what is a secret is decided by package source, as for
// every other kind of source.
//
// Invariants:
//   - Nothing is unpacked. Members are read one by one, in the order of their bytes, and nothing is written anywhere,
//     so that there is no name to escape by and nothing to clean up.
//   - Open reads the archive whole before anything of it is handed on: a refused archive indexes nothing.
//   - Bars count the bytes that come out of the decompressor, never those that a head announces. Memory and work
//     are bounded by the bars, whatever the archive says.
//   - An archive inside an archive is a file that no scope names.
//   - Paths stay as they are in the archive; a folder that everything lies in stays too, so that a path here is a
//     path there.
//
// Rejected: 7z. Its members' list can ask for any amount of memory in a few bytes, and the reader for Go grants it;
// running out of memory can't be caught. Rejected too: members whose names are the same but for case or Unicode form,
// though Linux tells them apart, because which of the two a path means would depend on who reads it.
package archive

import (
	"context"
	"io"
	"io/fs"

	"bor/internal/source"
)

// Limits are the bars of one archive.
type Limits struct {
	Bytes      int64 // of the archive as it is, and of all that comes out of it
	FileBytes  int64 // of one member
	Members    int   // files, folders and links
	Ratio      int64 // what comes out, as a multiple of the archive's size, …
	RatioAbove int64 // … once this many bytes came out
}

// DefaultLimits are the bars for archives of at most so many bytes (BOR_UPLOAD_MAX_MB); 0 is no limit on these, while
// the other bars stay.
func DefaultLimits(bytes int64) Limits {
	if bytes == 0 {
		bytes = 1 << 50 // more than any database has room for
	}
	return Limits{Bytes: bytes, FileBytes: 100 << 20, Members: 50_000, Ratio: 100, RatioAbove: 10 << 20}
}

// Tree is an archive that was found good. It is not safe for concurrent use.
type Tree struct {
	in      *input
	members members
	filter  source.Filter
	files   int
}

var _ source.Tree = (*Tree)(nil)

// Open judges an archive of size bytes and makes it ready to be walked. What it refuses is a *Refused; any other
// error comes from r or ctx. r must give the same bytes until the tree is closed, and is read in pieces of up to
// pieceBytes, almost in order.
func Open(ctx context.Context, r io.ReaderAt, size int64, scope source.Scope, limits Limits) (*Tree, error) {
	t := &Tree{in: &input{ctx: ctx, r: r, size: size}, filter: scope.Filter()}
	var err error
	if t.members, err = open(t.in, limits); err != nil {
		return nil, t.in.cause(err)
	}
	names := newNames(limits.Members)
	err = t.each(ctx, func(m member) error {
		if err := names.add(m); err != nil {
			return err
		}
		if _, ok := t.admit(m, func(source.Skip) {}); ok {
			t.files++
		}
		return m.drain()
	})
	if err == nil && names.count == 0 {
		err = refuse("it holds no files")
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// each visits the members in one pass.
func (t *Tree) each(ctx context.Context, visit func(member) error) error {
	t.in.ctx, t.in.err = ctx, nil
	return t.in.cause(t.members.each(ctx, visit))
}

// Count gives the number of files in scope by their names.
func (t *Tree) Count(context.Context) (files int, err error) { return t.files, nil }

// Walk hands on the files in the order of their bytes in the archive, and reports what it leaves out.
func (t *Tree) Walk(ctx context.Context, visit func(source.File) error, skip func(source.Skip)) error {
	told := map[source.Skip]bool{}
	return t.each(ctx, func(m member) error {
		c, ok := t.admit(m, func(s source.Skip) {
			if !told[s] {
				skip(s)
			}
			told[s] = true
		})
		if !ok {
			return nil
		}
		content, err := m.content(t.filter.MaxFileBytes)
		if err != nil {
			return err
		}
		file, reason := t.filter.File(c, content, m.modified)
		if reason != nil {
			skip(*reason)
			return nil
		}
		return visit(file)
	})
}

// Close has nothing to release: nothing was written.
func (t *Tree) Close() error { return nil }

// admit decides by name and type whether a member is read. A folder's reason comes with each of its files.
func (t *Tree) admit(m member, skip func(source.Skip)) (c source.Candidate, ok bool) {
	if m.mode.IsDir() {
		return c, false
	}
	for i, char := range m.path {
		if char != '/' {
			continue
		}
		enter, reason := t.filter.Folder(m.path[:i])
		report(reason, skip)
		if !enter {
			return c, false
		}
	}
	c, ok, reason := t.filter.Name(m.path)
	switch {
	case !ok:
	case m.mode&fs.ModeSymlink != 0:
		ok, reason = false, c.Skip(source.KindSymlink, "a symbolic link inside the archive: what it points to is indexed under its own path")
	default:
		ok, reason = c.Admit(m.mode)
	}
	report(reason, skip)
	return c, ok
}

func report(reason *source.Skip, skip func(source.Skip)) {
	if reason != nil {
		skip(*reason)
	}
}
