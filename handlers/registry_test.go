package handlers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"bor/internal/syncjob"
)

// newRegistrySite is a site whose syncs are worked.
func newRegistrySite(t *testing.T) *site {
	t.Helper()
	return newSite(t, answerer{"text"}, func(d *Deps) { work(t, d.Syncs) })
}

func work(t *testing.T, syncs *syncjob.Service) {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- syncs.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}

// notes is a folder with two documents and a secret.
func notes(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "notes")
	for name, text := range map[string]string{"a.md": "# Alpha & <b>omega</b>\n", "sub/b.conf": "x = 1\n", ".env": "KEY=1\n"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (s *site) wantRedirect(got answer, to string) {
	s.t.Helper()
	if got.status != http.StatusSeeOther || got.header.Get("Location") != to {
		s.t.Fatalf("%d to %q: %s", got.status, got.header.Get("Location"), got.body)
	}
}

// synced syncs and waits for its end.
func (s *site) synced(c *http.Client) string {
	s.t.Helper()
	s.wantRedirect(s.post(c, "/sync", nil), "/git-sources")
	return s.until(c, "/git-sources", func(body string) bool {
		return !strings.Contains(body, "sync-stop") && !strings.Contains(body, "about to begin")
	})
}

func TestASourceFromTheFormToItsRemoval(t *testing.T) {
	s := newRegistrySite(t)
	c := s.signedIn()
	if body := s.get(c, "/git-sources").body; !strings.Contains(body, "There is no source yet") || len(find(t, body, "id", "git-source-form")) != 1 || len(find(t, body, "id", "archive-upload-form")) != 1 {
		t.Errorf("empty: %s", body)
	}
	dir := notes(t)
	// A bad entry keeps what was entered, with the error beside its field.
	got := s.post(c, "/git-sources", url.Values{"kind": {"local"}, "location": {dir + "/<gone>"}, "name": {"lab"}, "ignore": {"old/\r\n\r\nx"}})
	if got.status != http.StatusUnprocessableEntity {
		t.Errorf("%d", got.status)
	}
	for id, want := range map[string]string{"add-location-error": "There is no directory", "add-ignore": "old/\nx"} {
		if n := find(t, got.body, "id", id); len(n) != 1 || !strings.Contains(text(n[0]), want) {
			t.Errorf("#%s isn't about %q", id, want)
		}
	}
	if n := find(t, got.body, "value", dir+"/<gone>"); len(n) != 1 || attr(n[0], "aria-invalid") != "true" || attr(n[0], "aria-describedby") != "add-location-hint add-location-error" {
		t.Errorf("the location is gone or not marked: %v", n)
	}
	// The page opens at what is wrong, which may be far down.
	if n := find(t, got.body, "autofocus", ""); len(n) != 1 || attr(n[0], "id") != "add-location" {
		t.Errorf("the page opens at %v", n)
	}
	s.wantRedirect(s.post(c, "/git-sources", url.Values{"kind": {"local"}, "location": {" " + dir}}), "/git-sources")
	body := s.synced(c)
	if len(find(t, body, "id", "git-sources-table")) != 1 || !strings.Contains(body, "Done") || !strings.Contains(body, "2 added, 1 left out") || !strings.Contains(body, "on here") {
		t.Errorf("after the sync: %s", body)
	}
	// The page of sources: cards, table, search, order, what was left out.
	body = s.get(c, "/sources").body
	for id, want := range map[string]string{"stat-docs": "2", "stat-chunks": "3", "stat-last": "just now", "stat-skipped": "1"} {
		if n := find(t, body, "id", id); len(n) != 1 || !strings.Contains(text(n[0]), want) {
			t.Errorf("#%s isn't %s", id, want)
		}
	}
	if rows := table(t, body); fmt.Sprint(rows) != "[a.md sub/b.conf]" {
		t.Errorf("%q", rows)
	}
	for query, want := range map[string]string{"q=OMEGA": "[a.md]", "q=B.CONF": "[sub/b.conf]", "q=%25": "[]", "source=notes&sort=path&dir=down": "[sub/b.conf a.md]", "source=other": "[]",
		"sort=chunks&dir=down": "[sub/b.conf a.md]", "sort=lines": "[a.md sub/b.conf]", "sort=title&dir=down": "[sub/b.conf a.md]", "sort=indexed": "[a.md sub/b.conf]", "page=2": "[]", "sort=nonsense&page=x": "[a.md sub/b.conf]", "q=%00": "[]"} {
		got := s.get(c, "/sources?"+query, "HX-Request-Type", "partial")
		if rows := table(t, got.body); fmt.Sprint(rows) != want && query != "sort=indexed" || strings.Contains(got.body, "<html") {
			t.Errorf("%s gives %q", query, rows)
		}
	}
	if strings.Contains(body, "<b>omega") {
		t.Error("a title's markup is live")
	}
	if n := find(t, s.get(c, "/sources?sort=path").body, "aria-sort", "ascending"); len(n) != 1 || text(n[0]) != "Path" {
		t.Errorf("%v", n)
	}
	body = s.get(c, "/git-sources/1/skipped").body
	if !strings.Contains(text(find(t, body, "id", "skipped-table")[0]), ".envthe file's name is that of an environment file") {
		t.Errorf("left out: %s", body)
	}
	// An edit, wrong and right.
	got = s.post(c, "/git-sources/1", url.Values{"name": {"a/b"}, "allow": {".env"}})
	if got.status != http.StatusUnprocessableEntity || !strings.Contains(text(find(t, got.body, "id", "edit-name-error")[0]), "slash") || text(find(t, got.body, "id", "edit-allow")[0]) != ".env" {
		t.Errorf("%d: %s", got.status, got.body)
	}
	s.wantRedirect(s.post(c, "/git-sources/1", url.Values{"name": {"lab"}, "allow": {".env"}, "ignore": {"sub/"}}), "/git-sources")
	if body = s.get(c, "/git-sources/1/edit").body; text(find(t, body, "id", "edit-ignore")[0]) != "sub/" {
		t.Errorf("%s", body)
	}
	s.synced(c)
	if rows := table(t, s.get(c, "/sources").body); fmt.Sprint(rows) != "[.env a.md]" {
		t.Errorf("%q", rows)
	}
	// Removal asks once, can be taken back, and is carried out by the sync.
	if body = s.get(c, "/git-sources/1/remove").body; !strings.Contains(body, "removes its 2 documents") {
		t.Errorf("%s", body)
	}
	s.wantRedirect(s.post(c, "/git-sources/1/remove", nil), "/git-sources")
	if body = s.get(c, "/git-sources").body; !strings.Contains(body, "REMOVED AT THE NEXT SYNC") {
		t.Errorf("%s", body)
	}
	s.wantRedirect(s.post(c, "/git-sources/1/keep", nil), "/git-sources")
	s.wantRedirect(s.post(c, "/git-sources/1/remove", nil), "/git-sources")
	if body = s.synced(c); !strings.Contains(body, "There is no source yet") || !strings.Contains(body, "2 removed") {
		t.Errorf("%s", body)
	}
}

// text is what an element says.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func table(t *testing.T, page string) (paths []string) {
	for _, n := range find(t, page, "class", "path") {
		paths = append(paths, text(n))
	}
	return paths
}

