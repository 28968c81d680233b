package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"testing"
	"time"

	"bor/internal/source"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

func crc(s string) uint32 { return crc32.ChecksumIEEE([]byte(s)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var day = time.Date(2024, 5, 17, 12, 30, 0, 0, time.UTC)

// entry is a member to be written; kind is a tar type, 0 for a file, or a folder when the name ends in a slash.
type entry struct {
	name, content string
	kind          byte
	link          string
	mode          int64
	pax           map[string]string
}

func file(name, content string) entry { return entry{name: name, content: content} }

func tarOf(entries ...entry) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Size: int64(len(e.content)), Mode: e.mode | 0o644, Linkname: e.link, ModTime: day, PAXRecords: e.pax}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
			if strings.HasSuffix(e.name, "/") {
				h.Typeflag = tar.TypeDir
			}
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			h = &tar.Header{Name: e.name, Typeflag: e.kind, PAXRecords: e.pax}
		}
		if err := w.WriteHeader(h); err != nil {
			panic(err)
		}
		must(w.Write([]byte(e.content)))
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// rawTar is a head by hand, for what no writer writes, and its content.
func rawTar(name string, kind byte, size int64, content string) []byte {
	h := make([]byte, 512)
	copy(h, name)
	copy(h[100:], "0000644\x000000000\x000000000\x00")
	copy(h[124:], fmt.Sprintf("%011o\x00", size))
	copy(h[136:], "00000000000\x00")
	h[156] = kind
	copy(h[257:], "ustar\x0000")
	sum := 8 * int(' ')
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(append(h, content...), make([]byte, (512-len(content)%512)%512)...)
}

var tarEnd = make([]byte, 1024)

// zipped is a member to be written by hand into a zip archive.
type zipped struct {
	name    string
	content string // as it is stored
	change  func(h *zip.FileHeader)
}

// stamp is the extra field that holds a time.
var stamp = binary.LittleEndian.AppendUint32([]byte("UT\x05\x00\x01"), uint32(day.Unix()))

// zipOf writes members as they are given: what the heads say need not be true.
func zipOf(members ...zipped) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Extra: stamp, UncompressedSize64: uint64(len(m.content)), CompressedSize64: uint64(len(m.content)), CRC32: crc(m.content)}
		h.SetMode(0o644)
		if strings.HasSuffix(m.name, "/") {
			h.SetMode(fs.ModeDir | 0o755)
		}
		if m.change != nil {
			m.change(h)
		}
		must(must(w.CreateRaw(h)).Write([]byte(m.content)))
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// deflated writes a zip archive as people's tools do, with data descriptors behind the members.
func deflated(files ...entry) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range files {
		must(must(w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: day})).Write([]byte(e.content)))
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// compressors makes each format of a tar archive.
var compressors = map[Format]func([]byte) []byte{
	Tar: func(b []byte) []byte { return b },
	TarGzip: func(b []byte) []byte {
		return through(b, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	},
	TarXz: func(b []byte) []byte {
		return through(b, func(w io.Writer) (io.WriteCloser, error) { return xz.WriterConfig{DictCap: 1 << 16}.NewWriter(w) })
	},
	TarZstd: func(b []byte) []byte {
		return through(b, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithWindowSize(1<<16)) })
	},
	TarBzip2: bzip2Of,
}

func through(b []byte, compressor func(io.Writer) (io.WriteCloser, error)) []byte {
	var out bytes.Buffer
	w := must(compressor(&out))
	must(w.Write(b))
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// bzip2Of is the system's: the standard library only reads it.
func bzip2Of(b []byte) []byte {
	c := exec.Command("bzip2")
	c.Stdin = bytes.NewReader(b)
	return must(c.Output())
}

var scope = source.Scope{Extensions: []string{"md", "txt", "zip"}, Images: true, MaxFileBytes: 100_000}

// bars are small, so that tests reach them soon.
var bars = Limits{Bytes: 4 << 20, FileBytes: 1 << 20, Members: 1000, Ratio: 100, RatioAbove: 1 << 20}

// result is what one archive gave.
type result struct {
	files []source.File
	skips []string
	count int
}

// read opens and walks an archive.
func read(b []byte, scope source.Scope, limits Limits) (r result, err error) {
	t, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), scope, limits)
	if err != nil {
		return r, err
	}
	defer t.Close()
	if r.count, err = t.Count(context.Background()); err != nil {
		return r, err
	}
	err = t.Walk(context.Background(), func(f source.File) error { r.files = append(r.files, f); return nil },
		func(s source.Skip) { r.skips = append(r.skips, string(s.Kind)+" "+s.Path) })
	return r, err
}

func (r result) paths() (list []string) {
	for _, f := range r.files {
		list = append(list, f.Path)
	}
	return list
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %.2000q\nwant %.2000q", what, got, want)
	}
}

// paxHead is an extended head, which says more about the member that follows it.
func paxHead(records map[string]string) []byte {
	var b strings.Builder
	for key, value := range records {
		length := len(key) + len(value) + 3
		for length != len(fmt.Sprint(length))+len(key)+len(value)+3 {
			length = len(fmt.Sprint(length)) + len(key) + len(value) + 3
		}
		fmt.Fprintf(&b, "%d %s=%s\n", length, key, value)
	}
	return rawTar("PaxHeaders/x", 'x', int64(b.Len()), b.String())
}

// directory is where a zip's list of members starts, and where it ends.
func directory(b []byte) (start, end int) {
	end = bytes.LastIndex(b, []byte("PK\x05\x06"))
	return int(binary.LittleEndian.Uint32(b[end+16:])), end
}

// withDirectory gives the zip another list of n members.
func withDirectory(b, list []byte, n int) []byte {
	start, end := directory(b)
	tail := bytes.Clone(b[end:])
	binary.LittleEndian.PutUint16(tail[8:], uint16(n))
	binary.LittleEndian.PutUint16(tail[10:], uint16(n))
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(list)))
	return bytes.Join([][]byte{b[:start], list, tail}, nil)
}

// zip64 moves the sizes of a zip's one member to the extra field for big ones.
func zip64(b []byte) []byte {
	start, end := directory(b)
	list := bytes.Clone(b[start:end])
	name, extra := int(binary.LittleEndian.Uint16(list[28:])), int(binary.LittleEndian.Uint16(list[30:]))
	field := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, 1), 16)
	field = binary.LittleEndian.AppendUint64(field, uint64(binary.LittleEndian.Uint32(list[24:])))
	field = binary.LittleEndian.AppendUint64(field, uint64(binary.LittleEndian.Uint32(list[20:])))
	copy(list[20:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	binary.LittleEndian.PutUint16(list[30:], uint16(extra+len(field)))
	return withDirectory(b, bytes.Join([][]byte{list[:46+name], field, list[46+name:]}, nil), 1)
}

// swapDirectory turns the order of a zip's two members around in its list.
func swapDirectory(b []byte) []byte {
	start, end := directory(b)
	half := (start + end) / 2
	return withDirectory(b, append(bytes.Clone(b[half:end]), b[start:half]...), 2)
}
