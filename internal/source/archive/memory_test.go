package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"bor/internal/source"

	"github.com/klauspost/compress/zstd"
)

// memoryBar is what no attack may need, the program itself included.
const memoryBar = 256 << 20

// victim names the archive that a process of its own opens and walks, so that its memory is nobody else's.
const victim = "BOR_TEST_ARCHIVE"

func TestMain(m *testing.M) {
	if name := os.Getenv(victim); name != "" {
		fmt.Println(attacked(name))
		return
	}
	os.Exit(m.Run())
}

// attacked opens and walks one archive with the bars of the product, and says how it went and what it took.
func attacked(name string) string {
	f := must(os.Open(name))
	defer f.Close()
	files, err := 0, error(nil)
	s := source.Scope{Extensions: []string{"md", "txt"}, MaxFileBytes: 10 << 20}
	tree, err := Open(context.Background(), f, must(f.Stat()).Size(), s, DefaultLimits(200<<20))
	if err == nil {
		err = tree.Walk(context.Background(), func(source.File) error { files++; return nil }, func(source.Skip) {})
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	peak := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(must(os.ReadFile("/proc/self/status")))
	return fmt.Sprintf("peak=%s heap=%d files=%d refused=%v error=%v", peak[1], m.HeapSys>>10, files, isRefused(err), err)
}

// TestMemoryAndTime runs each attack against the bars of the product, in a process that has nothing else to do.
func TestMemoryAndTime(t *testing.T) {
	attacks := []struct {
		name, say string
		write     func(w io.Writer)
	}{
		{"a million empty files in a zip", "list of members is too long", millionZipped},
		{"as many as fit the list", "members, the limit is 50000", func(w io.Writer) { emptyZipped(w, 300_000, 10) }},
		{"a million empty files in a tar.gz", "more than 50000 members", func(w io.Writer) { tarGzip(w, 60_000, 16) }},
		{"all that is allowed", "files=49999 refused=false", func(w io.Writer) { tarGzip(w, 49_999, 150) }},
		{"long names", "too long together", func(w io.Writer) { emptyTar(w, 6000, 4000) }},
		{"deep folders", "", func(w io.Writer) { tarGzip(w, 5000, -2000) }},
		{"gzip bomb of 10 GB", "limit for one file", func(w io.Writer) { gzipBomb(w, 10_000) }},
		{"zstd bomb", "times its own size", zstdBomb},
		{"PAX records of a megabyte", "more than 200 MB come out of it", paxBomb},
		{"zip of one file of 300 MB", "times its own size", func(w io.Writer) { w.Write(deflatedZeros()) }},
		{"flat zip bomb", "another member's", func(w io.Writer) { w.Write(manyOf(deflatedZeros(), 40_000)) }},
		{"xz with a window of 4 GB", "64 MB of memory", func(w io.Writer) { w.Write(window(40)) }},
		{"xz with the largest window", "files=1 refused=false", func(w io.Writer) { w.Write(window(28)) }},
		{"zstd with a window of 2 GB", "64 MB of memory", func(w io.Writer) { w.Write([]byte("\x28\xB5\x2F\xFD\x00\xA8" + strings.Repeat("\x00", 600))) }},
		{"zstd with the largest window", "files=1 refused=false", func(w io.Writer) {
			z := must(zstd.NewWriter(w, zstd.WithWindowSize(maxWindow), zstd.WithSingleSegment(false)))
			must(z.Write(tarOf(file("a.md", "x"), file("z.bin", random(70<<20)))))
			z.Close()
		}},
		{"a file of 100 MB in scope", "files=0 refused=false", func(w io.Writer) { w.Write(tarOf(file("z.md", strings.Repeat("words ", 16<<20)))) }},
	}
	for _, a := range attacks {
		name := filepath.Join(t.TempDir(), "archive")
		f := must(os.Create(name))
		a.write(f)
		f.Close()
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), victim+"="+name)
		start := time.Now()
		out, err := c.Output()
		took := time.Since(start)
		m := regexp.MustCompile(`^peak=(\d+) heap=(\d+)`).FindSubmatch(out)
		if err != nil || m == nil || !strings.Contains(string(out), a.say) {
			t.Errorf("%s: %.300s, %v; it should say %q", a.name, out, err, a.say)
			continue
		}
		peak, heap := must(strconv.Atoi(string(m[1])))<<10, must(strconv.Atoi(string(m[2])))<<10
		t.Logf("%s: %d MB, heap %d MB, %v", a.name, peak>>20, heap>>20, took.Round(time.Millisecond))
		if peak > memoryBar || heap > memoryBar {
			t.Errorf("%s: it took %d MB of memory, the heap had %d MB", a.name, peak>>20, heap>>20)
		}
		if took > 60*time.Second {
			t.Errorf("%s: it took %v", a.name, took)
		}
	}
}

