package source

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus writes 2 000 files of about 4 KB of configuration and prose.
func corpus(b *testing.B) (dir string, size int64) {
	b.Helper()
	dir = b.TempDir()
	text := strings.Repeat("The container listens on port 8080; see net.ipv4.ip_forward.\n\n    Image=docker.io/library/x:1\n\n", 42)
	for i := range 2000 {
		folder := filepath.Join(dir, fmt.Sprint(i%50))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		content := fmt.Sprintf("# %d\n\n%s", i, text)
		size += int64(len(content))
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i, ".md")), []byte(content), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir, size
}

// BenchmarkWalk is to be compared with BenchmarkHash: an unchanged re-run costs a Count and a Walk.
func BenchmarkWalk(b *testing.B) {
	dir, size := corpus(b)
	d, err := Local(dir, Scope{Extensions: []string{"md"}, MaxFileBytes: 10 << 20})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	b.SetBytes(size)
	for b.Loop() {
		if _, err := d.Count(context.Background()); err != nil {
			b.Fatal(err)
		}
		files := 0
		err := d.Walk(context.Background(), func(File) error { files++; return nil }, func(Skip) {})
		if err != nil || files != 2000 {
			b.Fatal(files, err)
		}
	}
}

// BenchmarkHash is the floor: read and hash every file of the same tree.
func BenchmarkHash(b *testing.B) {
	dir, size := corpus(b)
	b.SetBytes(size)
	for b.Loop() {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			sha256.Sum256(content)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSecret(b *testing.B) {
	text := strings.Repeat("The container listens on port 8080; see net.ipv4.ip_forward.\n\n    Image=docker.io/library/x:1\n\n", 10000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if reason, ok := Secret("a.md", text); ok {
			b.Fatal(reason)
		}
	}
}
