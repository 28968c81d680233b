package e2e

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// slowEmbeddings is a server before a model whose embeddings of documents wait for
// goOn.
func slowEmbeddings(t *testing.T, model *testkit.Model) (url string, goOn func()) {
	t.Helper()
	gate := make(chan struct{})
	behind, err := neturl.Parse(strings.TrimSuffix(model.URL, "/v1"))
	must(t, err)
	proxy := httputil.NewSingleHostReverseProxy(behind)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		if bytes.Contains(body, []byte("zwieback")) {
			select {
			case <-gate:
			case <-r.Context().Done():
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", sync.OnceFunc(func() { close(gate) })
}

// TestASourceFromTheFirstFormToAnAnswer adds a directory in the browser, watches
// its sync through a reload and from another process, which stops it, asks about
// what came in, and removes it again (ING1, ING7, AD2).
func TestASourceFromTheFirstFormToAnAnswer(t *testing.T) {
	model := testkit.NewModel(t)
	embeddings, goOn := slowEmbeddings(t, model)
	defer goOn()
	database := testkit.EmptyDB(t)
	o := options{model: model, env: []string{"BOR_EMBED_BASE_URL=" + embeddings}}
	p := startOn(t, database, o)
	dir := filepath.Join(p.dir, "kitchen")
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "rusk.md"), []byte("# Rusk\n\nThe zwieback oven runs at 160 degrees.\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, ".env"), []byte("KEY=1\n"), 0o600))
	v := visitor(t, p, playwright.BrowserNewContextOptions{ReducedMotion: playwright.ReducedMotionReduce})
	s := v.screen()
	pictures := os.Getenv("BOR_SCREENSHOTS") != ""

	// A wrong entry stays, with the error beside its field.
	v.open("/git-sources")
	s.inspect("registry-empty", pictures)
	s.click("input[name=kind][value=local]")
	s.is(s.Locator("#add-location").Fill(dir + "/nowhere"))
	s.is(s.Locator("#add-ignore").Fill("drafts/"))
	s.click("#git-source-form button.primary")
	s.shows("#add-location-error", "There is no directory")
	s.is(expect.Locator(s.Locator("#add-location")).ToHaveValue(dir + "/nowhere"))
	s.is(expect.Locator(s.Locator("#add-ignore")).ToHaveValue("drafts/"))
	s.is(expect.Locator(s.Locator("input[name=kind][value=local]")).ToBeChecked())
	s.inspect("registry-wrong", pictures)
	s.is(s.Locator("#add-location").Fill(dir))
	s.click("#git-source-form button.primary")
	s.shows("#git-sources-table", "kitchen")
	s.shows("#git-sources-table", "Not synced yet")

	// The sync is seen live, after a reload, and at another process, which stops it.
	s.click("#sync-action button")
	s.shows("#sync-state", "Syncing")
	s.shows("#sync-state", "of 1 files")
	s.visible("#sync-state progress")
	s.is(expect.Locator(s.Locator("#sync-action button")).ToBeDisabled())
	s.inspect("registry-syncing", pictures)
	_, err := s.Reload()
	s.is(err)
	s.shows("#sync-state", "of 1 files")
	other := startOn(t, database, o)
	there := v.elsewhere(other).screen()
	there.shows("#sync-state", "of 1 files")
	there.click("#sync-stop")
	there.shows("#sync-state", "The last sync was stopped")
	s.shows("#sync-state", "The last sync was stopped") // without a reload
	s.is(expect.Locator(s.Locator("#sync-action button")).ToBeEnabled())
	s.shows("#git-sources-table", "Stopped")

	// Again, to its end: the page follows by itself.
	s.click("#sync-action button")
	s.shows("#sync-state", "of 1 files")
	goOn()
	s.shows("#sync-state", "The last sync ended well")
	s.shows("#git-sources-table", "1 added, 1 left out")
	s.inspect("registry-synced", pictures)
	s.is(s.Locator("#app-nav a[href='/sources']").Click())
	s.reads("#stat-docs dd", "1")
	s.shows("#docs-table", "rusk.md")
	s.inspect("sources", pictures)
	s.is(s.Locator("#docs-search").Fill("nothing like it"))
	s.has(0, "#docs-table tbody tr")
	s.is(s.Locator("#docs-search").Fill("RUSK"))
	s.has(1, "#docs-table tbody tr")
	s.click(".link-list a")
	s.shows("#skipped-table", "environment file")
	s.inspect("skipped", pictures)
	v.open("/sources/summary?source=kitchen&path=rusk.md")
	s.is(s.Locator("#summary").Fill("How warm the oven is."))
	s.click("#summary-form button.primary")
	s.shows("#summary-form", "EDITED")
	s.inspect("summary", pictures)

	// What came in answers.
	v.open("/")
	model.Queue(testkit.Say("At 160 degrees."))
	v.ask("How warm is the zwieback oven?")
	s.shows(".msg.brain .source-chip", "rusk.md")

	// Removing asks once, and the next sync carries it out.
	v.open("/git-sources")
	s.is(s.Locator("#git-sources-table a", playwright.PageLocatorOptions{HasText: "Edit"}).Click())
	s.visible("#edit-source-form")
	s.inspect("source-edit", pictures)
	v.open("/git-sources")
	s.is(s.Locator("#git-sources-table a", playwright.PageLocatorOptions{HasText: "Remove"}).Click())
	s.shows("#main", "removes its one document")
	s.inspect("source-remove", pictures)
	s.click("#main button.primary")
	s.shows("#git-sources-table", "REMOVED AT THE NEXT SYNC")
	s.click("#sync-action button")
	s.shows("#registry-list", "There is no source yet")
	v.open("/sources")
	s.reads("#stat-docs dd", "0")
}

// TestAnArchiveIsUploadedWithAndWithoutScript sends a file by both ways, a wrong one
// first, and syncs without script, where the page looks again by itself (ING1, CH1).
func TestAnArchiveIsUploadedWithAndWithoutScript(t *testing.T) {
	p := start(t, options{env: []string{"BOR_UPLOAD_MAX_MB=1"}})
	v := visitor(t, p, playwright.BrowserNewContextOptions{})
	s := v.screen()
	v.open("/git-sources")
	choose := func(s screen, name string, data []byte) {
		t.Helper()
		s.is(s.Locator("#upload-file").SetInputFiles([]playwright.InputFile{{Name: name, MimeType: "application/octet-stream", Buffer: data}}))
		s.click("#archive-upload-form button.primary")
	}
	choose(s, "notes.zip", []byte("this is no archive, whatever its name says"))
	s.visible("#upload-file-error")
	s.is(expect.Locator(s.Locator("#archive-upload-form button")).ToBeEnabled())
	choose(s, "notes.zip", bytes.Repeat([]byte("x"), 1<<20+1))
	s.shows("#upload-file-error", "limit of 1 MB")
	choose(s, "notes.zip", zipped(t, "owl.md", "# Owl\n\nThe gufo hoots.\n"))
	s.shows("#git-sources-table", "notes.zip")

	plain := v.withoutScript()
	n := plain.screen()
	choose(n, "more.zip", []byte("no archive"))
	n.visible("#upload-file-error")
	choose(n, "more.zip", zipped(t, "folder/fox.md", "# Fox\n"))
	n.shows("#git-sources-table", "more.zip")
	n.click("#sync-action button")
	n.shows("#sync-state", "The last sync ended well")
	plain.open("/sources?sort=path")
	n.shows("#docs-table", "folder/fox.md")
	n.shows("#docs-table", "owl.md")
	n.is(n.Locator("#docs-search").Fill("fox"))
	n.click("#docs-filter button")
	n.has(1, "#docs-table tbody tr")
}

func zipped(t *testing.T, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	must(t, err)
	_, err = io.Copy(w, strings.NewReader(text))
	must(t, err)
	must(t, z.Close())
	return b.Bytes()
}