func (s *site) upload(c *http.Client, path, name, file string, data []byte, headers ...string) answer {
	s.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	form.WriteField("name", name)
	part, err := form.CreateFormFile("file", file)
	if err != nil {
		s.t.Fatal(err)
	}
	part.Write(data)
	form.Close()
	return s.send2(c, path, form.FormDataContentType(), &b, headers...)
}

func (s *site) send2(c *http.Client, path, contentType string, body io.Reader, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.do(c, r)
}

func TestAnArchiveComesByAForm(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	c := s.signedIn()
	s.wantRedirect(s.upload(c, "/git-sources/upload", "", "lab.tar.gz", []byte("data")), "/git-sources")
	if got := s.upload(c, "/git-sources/upload", "", "lab.zip", []byte("data")); got.status != http.StatusUnprocessableEntity || !strings.Contains(text(find(t, got.body, "id", "upload-name-error")[0]), "lab-2") {
		t.Errorf("a taken name: %d %s", got.status, got.body)
	}
	// The script gets words for the field, and no page.
	got := s.upload(c, "/git-sources/upload", "big", "big.zip", make([]byte, 3<<20), "HX-Request-Type", "partial")
	if got.status != http.StatusUnprocessableEntity || got.header.Get("HX-Retarget") != "#upload-file-error" || !strings.Contains(got.body, "larger than 2 MB") || strings.Contains(got.body, "<") {
		t.Errorf("too large: %d %v %s", got.status, got.header, got.body)
	}
	if got := s.upload(c, "/git-sources/upload", "lab", "x.zip", []byte("data"), "HX-Request-Type", "partial"); got.header.Get("HX-Retarget") != "#upload-name-error" {
		t.Errorf("a taken name: %v", got.header)
	}
	if got := s.upload(c, "/git-sources/upload", "next", "x.zip", []byte("data"), "HX-Request-Type", "partial"); got.status != http.StatusNoContent {
		t.Errorf("%d %s", got.status, got.body)
	}
	// Another file for the first.
	s.wantRedirect(s.upload(c, "/git-sources/1/upload", "", "new.zip", []byte("more data")), "/git-sources")
	if got := s.upload(c, "/git-sources/1/upload", "", "new.zip", nil); got.status != http.StatusUnprocessableEntity || !strings.Contains(text(find(t, got.body, "id", "upload-file-error")[0]), "Choose a file") {
		t.Errorf("an empty file: %d %s", got.status, got.body)
	}
	if body := s.get(c, "/git-sources").body; !strings.Contains(body, "new.zip") || strings.Contains(body, "lab.tar.gz") {
		t.Errorf("%s", body)
	}
	// Forms that can't be read.
	for what, got := range map[string]answer{
		"no form":     s.send2(c, "/git-sources/upload", "text/plain", strings.NewReader("x")),
		"no file":     s.send2(c, "/git-sources/upload", "multipart/form-data; boundary=x", strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nn\r\n--x--\r\n")),
		"cut":         s.send2(c, "/git-sources/upload", "multipart/form-data; boundary=x", strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\nda")),
		"cut earlier": s.send2(c, "/git-sources/1/upload", "multipart/form-data; boundary=x", strings.NewReader("--x\r\nContent-Disp")),
	} {
		if got.status != http.StatusUnprocessableEntity || text(find(t, got.body, "id", "upload-file-error")[0]) == "" || len(find(t, got.body, "autofocus", "")) != 1 {
			t.Errorf("%s: %d", what, got.status)
		}
	}
	var sources int
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM sources").Scan(&sources); err != nil || sources != 2 {
		t.Errorf("%d sources, %v", sources, err)
	}
}

func TestASummaryIsEditedAndMadeAnew(t *testing.T) {
	s := newRegistrySite(t)
	c := s.signedIn()
	s.wantRedirect(s.post(c, "/git-sources", url.Values{"kind": {"local"}, "location": {notes(t)}}), "/git-sources")
	s.synced(c)
	page := "/sources/summary?path=sub%2Fb.conf&source=notes"
	made := text(find(t, s.get(c, page).body, "id", "summary")[0])
	form := url.Values{"source": {"notes"}, "path": {"sub/b.conf"}, "summary": {strings.Repeat("x", 1201)}}
	got := s.post(c, "/sources/summary", form)
	if got.status != http.StatusUnprocessableEntity || text(find(t, got.body, "id", "summary")[0]) != form.Get("summary") || !strings.Contains(text(find(t, got.body, "id", "summary-error")[0]), "1201 characters") {
		t.Errorf("%d: %s", got.status, got.body)
	}
	form.Set("summary", "What zwieback needs.")
	s.wantRedirect(s.post(c, "/sources/summary", form), page)
	if body := s.get(c, page).body; text(find(t, body, "id", "summary")[0]) != "What zwieback needs." || !strings.Contains(body, "EDITED") {
		t.Errorf("%s", body)
	}
	if body := s.get(c, "/sources").body; !strings.Contains(body, "EDITED") {
		t.Error("the table doesn't mark it")
	}
	s.wantRedirect(s.post(c, "/sources/summary/regenerate", form), page)
	if body := s.get(c, page).body; text(find(t, body, "id", "summary")[0]) != made || strings.Contains(body, "EDITED") || made == "" {
		t.Errorf("%s", body)
	}
}

func TestFileSizesHaveTheirUnit(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KB", 300 << 10: "300 KB", 1 << 20: "1.0 MB", 157286400: "150.0 MB"} {
		if got := fileSize(bytes); got != want {
			t.Errorf("%d bytes are %q, not %q", bytes, got, want)
		}
	}
}
