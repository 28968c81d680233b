package git

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"bor/internal/source"
)

// BenchmarkWalk reads 5 000 files of about 4 KB; compare with the hashing of
// their bytes, which is the floor.
func BenchmarkWalk(b *testing.B) {
	dir := b.TempDir()
	text := strings.Repeat("The container listens on port 8080; see net.ipv4.ip_forward.\n", 64)
	var stream strings.Builder
	fmt.Fprint(&stream, "commit refs/heads/main\ncommitter C <c@example.org> 1700000000 +0000\ndata 0\n")
	size := 0
	for i := range 5000 {
		content := fmt.Sprint(i, text)
		size += len(content)
		fmt.Fprintf(&stream, "M 100644 inline %d/%d.md\ndata %d\n%s\n", i%50, i, len(content), content)
	}
	for _, cmd := range []*exec.Cmd{exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", dir), exec.Command("git", "-C", dir, "fast-import", "--quiet")} {
		cmd.Stdin = strings.NewReader(stream.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	tree, err := Open(context.Background(), Remote{URL: dir}, Options{CacheDir: b.TempDir(), Scope: textScope, Access: Access{AllowLocal: true}})
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	b.Run("walk", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			n, err := tree.Count(context.Background())
			if err != nil || n != 5000 {
				b.Fatal(n, err)
			}
			if err := tree.Walk(context.Background(), func(source.File) error { n--; return nil }, func(source.Skip) {}); err != nil || n != 0 {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("hash", func(b *testing.B) {
		b.SetBytes(int64(size))
		content := []byte(text)
		for b.Loop() {
			for range 5000 {
				sha256.Sum256(content)
			}
		}
	})
}
