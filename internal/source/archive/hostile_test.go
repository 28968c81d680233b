package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"strings"
	"testing"
)

// TestNames: every spelling that leads out, in both families of formats.
func TestNames(t *testing.T) {
	refused := map[string]string{
		"../a.md": "leads out", "a/../../b.md": "leads out", "a/..": "leads out", "..": "leads out", `..\a.md`: "", `a\..\..\b.md`: "", "a/.. /b.md": "leads out",
		"a/.../b.md": "leads out", "./../a.md": "leads out", "a/. ./b": "leads out", "/etc/passwd.md": "absolute", "//host/share/a.md": "absolute",
		`\\host\share\a.md`: "", `\a.md`: "", "C:/a.md": "absolute", `c:\a.md`: "", "z:a.md": "absolute", "a//b.md": "empty part", "a/./b.md": "empty part",
		"a.md/": "", "a\x01.md": "control", "a\n.md": "control", "a\x7f.md": "control", "a\u0085.md": "control", "a\x1b[31m.md": "control",
		strings.Repeat("a/", 2047) + "a.md": "more than 4096 bytes",
	}
	for name, say := range refused {
		archives := map[string][]byte{"zip": zipOf(zipped{name: "good.md", content: "x"}, zipped{name: name, content: ""})}
		if !strings.ContainsAny(name, "\x00") {
			archives["tar"] = append(append(tarOf(file("good.md", "x"))[:1024], pax(map[string]string{"path": name}, "x")...), tarEnd...)
		}
		for format, b := range archives {
			if name == "a.md/" && format == "zip" {
				continue // that is a folder in zip
			}
			_, err := read(b, scope, bars)
			if !isRefused(err) || !strings.Contains(err.Error(), say) || !strings.Contains(err.Error(), "its member ") {
				t.Errorf("%s: %q: %v", format, name, err)
			} else if strings.ContainsAny(err.Error(), "\x00\x01\n\x1b\x7f") || len(err.Error()) > 1500 {
				t.Errorf("%s: %q is written into the error as it is: %q", format, name, err)
			}
		}
	}
	for _, name := range []string{"..a.md", "a..md", "a.../b.md", "… .md", ". a/b.md", " /b.md", "./a.md", "././a.md", "Ü:/b.md", "%2e%2e/a.md", "a/ .md"} {
		for format, b := range map[string][]byte{"zip": zipOf(zipped{name: name, content: "x"}), "tar": tarOf(file(name, "x"))} {
			if _, err := read(b, scope, bars); err != nil {
				t.Errorf("%s: %q: %v", format, name, err)
			}
		}
	}
	// systemd writes backslashes into names; tar means them as they are.
	want(t, "backslash", must(read(tarOf(file(`dev-disk\x2dby.md`, "x")), scope, bars)).paths(), `dev-disk\x2dby.md`)
}

// pax is a member whose extended head says more of it than its head does.
func pax(records map[string]string, content string) []byte {
	return append(paxHead(records), rawTar("short.md", '0', int64(len(content)), content)...)
}

