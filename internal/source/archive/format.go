package archive

import (
	"archive/tar"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

// Format is a kind of archive.
type Format string

// The formats. What a compressed file holds is only known when it is read.
const (
	Zip      Format = "zip"
	Tar      Format = "tar"
	TarGzip  Format = "tar.gz"
	TarXz    Format = "tar.xz"
	TarZstd  Format = "tar.zst"
	TarBzip2 Format = "tar.bz2"
)

// SniffBytes is how much of an archive's start Sniff looks at.
const SniffBytes = 512

var signatures = []struct {
	start string
	Format
}{
	{"PK\x03\x04", Zip},
	{"PK\x05\x06", Zip}, // without members
	{"\x1F\x8B\x08", TarGzip},
	{"\xFD7zXZ\x00", TarXz},
	{"\x28\xB5\x2F\xFD", TarZstd},
	{"BZh", TarBzip2},
}

// known are kinds of archives that people have and that are not read here.
var known = []struct{ start, name string }{
	{"7z\xBC\xAF\x27\x1C", "a 7z archive"},
	{"Rar!\x1A\x07", "a RAR archive"},
	{"PK\x07\x08", "a zip archive in several parts"},
	{"MSCF", "a cabinet"},
	{"!<arch>\n", "an ar archive or a Debian package"},
	{"\xED\xAB\xEE\xDB", "an RPM package"},
}

// Sniff tells an archive's format by its first SniffBytes bytes, or all if it is shorter; its name doesn't count.
// What is no archive is a *Refused.
func Sniff(head []byte) (Format, error) {
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.start)) {
			return s.Format, nil
		}
	}
	if isTar(head) {
		return Tar, nil
	}
	const take = "make a zip, tar, tar.gz, tar.xz, tar.zst or tar.bz2 of its files"
	for _, k := range known {
		if bytes.HasPrefix(head, []byte(k.start)) {
			return "", refuse("it is %s, which is not read here: %s", k.name, take)
		}
	}
	return "", refuse("it is no archive of a kind that is read here: %s", take)
}

// isTar reports whether a tar archive starts with these bytes: the head of its first member, whose check sum fits.
func isTar(head []byte) bool {
	if len(head) < SniffBytes || head[0] == 0 {
		return false
	}
	_, err := tar.NewReader(bytes.NewReader(head[:SniffBytes])).Next()
	return err == nil || err == io.ErrUnexpectedEOF
}

// open judges the format and reads what the format has instead of a beginning.
func open(in *input, limits Limits) (members, error) {
	if in.size > limits.Bytes {
		return nil, refuse("it has more than %d MB, the limit (BOR_UPLOAD_MAX_MB)", limits.Bytes>>20)
	}
	head := make([]byte, min(SniffBytes, max(0, in.size)))
	if _, err := in.ReadAt(head, 0); err != nil {
		return nil, err
	}
	format, err := Sniff(head)
	if err != nil {
		return nil, err
	}
	if format == Zip {
		return openZip(in, limits)
	}
	return &tarMembers{in, limits, format}, nil
}

// maxWindow bounds the memory of a decompressor that keeps what it gave last, as much as "xz -9" and "zstd -19" ask
// for; an archive may ask for gigabytes.
const maxWindow = 64 << 20

// decompress gives the tar archive inside.
func (f Format) decompress(r io.Reader) (io.ReadCloser, error) {
	switch f {
	case TarGzip:
		return gzip.NewReader(r)
	case TarXz:
		x, err := xz.NewReader(r, maxWindow)
		return io.NopCloser(x), err
	case TarZstd:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case TarBzip2:
		return io.NopCloser(bzip2.NewReader(r)), nil
	}
	return io.NopCloser(r), nil
}

// broken makes a refusal of what a reader of a format says. A refusal of ours that went through it stays.
func broken(err error) error {
	switch {
	case isRefused(err):
		return err
	case errors.Is(err, xz.ErrMemlimit), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return refuse("it takes more than %d MB of memory to decompress: compress it with a lower level", maxWindow>>20)
	case err == io.EOF || strings.HasSuffix(err.Error(), io.ErrUnexpectedEOF.Error()):
		return refuse("it is cut off: upload it again")
	}
	return refuse("it is damaged or not well-formed (%v): make it anew", err)
}
