package handlers

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
)

// minGzip is the size in bytes from which compressing a page is worth it.
const minGzip = 1 << 10

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is no such level
	}
	return w
}}

// sendPage sends HTML of ours, compressed where it may be. Streams and the bytes
// of files don't come this way, so they never are.
func sendPage(c echo.Context, status int, page []byte) error {
	c.Response().Header().Add("Vary", "Accept-Encoding")
	if len(page) < minGzip || !mayCompress(c.Request()) {
		return c.HTMLBlob(status, page)
	}
	var small bytes.Buffer
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&small)
	w.Write(page) // a bytes.Buffer takes every write
	w.Close()
	c.Response().Header().Set("Content-Encoding", "gzip")
	return c.HTMLBlob(status, small.Bytes())
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
