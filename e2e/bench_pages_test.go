//go:build bench

package e2e

import (
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bor/internal/testkit"
)

// TestBenchStart: from the start of the process to "is ready", on a migrated
// database, beside a process of the same binary that does nothing.
func TestBenchStart(t *testing.T) {
	database := testkit.EmptyDB(t)
	startOn(t, database, options{}).stop() // migrates
	var ready, bare []time.Duration
	for range 10 {
		began := time.Now()
		p := startOn(t, database, options{})
		ready = append(ready, time.Since(began))
		p.stop()
		began = time.Now()
		must(t, exec.Command(binary, "version").Run())
		bare = append(bare, time.Since(began))
	}
	slices.Sort(ready)
	slices.Sort(bare)
	t.Logf("ready after p50 %v, highest %v (bar 1 s)   baseline, bor version: p50 %v", at(ready, 50), at(ready, 100), at(bare, 50))
}

// TestBenchPages: the first page's time in the server and the idle memory, beside
// the smallest answer there is.
func TestBenchPages(t *testing.T) {
	p, _ := house(t, nil, "BOR_TRUSTED_PROXIES=127.0.0.1/32")
	c := newClient(t, p.url, 0)
	now, highest := memory(t, p.cmd.Process.Pid)
	get := func(path string) time.Duration {
		began := time.Now()
		response := c.send(http.MethodGet, path, nil, nil)
		_, err := io.Copy(io.Discard, response.Body)
		must(t, err)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", path, response.Status)
		}
		return time.Since(began)
	}
	first := get("/")
	var page, health []time.Duration
	for range 300 {
		page, health = append(page, get("/")), append(health, get("/healthz"))
	}
	slices.Sort(page)
	slices.Sort(health)
	t.Logf("first page: first time %v, then p50 %v, p99 %v (bar 10 ms)   baseline, /healthz: p50 %v, p99 %v", first.Round(10*time.Microsecond), at(page, 50), at(page, 99), at(health, 50), at(health, 99))
	t.Logf("idle memory %d MB, highest since the start %d MB (bar 80 MB)", now>>20, highest>>20)
}

var assetPath = regexp.MustCompile(`(?:src|href)="(/[^"]+\.(?:js|css))"`)

// TestBenchAssets: the compressed size of scripts and styles, beside htmx alone.
func TestBenchAssets(t *testing.T) {
	p, _ := house(t, nil, "BOR_TRUSTED_PROXIES=127.0.0.1/32")
	c := newClient(t, p.url, 0)
	fetch := func(path string) []byte {
		response := c.send(http.MethodGet, path, nil, http.Header{"Accept-Encoding": {"gzip"}})
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		must(t, err)
		if strings.HasSuffix(path, "s") && response.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s isn't compressed", path)
		}
		return body
	}
	response := c.send(http.MethodGet, "/", nil, nil)
	html, err := io.ReadAll(response.Body)
	response.Body.Close()
	must(t, err)
	sizes, htmx := map[string]int{}, 0
	for _, found := range assetPath.FindAllStringSubmatch(string(html), -1) {
		path := found[1]
		size := len(fetch(path))
		kind := path[strings.LastIndexByte(path, '.')+1:]
		sizes[kind] += size
		if strings.Contains(path, "htmx") {
			htmx = size
		}
		t.Logf("%s: %d B", path[strings.LastIndexByte(path, '/')+1:], size)
	}
	if sizes["js"] == 0 || sizes["css"] == 0 {
		t.Fatalf("no scripts or no styles on the page:\n%s", html)
	}
	t.Logf("compressed: scripts %.1f KB (bar 60), styles %.1f KB (bar 15)   baseline, htmx alone: %.1f KB", float64(sizes["js"])/1000, float64(sizes["css"])/1000, float64(htmx)/1000)
}
