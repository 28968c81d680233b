package tools

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/kb/kbtest"
	"bor/internal/testkit"
)

var (
	benchFiles = flag.Int("files", 20_000, "files of the grep benchmark's tree")
	benchTree  = flag.String("tree", "", "a real tree for the grep benchmark, instead of generated files")
)

// BenchmarkGrep puts a call of the tool beside ripgrep, which walks the same tree
// and counts the same lines, warm. It reports both medians and their ratio (PERF 2).
// In the quarter of the tree the same patterns show how the tool grows: flat is a
// "whole/quarter" near 1.
func BenchmarkGrep(b *testing.B) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Fatal("the benchmark needs ripgrep: apt-get install ripgrep")
	}
	dir := *benchTree
	if dir == "" {
		dir = b.TempDir()
		writeTree(b, dir, *benchFiles)
	}
	docs := readTree(b, dir)
	whole, quarter := filled(b, docs), filled(b, docs[:len(docs)/4])
	for _, c := range []struct{ name, pattern string }{
		{"rare", "gufo.internal:8443"}, {"absent", "no such words anywhere"}, {"common", "container"},
		{"word", "volume"}, {"case", "NetWork"}, {"three", "usr"}, {"signs", "=%"}, {"punctuation", "}}}"}, {"prose", "the e"},
	} {
		b.Run(c.name, func(b *testing.B) {
			arguments := fmt.Sprintf(`{"pattern":%q}`, c.pattern)
			if utf8.RuneCountInString(c.pattern) < kb.MinGrepChars {
				arguments = fmt.Sprintf(`{"pattern":%q,"path":"bench"}`, c.pattern)
			}
			var ours, small, theirs []time.Duration
			for b.Loop() {
				ours = append(ours, timed(func() { benchCall(b, whole, arguments) }))
				small = append(small, timed(func() { benchCall(b, quarter, arguments) }))
				theirs = append(theirs, timed(func() {
					out, err := exec.CommandContext(b.Context(), rg, "--no-ignore", "--hidden", "-i", "-F", "--count-matches", "-e", c.pattern, dir).Output()
					var exit *exec.ExitError
					if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
						b.Fatal(err)
					}
					_ = bytes.Count(out, []byte("\n"))
				}))
			}
			tool, rg := median(ours), median(theirs)
			b.ReportMetric(tool.Seconds()*1000, "ms/tool-p50")
			b.ReportMetric(rg.Seconds()*1000, "ms/rg-p50")
			b.ReportMetric(float64(tool)/float64(rg), "tool/rg")
			b.ReportMetric(float64(tool)/float64(median(small)), "whole/quarter")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func benchCall(b *testing.B, store *kb.Store, arguments string) agent.Result {
	ready, err := grep{store}.Prepare(b.Context(), arguments)
	if err != nil {
		b.Fatal(err)
	}
	result, err := ready.Run(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return result
}

// writeTree makes files of a few KB each, configuration and prose whose words are
// as unevenly common as those of a language.
func writeTree(b *testing.B, dir string, files int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.07, 20, 50_000)
	common := []string{"the", "container", "and", "of", "image", "a", "volume", "port", "network", "to", "is", "on", "systemd", "/usr/lib", "--userns=keep-id", "Größe", "8080:80", "=", "{{", "}}", "$HOME", "every", "%h"}
	word := func() string {
		if n := zipf.Uint64(); n >= uint64(len(common)) {
			return fmt.Sprintf("%c%s", 'a'+rune(n%26), strings.ToLower(fmt.Sprintf("%X", n*2654435761%100_003)))
		} else {
			return common[n]
		}
	}
	for i := range files {
		var text strings.Builder
		for range 20 + random.IntN(80) {
			for range 3 + random.IntN(10) {
				text.WriteString(word() + " ")
			}
			text.WriteByte('\n')
		}
		if i == files/8 {
			text.WriteString("reverse_proxy Gufo.Internal:8443\n")
		}
		folder := filepath.Join(dir, fmt.Sprintf("d%03d", i%200))
		if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.md", i)), []byte(text.String()), 0o644)); err != nil {
			b.Fatal(err)
		}
	}
}

func readTree(b *testing.B, dir string) (docs []kb.Document) {
	b.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		if utf8.Valid(text) && !bytes.ContainsRune(text, 0) {
			docs = append(docs, kb.Document{Source: "bench", Path: path, Content: string(text)})
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return docs
}

// filled is a store of docs. The index is made at the end, which is faster than
// with each document.
func filled(b *testing.B, docs []kb.Document) *kb.Store {
	b.Helper()
	pool := testkit.DB(b).Pool
	exec := func(sql string) {
		b.Helper()
		if _, err := pool.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	exec("DROP INDEX grep_blocks_trgm")
	kbtest.Add(b, pool, docs...)
	exec("CREATE INDEX grep_blocks_trgm ON grep_blocks USING gin (folded gin_trgm_ops)")
	exec("VACUUM ANALYZE")
	return kb.NewStore(pool)
}