func TestRefused(t *testing.T) {
	mode := func(m fs.FileMode) func(*zip.FileHeader) { return func(h *zip.FileHeader) { h.SetMode(m) } }
	says := func(size uint64) func(*zip.FileHeader) {
		return func(h *zip.FileHeader) { h.UncompressedSize64 = size }
	}
	zeros := strings.Repeat("\x00", 1<<20)
	tenMB := strings.Repeat(zeros, 10)
	good := file("good.md", "x")
	joined := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	gz := compressors[TarGzip]
	tests := []struct {
		name, member, say string
		b                 []byte
	}{
		// Kinds.
		{"hard link", "l.md", "hard link", tarOf(good, entry{name: "l.md", kind: tar.TypeLink, link: "/etc/passwd"})},
		{"character device", "d.md", "device", tarOf(good, entry{name: "d.md", kind: tar.TypeChar})},
		{"block device", "d.md", "device", tarOf(good, entry{name: "d.md", kind: tar.TypeBlock})},
		{"pipe", "d.md", "pipe", tarOf(good, entry{name: "d.md", kind: tar.TypeFifo})},
		{"set-uid", "s.md", "set-uid", tarOf(good, entry{name: "s.md", mode: 0o4755})},
		{"set-gid", "s.md", "set-uid", tarOf(good, entry{name: "s.md", mode: 0o2755})},
		{"set-uid folder", "s/", "set-uid", tarOf(good, entry{name: "s/", mode: 0o4755})},
		{"unknown kind", "v", "tar type 'V'", joined(rawTar("v", 'V', 0, ""), tarEnd)},
		{"zip device", "d.md", "device", zipOf(zipped{name: "d.md", change: mode(fs.ModeDevice)})},
		{"zip pipe", "d.md", "pipe", zipOf(zipped{name: "d.md", change: mode(fs.ModeNamedPipe)})},
		{"zip socket", "d.md", "socket", zipOf(zipped{name: "d.md", change: mode(fs.ModeSocket)})},
		{"zip set-uid", "d.md", "set-uid", zipOf(zipped{name: "d.md", change: mode(fs.ModeSetuid | 0o755)})},
		{"link out", "a/l.md", `leads out of the archive, to "../../x"`, tarOf(entry{name: "a/l.md", kind: tar.TypeSymlink, link: "../../x"})},
		{"link out and in", "l.md", "leads out", tarOf(entry{name: "l.md", kind: tar.TypeSymlink, link: "a/../../a/x"})},
		{"absolute link", "l.md", "leads out", tarOf(entry{name: "l.md", kind: tar.TypeSymlink, link: "/etc/passwd"})},
		{"link to a drive", "l.md", "leads out", tarOf(entry{name: "l.md", kind: tar.TypeSymlink, link: `c:\x`})},
		{"link to a share", "l.md", "leads out", tarOf(entry{name: "l.md", kind: tar.TypeSymlink, link: `\\host\x`})},
		{"zip link out", "l.md", "leads out", zipOf(zipped{name: "l.md", content: "../x", change: mode(fs.ModeSymlink)})},
		{"zip link, long", "l.md", "leads out", zipOf(zipped{name: "l.md", content: "../" + zeros, change: mode(fs.ModeSymlink)})},

		// Names that are the same.
		{"twice", "a.md", "same name", tarOf(file("a.md", "1"), file("a.md", "2"))},
		{"twice with a dot", "./a.md", "same name", tarOf(file("a.md", "1"), file("./a.md", "2"))},
		{"case", "A.md", "upper and lower case", tarOf(file("a.md", "1"), file("A.md", "2"))},
		{"case of a folder", "D/b.md", "upper and lower case", tarOf(file("d/a.md", "1"), file("D/b.md", "2"))},
		{"Kelvin", "\u212a.md", "upper and lower case", tarOf(file("k.md", "1"), file("\u212a.md", "2"))},
		{"sigma", "ς.md", "upper and lower case", tarOf(file("Σ.md", "1"), file("ς.md", "2"))},
		{"Unicode form", "u\u0308.md", "Unicode form", tarOf(file("ü.md", "1"), file("u\u0308.md", "2"))},
		{"both", "U\u0308.md", "Unicode form", tarOf(file("ü.md", "1"), file("U\u0308.md", "2"))},
		{"file and folder", "a.md/b.md", "file and a folder", tarOf(file("a.md", "1"), file("a.md/b.md", "2"))},
		{"folder and file", "a.md", "file and a folder", tarOf(file("a.md/b.md", "1"), file("a.md", "2"))},
		{"file as folder", "a/", "folder that has content", bytes.ReplaceAll(zipOf(zipped{name: "ax", content: "x"}), []byte("ax"), []byte("a/"))},
		{"folder as file", "a.md/", "empty part", joined(pax(map[string]string{"path": "a.md/"}, "x"), tarEnd)},
		{"zip twice", "a.md", "same name", zipOf(zipped{name: "a.md", content: "1"}, zipped{name: "a.md", content: "2"})},
		{"no name", "", "empty part", joined(rawTar("x", '0', 0, ""), rawTar("", '0', 0, ""), tarEnd)},

		// Bombs.
		{"gzip bomb", "y.bin", "times its own size", gz(tarOf(file("z.bin", zeros[:1000_000]), file("y.bin", zeros[:1000_000])))},
		{"xz bomb", "y.bin", "times its own size", compressors[TarXz](tarOf(file("z.bin", zeros[:1000_000]), file("y.bin", zeros[:1000_000])))},
		{"zstd bomb", "y.bin", "times its own size", compressors[TarZstd](tarOf(file("z.bin", zeros[:1000_000]), file("y.bin", zeros[:1000_000])))},
		{"bzip2 bomb", "y.bin", "times its own size", compressors[TarBzip2](tarOf(file("z.bin", zeros[:1000_000]), file("y.bin", zeros[:1000_000])))},
		{"zip bomb", "y.bin", "times its own size", deflated(file("z.bin", zeros[:1000_000]), file("y.bin", zeros[:1000_000]))},
		{"bomb behind the end", "", "times its own size", gz(append(tarOf(good), tenMB...))},
		{"bomb in gzip's parts", "", "times its own size", joined(gz(tarOf(good)), bytes.Repeat(gz([]byte(zeros)), 3))},
		{"gzip without end", "", "no archive", gz(gz(tarOf(good)))},
		{"big file", "z.bin", "limit for one file", tarOf(file("z.bin", zeros+"x"))},
		{"big file in zip", "z.bin", "limit for one file", zipOf(zipped{name: "z.bin", content: zeros + "x"})},
		{"much in all", "4.bin", "MB come out of it, the limit", deflated(halves(5)...)},
		{"big archive", "", "more than 4 MB, the limit", tarOf(file("z.bin", tenMB))},
		{"sparse, old", "s.md", "sparse", gnuSparse()},
		{"sparse, PAX", "GNUSparseFile.0/s.md", "sparse", joined(sparse("1.0"), tarEnd)},
		{"sparse, old PAX", "short.md", "sparse", joined(pax(map[string]string{"GNU.sparse.map": "0,1", "GNU.sparse.numblocks": "1", "GNU.sparse.size": "9999999999"}, "x"), tarEnd)},
		{"PAX size that lies", "", "", joined(pax(map[string]string{"size": "9000000000000000000"}, "x"), tarEnd)},
		{"PAX size below zero", "", "damaged", joined(pax(map[string]string{"size": "-1"}, "x"), tarEnd)},
		{"PAX record over a megabyte", "", "damaged", joined(rawTar("p", 'x', 1<<20+1, strings.Repeat("1", 1<<20+1)), tarEnd)},
		{"PAX record that says less", "", "damaged", joined(rawTar("p", 'x', 9, "3 a=bcdef"), tarEnd)},
		{"PAX NUL in a name", "", "damaged", joined(pax(map[string]string{"path": "a\x00.md"}, "x"), tarEnd)},
		{"many members", "m1000", "more than 1000 members", tarOf(many(1001, "m%d")...)},
		{"many members in zip", "", "1001 members", zipOf(manyZipped(1001)...)},
		{"many folders", "", "more than 2000 folders", tarOf(many(300, "%d/a/b/c/d/e/f/g")...)},
		{"long names", "", "too long together", compressors[Tar](longNames())},
		{"long list", "", "list of members is too long", zipOf(longZipped()...)},

		// Zip's own lies.
		{"says less", "a.md", "", zipOf(zipped{name: "a.md", content: strings.Repeat("x", 1000), change: says(10)})},
		{"says more", "a.md", "cut off", zipOf(zipped{name: "a.md", content: "x", change: says(1000)})},
		{"says 2^62", "a.md", "cut off", zipOf(zipped{name: "a.md", content: "x", change: says(1 << 62)})},
		{"wrong sum", "a.md", "damaged", zipOf(zipped{name: "a.md", content: "x", change: func(h *zip.FileHeader) { h.CRC32++ }})},
		{"encrypted", "a.md", "encrypted", zipOf(zipped{name: "a.md", content: "x", change: func(h *zip.FileHeader) { h.Flags |= 1 }})},
		{"other compression", "a.md", "method 12", zipOf(zipped{name: "a.md", content: "x", change: func(h *zip.FileHeader) { h.Method = 12 }})},
		{"no deflate", "a.md", "damaged", zipOf(zipped{name: "a.md", content: "\xff\xff\xff", change: func(h *zip.FileHeader) { h.Method = zip.Deflate }})},
		{"overlap", "b.md", "another member's", overlapping()},
		{"all the same bytes", "", "another member's", kernel(100)},
		{"longer than the archive", "a.md", "cut off", zipOf(zipped{name: "a.md", content: "x", change: func(h *zip.FileHeader) { h.CompressedSize64 = 1 << 40 }})},
		{"list far away", "", "damaged", directoryAt(1 << 31)},
		{"list that says more", "", "cut off", countLie(deflated(good), 60000)},
		{"no local head", "b.md", "damaged", noLocalHead()},
		{"zip without members", "", "no files", zipOf()},
		{"zip with text behind", "", "damaged", append(zipOf(zipped{name: "a.md"}), strings.Repeat("x", 70000)...)},

		// Tar's.
		{"cut in a head", "", "cut off", tarOf(good, good)[:1024+100]},
		{"cut in a file", "z.bin", "cut off", tarOf(file("z.bin", zeros))[:3000]},
		{"cut between", "", "without an end mark", tarOf(good, good)[:1024]},
		{"cut compressed", "", "cut off", gz(tarOf(file("z.bin", random(3000))))[:1500]},
		{"cut before the sum", "", "cut off", cut(gz(tarOf(good)), 4)},
		{"wrong sum of gzip", "", "damaged", flip(gz(tarOf(good)), 6)},
		{"wrong sum of xz", "", "damaged", flip(compressors[TarXz](tarOf(good)), 40)},
		{"wrong sum of bzip2", "", "damaged", flip(compressors[TarBzip2](tarOf(good)), 4)},
		{"wrong sum of zstd", "", "damaged", flip(compressors[TarZstd](tarOf(good)), 2)},
		{"wrong head", "good.md", "damaged", joined(tarOf(good)[:1024], flip(tarOf(file("b.md", "x")), 2048-50))},
		{"text behind", "", "follows its end", append(tarOf(good), "more"...)},
		{"joined", "", "follows its end", joined(tarOf(good), tarOf(good))},
		{"compressed text", "", "no archive", gz([]byte(strings.Repeat("text ", 1000)))},
		{"compressed nothing", "", "no archive", gz(nil)},
		{"compressed zip", "", "no archive", gz(deflated(good))},
		{"xz with a window of 4 GB", "", "64 MB of memory", window(40)},
		{"xz with a window of 96 MB", "", "64 MB of memory", window(29)},
		{"zstd with a window of 2 GB", "", "64 MB of memory", append([]byte("\x28\xB5\x2F\xFD\x00\xA8"), make([]byte, 600)...)},
		{"xz head only", "", "truncated", compressors[TarXz](tarOf(good))[:12]},
		{"bzip2 head only", "", "", []byte("BZh9")},
		{"zstd head only", "", "", []byte("\x28\xB5\x2F\xFD")},
		{"gzip head only", "", "cut off", []byte("\x1F\x8B\x08")},
	}
	for _, tt := range tests {
		r, err := read(tt.b, scope, bars)
		if !isRefused(err) || !strings.Contains(err.Error(), tt.say) || len(r.files) > 0 {
			t.Errorf("%s: %q, %v; it should say %q", tt.name, r.paths(), err, tt.say)
			continue
		}
		if tt.member != "" && !strings.Contains(err.Error(), quoted(tt.member)) {
			t.Errorf("%s: %v doesn't name %q", tt.name, err, tt.member)
		}
	}
}

