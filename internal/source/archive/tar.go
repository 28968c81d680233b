package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
)

// tarMembers is a tar archive, compressed or not. It has no list of its members: every pass reads it all.
type tarMembers struct {
	in     *input
	limits Limits
	format Format
}

func (t *tarMembers) each(ctx context.Context, visit func(member) error) error {
	inside, err := t.format.decompress(t.in.stream())
	if err != nil {
		return broken(err)
	}
	defer inside.Close()
	stream := &metered{ctx: ctx, r: inside, m: &meter{Limits: t.limits, size: t.in.size}}
	head := make([]byte, SniffBytes)
	if n, err := io.ReadFull(stream, head); err != nil && !isEOF(err) {
		return broken(err)
	} else if !isTar(head[:n]) {
		return refuse("it is a compressed file and no archive: upload a tar of it, or a zip")
	}
	r := tar.NewReader(io.MultiReader(bytes.NewReader(head), stream))
	name := ""
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return about(name, broken(err))
		}
		name = h.Name
		if err := t.member(r, h, visit); err != nil {
			return about(name, err)
		}
	}
	return ended(stream)
}

func isEOF(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

// member judges one head and visits what it is of.
func (t *tarMembers) member(r io.Reader, h *tar.Header, visit func(member) error) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	mode, err := tarMode(h)
	if err != nil {
		return err
	}
	path, err := cleanName(h.Name, mode.IsDir(), true)
	if err != nil || path == "" {
		return err
	}
	if err := judgeMode(mode); err != nil {
		return err
	}
	if mode&fs.ModeSymlink != 0 && leadsOut(path, h.Linkname) {
		return refuse("it is a symbolic link that leads out of the archive, to %s: leave it out", quoted(h.Linkname))
	}
	content := io.Reader(&fileLimit{r: damageTold{r}, limit: t.limits.FileBytes})
	return visit(member{path, mode, dated(h.ModTime), func() (io.ReadCloser, error) { return io.NopCloser(content), nil }})
}

// tarMode gives a member's type by its flag, as readers of tar do, and by its mode only who it runs as.
func tarMode(h *tar.Header) (fs.FileMode, error) {
	var mode fs.FileMode
	switch h.Typeflag {
	case tar.TypeReg:
		for key := range h.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse.") {
				return 0, errSparse
			}
		}
	case tar.TypeDir:
		mode = fs.ModeDir
	case tar.TypeSymlink:
		mode = fs.ModeSymlink
	case tar.TypeLink:
		return 0, refuse("it is a hard link, to %s: make the archive with the file itself (tar --hard-dereference)", quoted(h.Linkname))
	case tar.TypeChar, tar.TypeBlock:
		mode = fs.ModeDevice
	case tar.TypeFifo:
		mode = fs.ModeNamedPipe
	case tar.TypeGNUSparse:
		return 0, errSparse
	default:
		return 0, refuse("it is of a kind that is no file (tar type %q): make the archive of files and folders only", h.Typeflag)
	}
	if h.Mode&0o4000 != 0 {
		mode |= fs.ModeSetuid
	}
	if h.Mode&0o2000 != 0 {
		mode |= fs.ModeSetgid
	}
	return mode, nil
}

var errSparse = &Refused{Reason: "it is a sparse file, which can be any size in a few bytes: make the archive without them"}

// damageTold makes refusals of what goes wrong in the bytes of a member.
type damageTold struct{ r io.Reader }

func (d damageTold) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && err != io.EOF {
		err = broken(err)
	}
	return n, err
}

// ended judges what comes after the end mark: nothing but zeros, and there must have been one. The end of a
// compressed file is read as well, because its check sum stands there.
func ended(stream *metered) error {
	if stream.eof {
		return refuse("it is cut off, or was made without an end mark: make it anew")
	}
	buffer := make([]byte, 64<<10)
	for {
		n, err := stream.Read(buffer)
		if len(bytes.Trim(buffer[:n], "\x00")) > 0 {
			return refuse("something follows its end, as when archives are joined: upload them one by one")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return broken(err)
		}
	}
}

func isRefused(err error) bool {
	var r *Refused
	return errors.As(err, &r)
}
