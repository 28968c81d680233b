package archive

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bor/internal/source"
)

// TestBytesAsInAFolder: a file comes out of an archive as it comes out of a folder, exactly or left out with the
// same reason (REL3).
func TestBytesAsInAFolder(t *testing.T) {
	unique := &strings.Builder{}
	for i := 0; unique.Len() < 5<<20; i++ {
		fmt.Fprintf(unique, "unique%dword ", i)
	}
	files := map[string]string{
		"empty": "", "nul": "a\x00b", "invalid": "caf\xe9\n", "cut": "a\xe2\x82", "le": "\xff\xfeh\x00\n\x00", "be": "\xfe\xff\x00h\x00\n",
		"odd": "\xff\xfea", "pair": "\xfe\xff\xd8\x00", "bare16": "h\x00i\x00", "utf32": "\xff\xfe\x00\x00h\x00\x00\x00", "bom": "\ufeffa\n", "boms": "\ufeff\ufeff",
		"ends": "a\r\nb\rc\nd\n\r", "no-end": "a\nb", "breaks": "a\vb\fc\u0085d\u2028e\u2029f", "form": "e\u0301 é", "key": "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 8) + "\n-----END PRIVATE KEY-----\n",
		"line": strings.Repeat("one line, ", 1<<20), "over": strings.Repeat("x", 10<<20+1), "lines": strings.Repeat("a line of many\r\n", 100_000), "unique": unique.String(),
	}
	s := source.Scope{Extensions: []string{"txt"}, MaxFileBytes: 10 << 20}
	dir := t.TempDir()
	var entries []entry
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if !yield(name + ".txt") {
				return
			}
		}
	}) {
		text := files[strings.TrimSuffix(name, ".txt")]
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, file(name, text))
	}
	folder := told(t, must(source.Local(dir, s)))
	if handed := len(files) - 9; strings.Count(strings.Join(folder, "\n"), "handed on") != handed {
		t.Errorf("the folder gives %.2000q, want %d files", folder, handed)
	}
	plain, limits := tarOf(entries...), DefaultLimits(200<<20)
	for format, b := range map[Format][]byte{Tar: plain, TarGzip: compressors[TarGzip](plain), TarZstd: compressors[TarZstd](plain), Zip: deflated(entries...)} {
		limits.Ratio = 1000 // what repeats itself compresses well
		want(t, string(format), told(t, must(Open(context.Background(), strings.NewReader(string(b)), int64(len(b)), s, limits))), folder...)
	}
}

// told writes down all that a tree hands on or leaves out.
func told(t *testing.T, tree source.Tree) (lines []string) {
	t.Helper()
	defer tree.Close()
	err := tree.Walk(context.Background(), func(f source.File) error {
		lines = append(lines, fmt.Sprintf("%s: handed on as %s, %d bytes, %x, text %08x", f.Path, f.Encoding, f.Size, f.SHA256, crc(f.Text)))
		return nil
	}, func(s source.Skip) { lines = append(lines, fmt.Sprintf("%s: %s, %s", s.Path, s.Kind, s.Reason)) })
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
