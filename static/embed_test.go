package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, method, url, encoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, url, nil)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestEveryAssetIsServedForEverUnderItsHash(t *testing.T) {
	for _, n := range names {
		want, err := files.ReadFile(n.name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(want)
		if !strings.Contains(URL(n.name), hex.EncodeToString(sum[:6])) {
			t.Errorf("%s: no content hash in %s", n.name, URL(n.name))
		}
		for _, encoding := range []string{"", "br, gzip"} {
			res := get(t, "GET", URL(n.name), encoding)
			var body io.Reader = res.Body
			if encoding != "" {
				if res.Header.Get("Content-Encoding") != "gzip" {
					t.Errorf("%s: not compressed", n.name)
				}
				if body, err = gzip.NewReader(res.Body); err != nil {
					t.Fatal(err)
				}
			}
			got, err := io.ReadAll(body)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s (%q): %d bytes, want %d; %v", n.name, encoding, len(got), len(want), err)
			}
			h := res.Header
			if res.StatusCode != 200 || h.Get("Content-Type") != n.mime || h.Get("X-Content-Type-Options") != "nosniff" ||
				h.Get("Cache-Control") != "public, max-age=31536000, immutable" || h.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: %d %v", n.name, res.StatusCode, h)
			}
		}
	}
}

func TestOtherAddresses(t *testing.T) {
	if res := get(t, "GET", "/static/000000000000/app.css", ""); res.StatusCode != 200 || res.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("an older page's address: %d %q", res.StatusCode, res.Header.Get("Cache-Control"))
	}
	for _, url := range []string{"/static/x/embed.go", "/static/", "/static/x/../embed.go", "/static/x/vendor/README.md"} {
		if res := get(t, "GET", url, ""); res.StatusCode != 404 {
			t.Errorf("%s: %d, want 404", url, res.StatusCode)
		}
	}
	if res := get(t, "POST", URL("app.css"), ""); res.StatusCode != 405 || res.Header.Get("Allow") == "" {
		t.Errorf("POST: %d", res.StatusCode)
	}
	res := get(t, "HEAD", URL("app.css"), "")
	if body, _ := io.ReadAll(res.Body); res.StatusCode != 200 || len(body) != 0 || res.Header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d with %d bytes", res.StatusCode, len(body))
	}
	defer func() {
		if recover() == nil {
			t.Error("URL of a missing asset did not panic")
		}
	}()
	URL("nothing.css")
}

func TestScriptsLoadInOrder(t *testing.T) {
	got := strings.Join(Scripts(), " ")
	if !regexp.MustCompile(`^\S+/htmx\.min\.js \S+/hx-csp\.min\.js \S+/hx-sse\.min\.js \S+/app\.js$`).MatchString(got) {
		t.Error(got)
	}
}

// The budgets of the front end: what a first visit downloads.
func TestSizes(t *testing.T) {
	var js int
	for _, n := range names {
		size := len(assets()[n.name].gzipped)
		switch {
		case n.name == "app.css" && size > 16<<10:
			t.Errorf("app.css is %d bytes compressed, over 15 KB", size)
		case n.name == "app.js" && size > 6<<10:
			t.Errorf("app.js is %d bytes compressed, over 6 KB: what HTML or the server can do is theirs", size)
		case strings.HasSuffix(n.name, ".js"):
			js += size
		}
	}
	if js > 60<<10 {
		t.Errorf("scripts are %d bytes compressed, over 60 KB", js)
	}
}

func TestVendoredFilesAreWhatTheTableSays(t *testing.T) {
	readme, err := os.ReadFile("vendor/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `dist/[^`]+` \\| `([0-9a-f]{64})` \\|$").FindAllStringSubmatch(string(readme), -1)
	if len(rows) != 3 {
		t.Fatalf("%d rows, want 3", len(rows))
	}
	for _, row := range rows {
		body, err := os.ReadFile("vendor/" + row[1])
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != row[2] {
			t.Errorf("%s is not the file of the table", row[1])
		}
	}
}

// Our script builds no DOM from text: none of the HTML sinks occurs in it, nor
// anything that would evaluate a string (CH1, DEC5).
func TestNoSinksInOurScript(t *testing.T) {
	src, err := files.ReadFile("app.js")
	if err != nil {
		t.Fatal(err)
	}
	sink := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|parseFromString|setHTMLUnsafe|\beval\b|new Function|srcdoc|textarea\.value|innerText|\.text\(\)`)
	if m := sink.Find(src); m != nil {
		t.Errorf("app.js uses %q", m)
	}
}

// The style sheet loads nothing, and a theme is nine colours (AD2).
func TestStyleSheet(t *testing.T) {
	src, err := files.ReadFile("app.css")
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`url\(|@import|@font-face|https?:`).Find(src); m != nil {
		t.Errorf("app.css loads something: %q", m)
	}
	for _, name := range []string{"bg", "surface", "ink", "ink-soft", "line", "grid-line", "brand", "brand-soft", "brand-ink"} {
		if !bytes.Contains(src, []byte("--"+name+":")) {
			t.Errorf("no theme colour --%s", name)
		}
	}
}
