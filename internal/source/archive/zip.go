package archive

import (
	"archive/zip"
	"cmp"
	"context"
	"io"
	"io/fs"
	"math"
	"slices"
)

// zipMembers is a zip archive, with the list of its members in the order of their bytes.
type zipMembers struct {
	in     *input
	limits Limits
	files  []placed
}

// placed is a file, and where its bytes start in the archive.
type placed struct {
	*zip.File
	at int64
}

// openZip reads the list of members, which stands at the archive's end, and judges where their bytes lie. The list is
// bounded by its bytes first: its entries are in memory before they can be counted, and the count in it may lie.
func openZip(in *input, limits Limits) (*zipMembers, error) {
	long := refuse("its list of members is too long: make several archives")
	list := &limited{in, int64(averageName*limits.Members) + 1<<20, long}
	r, err := zip.NewReader(list, in.size)
	if err != nil {
		return nil, broken(err)
	}
	list.n = math.MaxInt64
	if len(r.File) > limits.Members {
		return nil, refuse("it has %d members, the limit is %d: make several archives", len(r.File), limits.Members)
	}
	z := &zipMembers{in: in, limits: limits}
	for _, f := range r.File {
		at, err := f.DataOffset()
		if err != nil {
			return nil, about(f.Name, broken(err))
		}
		z.files = append(z.files, placed{f, at})
	}
	slices.SortStableFunc(z.files, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	return z, z.apart()
}

// apart refuses members that share bytes: a small archive would become a big one without any compression.
func (z *zipMembers) apart() error {
	end := uint64(0)
	for _, f := range z.files {
		if uint64(f.at) < end && f.CompressedSize64 > 0 {
			return about(f.Name, refuse("its bytes are also another member's, as only a bomb's are"))
		}
		if f.CompressedSize64 > uint64(z.in.size-f.at) {
			return about(f.Name, refuse("it is cut off: upload it again"))
		}
		end = max(end, uint64(f.at)+f.CompressedSize64)
	}
	return nil
}

func (z *zipMembers) each(ctx context.Context, visit func(member) error) error {
	m := &meter{Limits: z.limits, size: z.in.size}
	for _, f := range z.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := z.member(ctx, m, f.File, visit); err != nil {
			return about(f.Name, err)
		}
	}
	return nil
}

// member judges one entry of the list and visits it.
func (z *zipMembers) member(ctx context.Context, m *meter, f *zip.File, visit func(member) error) error {
	const encrypted = 1
	mode := f.Mode()
	path, err := cleanName(f.Name, mode.IsDir(), false)
	switch {
	case err != nil || path == "":
		return err
	case f.Flags&encrypted != 0:
		return refuse("it is encrypted: make the archive without a password")
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return refuse("it is compressed in a way that is not read here (method %d): make the archive with the usual one, deflate", f.Method)
	case mode.IsDir() && f.UncompressedSize64 > 0:
		return refuse("it is a folder that has content")
	}
	if err := judgeMode(mode); err != nil {
		return err
	}
	open := func() (io.ReadCloser, error) {
		r, err := f.Open()
		if err != nil {
			return nil, broken(err)
		}
		return struct {
			io.Reader
			io.Closer
		}{&fileLimit{r: &metered{ctx: ctx, r: damageTold{r}, m: m}, limit: z.limits.FileBytes}, r}, nil
	}
	is := member{path, mode, dated(f.Modified), open}
	if mode&fs.ModeSymlink != 0 {
		target, err := is.content(maxNameBytes)
		if err != nil {
			return err
		}
		if leadsOut(path, string(target)) {
			return refuse("it is a symbolic link that leads out of the archive, to %s: leave it out", quoted(string(target)))
		}
	}
	return visit(is)
}
