package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// gufoSHA256 is the hash of the sample's quadlet, quadlets/gufo.container.
const gufoSHA256 = "eb17cb0e8502d90d7ceb2e8980178c9ad498271c30917c199c54d6e081d16c39"

// The product's main job on a machine that has nothing: the first start brings the
// sample knowledge base, the built-in librarian answers, the clipboard holds the
// file.
func TestVerbatimFirstRun(t *testing.T) {
	p := start(t, options{args: []string{"--first-run"}})
	file, err := os.ReadFile(filepath.Join("..", "sample", "homelab", "quadlets", "gufo.container"))
	must(t, err)
	same(t, "the sample's file: sha256", hash(string(file)), gufoSHA256)

	v := withClipboard(t, p.url)
	v.ask("show me the quadlet for gufo")
	v.settled(0)
	for _, when := range []string{"live", "reloaded"} {
		shown := v.panels()
		if len(shown) == 0 {
			t.Fatalf("%s: no panel; the answer is %q", when, text(t, v.page.Locator(".msg.brain")))
		}
		panel := shown[0]
		same(t, when+": the panel's text", panel.Text, string(file))
		same(t, when+": the hash it shows", panel.SHA256, gufoSHA256)
		same(t, when+": Raw", v.bytes(panel.Raw), string(file))
		same(t, when+": locator", panel.Locator, "homelab/quadlets/gufo.container")
		v.watchCopies()
		must(t, v.page.Locator(".verbatim-copy").First().Click())
		same(t, when+": clipboard", v.copied(1), string(file))
		_, err := v.page.Reload()
		must(t, err)
	}

	// The question is offered on the front page, too, and the viewer copies the same.
	must(t, v.page.Locator(".verbatim-open").First().Click())
	must(t, v.page.Locator("#doc-modal .doc-copy").WaitFor())
	v.watchCopies()
	must(t, v.page.Locator("#doc-modal .doc-copy").Click())
	same(t, "clipboard after the viewer's Copy", v.copied(1), string(file))
	same(t, "the viewer's text", text(t, v.page.Locator("#doc-modal code")), string(file))
}