func millionZipped(w io.Writer) { emptyZipped(w, 1_000_000, 8) }

// emptyZipped writes a zip of n empty files by hand, because the writer for zip needs minutes for it.
func emptyZipped(w io.Writer, n, nameBytes int) {
	local := append([]byte("PK\x03\x04\x14\x00"), make([]byte, 24)...)
	central := append([]byte("PK\x01\x02\x14\x00\x14\x00"), make([]byte, 38)...)
	binary.LittleEndian.PutUint16(local[26:], uint16(nameBytes))
	binary.LittleEndian.PutUint16(central[28:], uint16(nameBytes))
	var heads, list bytes.Buffer
	for i := range n {
		name := fmt.Sprintf("%0*d", nameBytes, i)
		binary.LittleEndian.PutUint32(central[42:], uint32(heads.Len()))
		heads.Write(local)
		heads.WriteString(name)
		list.Write(central)
		list.WriteString(name)
	}
	tail := append([]byte("PK\x05\x06\x00\x00\x00\x00"), make([]byte, 14)...)
	binary.LittleEndian.PutUint16(tail[8:], uint16(n))
	binary.LittleEndian.PutUint16(tail[10:], uint16(n))
	binary.LittleEndian.PutUint32(tail[12:], uint32(list.Len()))
	binary.LittleEndian.PutUint32(tail[16:], uint32(heads.Len()))
	for _, part := range [][]byte{heads.Bytes(), list.Bytes(), tail} {
		must(w.Write(part))
	}
}

// tarGzip writes n empty files with names of so many bytes; of a negative number, each in as deep a folder of its own.
func tarGzip(w io.Writer, n, nameBytes int) {
	z := must(gzip.NewWriterLevel(w, gzip.BestSpeed))
	emptyTar(z, n, nameBytes)
	z.Close()
}

func emptyTar(w io.Writer, n, nameBytes int) {
	t := tar.NewWriter(w)
	for i := range n {
		name := fmt.Sprintf("%08d", i)
		if nameBytes < 0 {
			name += strings.Repeat("/d", -nameBytes/2)
		} else {
			name += strings.Repeat("x", max(0, nameBytes-len(name)-3))
		}
		if err := t.WriteHeader(&tar.Header{Name: name + ".md", Typeflag: tar.TypeReg, Mode: 0o644}); err != nil {
			panic(err)
		}
	}
	t.Close()
}

// gzipBomb writes as many megabytes of zeros, compressed.
func gzipBomb(w io.Writer, megabytes int) {
	must(w.Write(compressors[TarGzip](rawTar("z.bin", '0', 7<<30, ""))))
	part := compressors[TarGzip](make([]byte, 1<<20))
	must(w.Write(bytes.Repeat(part, megabytes)))
}

func zstdBomb(w io.Writer) {
	z := must(zstd.NewWriter(w))
	must(z.Write(rawTar("z.bin", '0', 7<<30, "")))
	zeros := make([]byte, 1<<20)
	for range 300 {
		must(z.Write(zeros))
	}
	z.Close()
}

func paxBomb(w io.Writer) {
	part := compressors[TarGzip](paxHead(map[string]string{"comment": random(1<<19) + strings.Repeat("x", 1<<19-100)}))
	must(w.Write(bytes.Repeat(part, 205)))
}

// deflatedZeros is a zip of one file of 300 MB of zeros.
func deflatedZeros() []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f := must(w.Create("00000.bin"))
	zeros := make([]byte, 1<<20)
	for range 300 {
		must(f.Write(zeros))
	}
	w.Close()
	return b.Bytes()
}

// manyOf gives a zip of one member a list in which it stands n times.
func manyOf(b []byte, n int) []byte {
	start, end := directory(b)
	one, list := b[start:end], make([]byte, 0, n*(end-start))
	for i := range n {
		list = append(list, one...)
		copy(list[len(list)-len(one)+46:], fmt.Sprintf("%05d", i))
	}
	return withDirectory(b, list, n)
}
