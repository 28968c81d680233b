package handlers

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"runtime"
	"strings"

	"github.com/labstack/echo/v4"
)

// minGzip is the size in bytes from which compressing a page is worth it.
const minGzip = 1 << 10

// gzipWriters are places to compress in, one a core, each with its writer once it
// was used. A writer holds about a megabyte, so a crowd of pages waits here instead
// of having one each (PERF4).
var gzipWriters = func() chan *gzip.Writer {
	places := make(chan *gzip.Writer, runtime.GOMAXPROCS(0))
	for range cap(places) {
		places <- nil
	}
	return places
}()

// compress gives p as gzip.
func compress(p []byte) []byte {
	w := <-gzipWriters
	defer func() { gzipWriters <- w }()
	var small bytes.Buffer
	if w == nil {
		w, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails only for a level that isn't one
	}
	w.Reset(&small)
	w.Write(p) // a bytes.Buffer takes every write
	w.Close()
	return small.Bytes()
}

// sendPage sends HTML of ours, compressed where it may be. Streams and the bytes
// of files don't come this way, so they never are.
func sendPage(c echo.Context, status int, page []byte) error {
	c.Response().Header().Add("Vary", "Accept-Encoding")
	if len(page) < minGzip || !mayCompress(c.Request()) {
		return c.HTMLBlob(status, page)
	}
	c.Response().Header().Set("Content-Encoding", "gzip")
	return c.HTMLBlob(status, compress(page))
}

// mayCompress tells whether the browser takes gzip, and whether the request was
// made from our own pages or by hand. On one that another site led to, the length
// of a compressed page would tell what of its address occurs in the page (BREACH).
func mayCompress(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return false
	}
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
		}
	}
	return false
}
