// Package static holds what the browser loads besides pages: the style sheet,
// one small script, the icon, and htmx with two extensions (vendor/README.md).
//
// Everything is embedded, served from this origin, and named by its content:
// an address never changes its bytes, so browsers keep it for ever (SEC1). There
// is no build step and no content delivery network (CH1).
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed app.css app.js icon.svg vendor/*.js
var files embed.FS

// Prefix is where Handler is mounted.
const Prefix = "/static/"

// names lists every asset with its media type. Scripts stand in load order:
// extensions register with htmx before it starts, at DOMContentLoaded.
var names = []struct{ name, mime string }{
	{"app.css", "text/css; charset=utf-8"},
	{"icon.svg", "image/svg+xml"},
	{"vendor/htmx.min.js", "text/javascript; charset=utf-8"},
	{"vendor/hx-csp.min.js", "text/javascript; charset=utf-8"},
	{"vendor/hx-sse.min.js", "text/javascript; charset=utf-8"},
	{"app.js", "text/javascript; charset=utf-8"},
}

type asset struct {
	body, gzipped   []byte
	mime, url, hash string
}

var assets = sync.OnceValue(func() map[string]asset {
	all := make(map[string]asset, len(names))
	for _, n := range names {
		body, err := files.ReadFile(n.name)
		if err != nil {
			panic(err) // the embed directive and the list disagree
		}
		sum := sha256.Sum256(body)
		hash := hex.EncodeToString(sum[:6])
		var z bytes.Buffer
		w, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
		w.Write(body) // a bytes.Buffer takes every write
		w.Close()
		dir, file := path.Split(n.name)
		all[n.name] = asset{body: body, gzipped: z.Bytes(), mime: n.mime, hash: hash, url: Prefix + dir + hash + "/" + file}
	}
	return all
})

// URL is the address of an asset, with its content's hash in it. It panics on a
// name that isn't embedded.
func URL(name string) string {
	a, ok := assets()[name]
	if !ok {
		panic(fmt.Sprintf("static: no asset %q", name))
	}
	return a.url
}

// Scripts are the addresses of all scripts in the order a page loads them.
func Scripts() []string {
	var urls []string
	for _, n := range names {
		if strings.HasSuffix(n.name, ".js") {
			urls = append(urls, URL(n.name))
		}
	}
	return urls
}

// Handler serves the assets under Prefix. An address with another version's hash,
// as a page made before an upgrade asks for, gets today's bytes, not to be kept.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Only GET and HEAD are served here.", http.StatusMethodNotAllowed)
			return
		}
		dir, file := path.Split(strings.TrimPrefix(r.URL.Path, Prefix))
		dir, hash := path.Split(strings.TrimSuffix(dir, "/"))
		a, ok := assets()[dir+file]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.mime)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Vary", "Accept-Encoding")
		if hash == a.hash {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			h.Set("Cache-Control", "no-cache")
		}
		body := a.body
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = a.gzipped
		}
		h.Set("Content-Length", fmt.Sprint(len(body)))
		if r.Method == http.MethodGet {
			w.Write(body) // a client that left is nobody's fault
		}
	})
}
