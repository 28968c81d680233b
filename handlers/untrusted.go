package handlers

import (
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"bor/internal/kb"
)

// serveText sends a text of a file, which may be anything, as plain text. name
// becomes the file name in case the browser saves it.
func serveText(c echo.Context, name, text string) error {
	return serveUntrusted(c, name, "text/plain; charset=utf-8", []byte(text))
}

// imageTypes are the types that an image may have; import has checked that its
// bytes are of one.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// serveImage sends an image. Any other type goes as bytes that no browser shows.
func serveImage(c echo.Context, name, mediaType string, bytes []byte) error {
	if !slices.Contains(imageTypes, mediaType) {
		mediaType = echo.MIMEOctetStream
	}
	return serveUntrusted(c, name, mediaType, bytes)
}

// serveUntrusted is the one place that sends bytes of files: never sniffed, unable
// to run or to load a thing (SEC1).
func serveUntrusted(c echo.Context, name, mediaType string, bytes []byte) error {
	h := c.Response().Header()
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Content-Disposition", disposition(name))
	return c.Blob(http.StatusOK, mediaType, bytes)
}

// disposition is an RFC 6266 header value with exactly one file name, whatever
// the name holds; mime encodes what isn't plain ASCII (RFC 2231). Control bytes,
// which no browser would save, become underscores.
func disposition(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, kb.FirstChars(path.Base(name), 1000))
	value := mime.FormatMediaType("inline", map[string]string{"filename": name})
	if value == "" {
		return "inline"
	}
	return value
}
