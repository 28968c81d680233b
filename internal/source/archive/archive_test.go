package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"bor/internal/source"
)

const content = "# Title\r\n\x0b no final newline"

// mixed has of everything that an honest archive may hold.
var mixed = []entry{
	{name: "pax_global_header", kind: tar.TypeXGlobalHeader, pax: map[string]string{"comment": "0123"}},
	file("./", ""), file("./top/", ""), file("top/b.md", content), file("top/sub/a.md", "a"), file("top/a.txt", ""),
	{name: "top/group/", mode: 0o2000}, file("top/group/ü.md", "ü"), file("top/other.exe", "MZ"), file("top/.hidden.md", "x"),
	file("top/node_modules/x/a.md", "x"), {name: "top/link.md", kind: tar.TypeSymlink, link: "sub/../b.md"},
	{name: "top/up.bin", kind: tar.TypeSymlink, link: "../top"}, file("top/.env", "A=1"), file("top/nul.md", "a\x00"),
	file("top/latin.md", "\xe4"), file("top/big.md", strings.Repeat("x", 100_001)), file("top/inner.zip", "PK\x03\x04\x00"),
	file("top/wide.md", "\xff\xfea\x00"), file("top/bad\xe4.md", "x"), file("top/p\xe4th/x.md", "x"), file("top/p\xe4th/y.md", "x"),
	file("top/"+strings.Repeat("d/", 500)+"a.md", "x"), file("top/x.png", "no matter"),
}

func TestWalk(t *testing.T) {
	for format, compress := range compressors {
		b := compress(tarOf(mixed...))
		if got, err := Sniff(b[:min(len(b), SniffBytes)]); got != format || err != nil {
			t.Errorf("%s is taken for %q, %v", format, got, err)
		}
		r, err := read(b, scope, bars)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		want(t, string(format)+": files", r.paths(), "top/b.md", "top/sub/a.md", "top/a.txt", "top/group/ü.md", "top/wide.md", "top/x.png")
		want(t, string(format)+": skips", r.skips, "symlink top/link.md", "symlink top/up.bin", "secret top/.env", "nul top/nul.md",
			"not_text top/latin.md", "too_big top/big.md", "nul top/inner.zip", `bad_name top/bad\xe4.md`, `bad_name top/p\xe4th`, "long_path top"+strings.Repeat("/d", 498))
		if r.count != len(r.files)+4 {
			t.Errorf("%s: Count = %d of %d", format, r.count, len(r.files))
		}
		f := r.files[0]
		if f.Text != content || f.SHA256 != sha256.Sum256([]byte(content)) || f.Size != int64(len(content)) || !f.ModTime.Equal(day) || f.Encoding != source.UTF8 || f.Revision != "" {
			t.Errorf("%s: b.md came as %+v", format, f)
		}
		if wide := r.files[4]; wide.Text != "a" || !wide.Encoding.Decoded() {
			t.Errorf("%s: wide.md came as %+v", format, wide)
		}
		if image := r.files[5]; string(image.Image) != "no matter" {
			t.Errorf("%s: the image came as %+v", format, image)
		}
	}
}

func TestZip(t *testing.T) {
	utf8Flag := func(h *zip.FileHeader) { h.Flags |= 0x800 }
	link := func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) }
	cp437 := func(h *zip.FileHeader) { h.NonUTF8 = true }
	b := zipOf(zipped{name: "top/"}, zipped{name: "top/b.md", content: content}, zipped{name: "top/ü.md", content: "u", change: utf8Flag},
		zipped{name: "top/ä.md", content: "a", change: cp437}, zipped{name: "top/\x84.md", content: "a", change: cp437},
		zipped{name: "top/link.md", content: "b.md", change: link}, zipped{name: "top/nested.zip", content: string(zipOf(zipped{name: "../x.md"}))})
	if format, err := Sniff(b); format != Zip || err != nil {
		t.Errorf("a zip is taken for %q, %v", format, err)
	}
	r := must(read(b, scope, bars))
	want(t, "files", r.paths(), "top/b.md", "top/ü.md", "top/ä.md")
	want(t, "skips", r.skips, `bad_name top/\x84.md`, "symlink top/link.md", "nul top/nested.zip")
	if f := r.files[0]; f.Text != content || !f.ModTime.Equal(day) {
		t.Errorf("b.md came as %+v", f)
	}

	r = must(read(deflated(file("a.md", strings.Repeat(content, 100)), file("sub/b.md", "")), scope, bars))
	want(t, "deflated, with descriptors", r.paths(), "a.md", "sub/b.md")
	if r.files[0].Text != strings.Repeat(content, 100) {
		t.Error("a.md came with another text")
	}

	// An entry whose sizes stand in the extra field that only zip64 has.
	big := zipOf(zipped{name: "a.md", content: content})
	r = must(read(zip64(big), scope, bars))
	want(t, "zip64", r.paths(), "a.md")

	// The list's order is not that of the bytes: what comes first in the archive is handed on first.
	swapped := swapDirectory(zipOf(zipped{name: "a.md", content: "1"}, zipped{name: "b.md", content: "2"}))
	want(t, "order", must(read(swapped, scope, bars)).paths(), "a.md", "b.md")
}

