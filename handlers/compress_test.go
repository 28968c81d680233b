package handlers

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestPagesAreCompressedAndNothingElse(t *testing.T) {
	s := newSite(t, answerer{"It is **8642**.\n"}, nil)
	c := s.signedIn()
	s.settled(c, s.ask(c, strings.Repeat("a long question ", 100), "one"))
	plain := s.get(c, "/", "Accept-Encoding", "br")
	if plain.header.Get("Content-Encoding") != "" || !strings.Contains(strings.Join(plain.header.Values("Vary"), ","), "Accept-Encoding") {
		t.Errorf("headers of the plain page are %v", plain.header)
	}
	for _, accept := range []string{"gzip", "br, GZIP;q=0.5", "deflate,gzip;q=1.0"} {
		got := s.get(c, "/", "Accept-Encoding", accept)
		coding := got.header.Get("Content-Encoding")
		if coding != "gzip" || len(got.body) > len(plain.body)/2 {
			t.Fatalf("%s: %d of %d bytes, coding %q", accept, len(got.body), len(plain.body), coding)
		}
		z, err := gzip.NewReader(strings.NewReader(got.body))
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(z)
		if err != nil || !strings.HasSuffix(string(page), "</html>") || !strings.Contains(string(page), "<strong>8642</strong>") {
			t.Errorf("%s: it unpacks to %q (%v)", accept, page, err)
		}
	}
	for name, part := range map[string]struct {
		path    string
		headers []string
	}{
		"refused":           {"/", []string{"Accept-Encoding", "gzip;q=0, identity"}},
		"from another site": {"/", []string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "cross-site"}},
		"a stream":          {"/chat/turns/1/events", []string{"Accept-Encoding", "gzip"}},
		"text of a model":   {"/chat/turns/1/answer.md", []string{"Accept-Encoding", "gzip"}},
		"a small fragment":  {"/nowhere", []string{"Accept-Encoding", "gzip", "HX-Request-Type", "partial"}},
	} {
		if coding := s.get(c, part.path, part.headers...).header.Get("Content-Encoding"); coding != "" {
			t.Errorf("%s came as %q", name, coding)
		}
	}
}
