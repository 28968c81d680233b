//go:build bench

package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bor/internal/testkit"
)

const (
	fewFiles, manyFiles = 5000, 20000
	// endpointRate is a small sentence encoder's on two cores, in texts a second.
	endpointRate  = 300
	boundFiles    = 3000 // for the import that waits for the endpoint
	unchangedRuns = 5
)

// generate writes notes of about 2 KB, two chunks each.
func generate(t *testing.T, files int) string {
	t.Helper()
	dir, r := t.TempDir(), rand.New(rand.NewPCG(3, 7))
	words := strings.Fields("port volume unit quadlet backup journal address route mirror kernel timer socket resolver certificate snapshot pool")
	for n := range files {
		folder := filepath.Join(dir, fmt.Sprintf("area-%02d", n%40), fmt.Sprintf("host-%03d", n%700))
		must(t, os.MkdirAll(folder, 0o755))
		var b strings.Builder
		fmt.Fprintf(&b, "# Note %d\n", n)
		for section := range 2 {
			fmt.Fprintf(&b, "\n## Part %d of %d\n\n", section, n)
			for range 12 {
				for range 10 {
					b.WriteString(words[r.IntN(len(words))] + " ")
				}
				fmt.Fprintf(&b, "%d.\n", r.IntN(100000))
			}
		}
		must(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("note-%05d.md", n)), []byte(b.String()), 0o644))
	}
	return dir
}

// imported is what one run of bor import cost.
type imported struct {
	took    time.Duration
	highest int // memory, in bytes
	summary string
}

var summaryLine = regexp.MustCompile(`(?m)^import: summary .*$`)

func (p *product) measureImport(dir, name string) imported {
	p.t.Helper()
	cmd := exec.Command(binary, "import", "--source", dir, "--name", name)
	cmd.Env = append(p.env, "BOR_LOG_LEVEL=warn")
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("importing: %v\n%s", err, out)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return imported{time.Since(began), int(usage.Maxrss) << 10, summaryLine.FindString(string(out))}
}

// hashAll reads and hashes every file: the least that noticing a change costs.
func hashAll(t *testing.T, dir string) time.Duration {
	t.Helper()
	began := time.Now()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		sha256.Sum256(content)
		return err
	}))
	return time.Since(began)
}

// TestBenchImport: imports of 5 000 and of 20 000 files; the second run of each,
// which changes nothing, beside hashing the same files; memory against number.
func TestBenchImport(t *testing.T) {
	var highest []int
	for _, files := range []int{fewFiles, manyFiles} {
		p := start(t, options{})
		dir, name := generate(t, files), "notes"
		first := p.measureImport(dir, name)
		highest = append(highest, first.highest)
		t.Logf("%d files: first import %v, %d MB at most; %s", files, first.took.Round(10*time.Millisecond), first.highest>>20, first.summary)
		p.measureUnchanged(dir, name)
	}
	t.Logf("RATIO memory, %d/%d files = %.2f (1 is flat)", manyFiles, fewFiles, float64(highest[1])/float64(highest[0]))
}

// measureUnchanged repeats an import that changes nothing, each time beside hashing
// the same files, warm. The first runs fall into what PostgreSQL still does after the
// import that came before; the median stands for a usual one.
func (p *product) measureUnchanged(dir, name string) {
	p.t.Helper()
	hashAll(p.t, dir)
	var ratios []float64
	for range unchangedRuns {
		hashing := hashAll(p.t, dir)
		again := p.measureImport(dir, name)
		ratios = append(ratios, float64(again.took)/float64(hashing))
		p.t.Logf("unchanged: %v, %d MB at most; hashing %v; %s", again.took.Round(time.Millisecond), again.highest>>20, hashing.Round(time.Millisecond), again.summary)
	}
	slices.Sort(ratios)
	p.t.Logf("RATIO unchanged run/hashing = %.2f (bar 2), the median of %.2f", ratios[len(ratios)/2], ratios)
}

// endpoint is an embeddings server of a known pace: one text after the other, at
// endpointRate, with no work of its own.
type endpoint struct {
	mu    sync.Mutex
	free  time.Time // when it has done what it was given
	texts int
	begun time.Time // when it was asked first
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	var in struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	e.free = later(e.free, time.Now()).Add(time.Duration(len(in.Input)) * time.Second / endpointRate)
	if e.texts += len(in.Input); e.texts == len(in.Input) {
		e.begun = time.Now()
	}
	wait := time.Until(e.free)
	e.mu.Unlock()
	<-time.After(wait)
	type embedding struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := make([]embedding, len(in.Input))
	for i := range data {
		vector := make([]float32, 768)
		for k, b := range sha256.Sum256([]byte(in.Input[i])) {
			vector[k] = float32(b) + 1
		}
		data[i] = embedding{i, vector}
	}
	json.NewEncoder(w).Encode(map[string]any{"data": data})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// TestBenchImportBound: a first import beside what its embeddings endpoint gives
// when nothing else is done.
func TestBenchImportBound(t *testing.T) {
	model := testkit.NewModel(t)
	e := &endpoint{}
	model.Handle("/v1/embeddings", e.serve)
	p := start(t, options{model: model})
	dir := generate(t, boundFiles)
	e.texts = 0
	first := p.measureImport(dir, "notes")
	whole, during := float64(e.texts)/first.took.Seconds(), float64(e.texts)/e.free.Sub(e.begun).Seconds()

	const batch = 64
	began, asked, enough := time.Now(), 0, e.texts/4
	var clients sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		clients.Go(func() {
			for {
				mu.Lock()
				more := asked < enough
				if more {
					asked += batch
				}
				mu.Unlock()
				if !more {
					return
				}
				input := make([]string, batch)
				for i := range input {
					input[i] = strings.Repeat("port volume unit ", 60)
				}
				body, _ := json.Marshal(map[string]any{"model": "embed", "input": input})
				response, err := http.Post(model.URL+"/embeddings", "application/json", strings.NewReader(string(body)))
				if err != nil {
					t.Error(err)
					return
				}
				var got json.RawMessage
				if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
					t.Error(err)
				}
				response.Body.Close()
			}
		})
	}
	clients.Wait()
	alone := float64(asked) / time.Since(began).Seconds()
	t.Logf("%d files: %v; %s", boundFiles, first.took.Round(10*time.Millisecond), first.summary)
	t.Logf("RATIO import/endpoint alone = %.2f while files are indexed (bar 0.90), %.2f with the start and the making of the index: %.0f and %.0f texts a second, baseline %.0f",
		during/alone, whole/alone, during, whole, alone)
}

// TestBenchImportCorpus: the largest real corpus there is, when it is there.
func TestBenchImportCorpus(t *testing.T) {
	archive := os.Getenv("BOR_BENCH_CORPUS")
	if archive == "" {
		t.Log("not measured: set BOR_BENCH_CORPUS to a tar archive of documents, such as tldr's pages in all languages")
		return
	}
	dir := t.TempDir()
	if out, err := exec.Command("tar", "-xf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("unpacking %s: %v\n%s", archive, err, out)
	}
	p := start(t, options{})
	first := p.measureImport(dir, "corpus")
	t.Logf("first import %v, %d MB at most; %s", first.took.Round(10*time.Millisecond), first.highest>>20, first.summary)
	p.measureUnchanged(dir, "corpus")
}