// halves are files of just a megabyte that compress to half of it.
func halves(n int) (list []entry) {
	for i := range n {
		list = append(list, file(fmt.Sprintf("%d.bin", i), random(1<<19)+strings.Repeat("\x00", 1<<19)))
	}
	return list
}

func many(n int, form string) (list []entry) {
	for i := range n {
		list = append(list, file(fmt.Sprintf(form, i), ""))
	}
	return list
}

func manyZipped(n int) (list []zipped) {
	for i := range n {
		list = append(list, zipped{name: fmt.Sprintf("m%d", i)})
	}
	return list
}

func longNames() []byte {
	var list []entry
	for i := range 120 {
		list = append(list, file(fmt.Sprint(i)+strings.Repeat("x", 4000), ""))
	}
	return tarOf(list...)
}

func longZipped() (list []zipped) {
	for i := range 30 {
		list = append(list, zipped{name: fmt.Sprint(i) + strings.Repeat("x", 60000)})
	}
	return list
}

// sparse is a file of which GNU tar stores the parts that aren't zero.
func sparse(version string) []byte {
	major, minor, _ := strings.Cut(version, ".")
	content := "1\n0\n1\n" + strings.Repeat("\x00", 506) + "x"
	return append(paxHead(map[string]string{"GNU.sparse.major": major, "GNU.sparse.minor": minor, "GNU.sparse.realsize": "9999999999"}),
		rawTar("GNUSparseFile.0/s.md", '0', int64(len(content)), content)...)
}