func TestAllowedSecretsAndIgnoredPaths(t *testing.T) {
	s := scope
	s.AllowSecrets, s.Ignore = []string{"top/.env"}, []string{"top/sub/"}
	r := must(read(tarOf(mixed...), s, bars))
	for path, in := range map[string]bool{"top/.env": true, "top/sub/a.md": false, "top/b.md": true} {
		if got := strings.Contains(strings.Join(r.paths(), "\n"), path); got != in {
			t.Errorf("%s: %v", path, got)
		}
	}
	s.MaxFileBytes = 0
	if paths := must(read(tarOf(mixed...), s, bars)).paths(); !strings.Contains(strings.Join(paths, "\n"), "top/big.md") {
		t.Error("without a bound, big.md is missing")
	}
}

func TestDates(t *testing.T) {
	for _, mtime := range []string{"1e18", "-5", "0", "253402300800", "999999999999999"} {
		b := tarOf(entry{name: "a.md", content: "x", pax: nil})
		head := paxHead(map[string]string{"mtime": mtime})
		r, err := read(append(head, b...), scope, bars)
		if err == nil && !r.files[0].ModTime.IsZero() {
			t.Errorf("mtime %s came as %v", mtime, r.files[0].ModTime)
		}
		if err != nil && !isRefused(err) {
			t.Errorf("mtime %s: %v", mtime, err)
		}
	}
}

// TestVisitErrors: what visit says comes back as it is, and ends the walk.
func TestVisitErrors(t *testing.T) {
	for name, b := range map[string][]byte{"tar": tarOf(file("a.md", "a"), file("b.md", "b")), "zip": deflated(file("a.md", "a"), file("b.md", "b"))} {
		tree := must(Open(context.Background(), bytes.NewReader(b), int64(len(b)), scope, bars))
		mine, calls := errors.New("mine"), 0
		if err := tree.Walk(context.Background(), func(source.File) error { calls++; return mine }, func(source.Skip) {}); err != mine || calls != 1 {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
		ctx, cancel := context.WithCancel(context.Background())
		err := tree.Walk(ctx, func(source.File) error { cancel(); return nil }, func(source.Skip) {})
		if err != context.Canceled {
			t.Errorf("%s: a cancelled walk ends with %v", name, err)
		}
		if _, err := Open(ctx, bytes.NewReader(b), int64(len(b)), scope, bars); err != context.Canceled {
			t.Errorf("%s: a cancelled opening ends with %v", name, err)
		}
		if err := tree.Walk(context.Background(), func(source.File) error { return nil }, func(source.Skip) {}); err != nil {
			t.Errorf("%s: a walk after a cancelled one ends with %v", name, err)
		}
	}
}

// faulty is a store that fails from an offset on.
type faulty struct {
	b    []byte
	from int64
	err  error
}

func (f *faulty) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > f.from {
		return 0, f.err
	}
	return bytes.NewReader(f.b).ReadAt(p, at)
}

// TestStoreErrors: when the database is away, the archive is not to blame.
func TestStoreErrors(t *testing.T) {
	noise := make([]byte, pieceBytes*5/4)
	for i := range noise {
		noise[i] = byte(i*i>>7) ^ byte(i*2654435761>>13)
	}
	plain := tarOf(file("a.bin", string(noise)))
	archives := map[string][]byte{"zip": zipOf(zipped{name: "a.bin", content: string(noise)})}
	for format, compress := range compressors {
		archives[string(format)] = compress(plain)
	}
	away := errors.New("the database is away")
	for name, b := range archives {
		for _, from := range []int64{0, pieceBytes} {
			_, err := Open(context.Background(), &faulty{b, from, away}, int64(len(b)), scope, bars)
			if !errors.Is(err, away) || isRefused(err) {
				t.Errorf("%s, broken from byte %d: %v", name, from, err)
			}
		}
	}
	_, err := Open(context.Background(), &faulty{plain, pieceBytes, nil}, int64(len(plain)), scope, bars)
	if !errors.Is(err, io.ErrUnexpectedEOF) || isRefused(err) {
		t.Errorf("a store with too few bytes: %v", err)
	}
}

func TestSniff(t *testing.T) {
	for name, tt := range map[string]struct{ head, say string }{
		"nothing": {"", "no archive"}, "text": {"# Notes\n", "no archive"}, "zeros": {string(make([]byte, 1024)), "no archive"},
		"7z": {"7z\xBC\xAF\x27\x1C\x00\x04", "a 7z archive, which is not read here"}, "rar": {"Rar!\x1A\x07\x01\x00", "RAR"}, "cab": {"MSCF", "cabinet"},
		"html": {"<html>", "no archive"}, "short tar": {string(tarOf(file("a", ""))[:511]), "no archive"},
	} {
		if format, err := Sniff([]byte(tt.head)); format != "" || !isRefused(err) || !strings.Contains(err.Error(), tt.say) {
			t.Errorf("%s: %q, %v", name, format, err)
		}
		if _, err := read([]byte(tt.head), scope, bars); !isRefused(err) {
			t.Errorf("%s: Open says %v", name, err)
		}
	}
	if format, err := Sniff(paxHead(map[string]string{"comment": "x"})[:512]); format != Tar || err != nil {
		t.Errorf("a tar that starts with an extended head is %q, %v", format, err)
	}
}

func TestDefaultLimits(t *testing.T) {
	for bytes, want := range map[int64]int64{0: 1 << 50, 1 << 19: 1 << 19, 200 << 20: 200 << 20} {
		if got := DefaultLimits(bytes); got.Bytes != want || got.Members == 0 || got.Ratio == 0 || got.FileBytes == 0 {
			t.Errorf("%d: %+v", bytes, got)
		}
	}
}
