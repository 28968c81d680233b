package archive

import (
	"strings"
	"testing"

	"bor/internal/source"
)

// fuzzBars are so small that every bar is met.
var fuzzBars = Limits{Bytes: 1 << 20, FileBytes: 8 << 10, Members: 50, Ratio: 100, RatioAbove: 4 << 10}

// fuzz: whatever the bytes are, the archive is refused or walked, within the bars and the same each time.
func fuzz(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := read(b, scope, fuzzBars)
		if err != nil {
			if !isRefused(err) || strings.ContainsAny(err.Error(), "\x00\x1b\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		bytes := int64(0)
		paths := map[string]bool{}
		for _, file := range r.files {
			bytes += file.Size
			if paths[file.Path] || file.Path == "" || strings.HasPrefix(file.Path, "/") || strings.Contains("/"+file.Path+"/", "/../") {
				t.Fatalf("the path %q", file.Path)
			}
			paths[file.Path] = true
			if file.Size > scope.MaxFileBytes || len(file.Path) > 4*source.MaxPathChars {
				t.Fatalf("%q has %d bytes", file.Path, file.Size)
			}
		}
		if bytes > fuzzBars.Bytes || len(r.files) > fuzzBars.Members || r.count < len(r.files) {
			t.Fatalf("%d bytes, %d files, %d counted", bytes, len(r.files), r.count)
		}
		again, err := read(b, scope, fuzzBars)
		if err != nil || strings.Join(again.paths(), "\n") != strings.Join(r.paths(), "\n") {
			t.Fatalf("read again: %q, %v", again.paths(), err)
		}
	})
}

// seeds are small archives that are good, and some that aren't.
func seeds(f *testing.F, format Format) {
	compress := compressors[format]
	for _, b := range [][]byte{
		tarOf(mixed[:6]...), tarOf(file("a.md", "a"), file("A.md", "b")), tarOf(file("a.bin", strings.Repeat("\x00", 9_000))),
		tarOf(file(strings.Repeat("long/", 30)+"ü.md", "x")), sparse("1.0"), tarOf(file("a.md", "x"))[:1024],
	} {
		f.Add(compress(b))
	}
}

func FuzzTar(f *testing.F)   { seeds(f, Tar); fuzz(f) }
func FuzzGzip(f *testing.F)  { seeds(f, TarGzip); fuzz(f) }
func FuzzXz(f *testing.F)    { seeds(f, TarXz); fuzz(f) }
func FuzzZstd(f *testing.F)  { seeds(f, TarZstd); fuzz(f) }
func FuzzBzip2(f *testing.F) { seeds(f, TarBzip2); fuzz(f) }

func FuzzZip(f *testing.F) {
	f.Add(deflated(mixed[3], mixed[4], mixed[5]))
	f.Add(zipOf(zipped{name: "top/"}, zipped{name: "top/b.md", content: content}))
	f.Add(zip64(zipOf(zipped{name: "a.md", content: "x"})))
	f.Add(overlapping())
	f.Add(kernel(3))
	f.Add(directoryAt(1 << 31))
	fuzz(f)
}

// FuzzName: a name that is taken leads nowhere else, and is taken the same way again.
func FuzzName(f *testing.F) {
	for _, name := range []string{"a/b.md", "../a", `..\a`, "C:a", "./a/", "a//b", "a/. ./b", "ü\u0308", "a\x00b"} {
		f.Add(name, "../x", true, false)
	}
	f.Fuzz(func(t *testing.T, name, target string, folder, backslashes bool) {
		path, err := cleanName(name, folder, backslashes)
		if err != nil || path == "" {
			return
		}
		for step := range strings.SplitSeq(path, "/") {
			if step == "" || step == "." || step == ".." {
				t.Fatalf("%q became %q", name, path)
			}
		}
		if again, err := cleanName(path, folder, backslashes); again != path || err != nil {
			t.Fatalf("%q became %q and then %q, %v", name, path, again, err)
		}
		if fold(fold(path)) != fold(path) {
			t.Fatalf("%q is folded to %q and then %q", path, fold(path), fold(fold(path)))
		}
		leadsOut(path, target)
	})
}