// gnuSparse is the same in the older form, of one part at its end.
func gnuSparse() []byte {
	b := rawTar("s.md", 'S', 0, "")
	copy(b[257:], "ustar  \x00")
	copy(b[386:], "77777777777\x0000000000000\x00")
	copy(b[483:], "77777777777\x00")
	sum := 8 * int(' ')
	for i, c := range b[:512] {
		if i < 148 || i >= 156 {
			sum += int(c)
		}
	}
	copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(b, tarEnd...)
}

// overlapping has a second member inside the first one's bytes.
func overlapping() []byte {
	inner := zipOf(zipped{name: "b.md", content: "inner"})
	b := zipOf(zipped{name: "a.md", content: string(inner)}, zipped{name: "b.md", content: "inner"})
	second := bytes.LastIndex(b, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(b[second+42:], uint32(bytes.Index(b, inner)))
	return b
}

// kernel is a list in which all members are the same bytes.
func kernel(n int) []byte {
	b := deflated(file("0000.md", random(1000)))
	start, end := directory(b)
	var list []byte
	for i := range n {
		one := bytes.Clone(b[start:end])
		copy(one[46:], fmt.Sprintf("%04d", i))
		list = append(list, one...)
	}
	return withDirectory(b, list, n)
}

func noLocalHead() []byte {
	b := zipOf(zipped{name: "a.md"}, zipped{name: "b.md"})
	b[bytes.LastIndex(b, []byte("PK\x03\x04"))+3] = 5
	return b
}

func directoryAt(offset uint32) []byte {
	b := deflated(file("a.md", "x"))
	_, end := directory(b)
	binary.LittleEndian.PutUint32(b[end+16:], offset)
	return b
}

func countLie(b []byte, n uint16) []byte {
	_, end := directory(b)
	binary.LittleEndian.PutUint16(b[end+10:], n)
	return b
}

// random is text that doesn't compress well.
func random(n int) string {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return string(b)
}

func cut(b []byte, n int) []byte { return b[:len(b)-n] }

// flip changes a byte, counted from the end.
func flip(b []byte, n int) []byte {
	b[len(b)-n] ^= 0x55
	return b
}

// window makes xz's head ask for a window: 40 is 4 GB.
func window(size byte) []byte {
	b := compressors[TarXz](tarOf(file("a.md", "x")))
	const head = 12 // the stream's; the block's follows: length, flags, filter, length of its property, property
	length := int(b[head]+1) * 4
	at := head + bytes.Index(b[head:head+length], []byte{0x21, 1}) + 2
	b[at] = size
	binary.LittleEndian.PutUint32(b[head+length-4:], crc32.ChecksumIEEE(b[head:head+length-4]))
	return b
}
