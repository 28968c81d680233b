package e2e

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// TestPagesFigure shows an image in an answer: live and after a reload, in a place
// that is kept before it loads, above the sources, also when its file is gone; and
// in the viewer (AG5, CH9, DEC28).
func TestPagesFigure(t *testing.T) {
	var rack bytes.Buffer
	must(t, png.Encode(&rack, image.NewGray(image.Rect(0, 0, 1200, 700))))
	dir := tree(t, map[string]string{
		"img/rack.png": rack.String(),
		"rack.md":      "# Rack\n\nThe rack in the cellar holds two switches, as the ![plan of the rack](img/rack.png) shows.\n",
	})
	model := testkit.NewModel(t)
	p := start(t, options{model: model, sources: map[string]string{"homelab": dir}, env: []string{"BOR_ANSWER_IMAGES=true"}})
	const loaded = "() => document.querySelector('.answer-image img').naturalWidth === 1200"
	var last screen
	for _, width := range []int{375, 1440} {
		v := visitor(t, p, playwright.BrowserNewContextOptions{Viewport: &playwright.Size{Width: width, Height: 900}})
		s := v.screen()
		model.Queue(testkit.Call("show_image", `{"path":"homelab/img/rack.png"}`), testkit.Say("The plan of the rack stands below."))
		s.put("Show me the plan of the rack")
		s.ended(1)
		for _, when := range []string{"live", "reloaded"} {
			s.shows(".answer-image figcaption", "plan of the rack")
			s.is(s.Locator(".answer-image img").ScrollIntoViewIfNeeded())
			s.until("the image", loaded)
			got := s.eval(`() => {
				const img = document.querySelector('.answer-image img'), box = img.getBoundingClientRect();
				return [img.alt, box.width <= innerWidth, Math.abs(box.width / box.height - 1200 / 700) < 0.02,
					!!(document.querySelector('.answer').compareDocumentPosition(img) & 4), !!(img.compareDocumentPosition(document.querySelector('.sources')) & 4)].join();
			}`)
			if want := "plan of the rack,true,true,true,true"; got != want {
				t.Errorf("%s at %d px: %v, want %s", when, width, got, want)
			}
			s.axe(when)
			_, err := s.Reload()
			s.is(err)
		}

		// While the image is on its way its place is there.
		held := make(chan playwright.Route, 1)
		s.is(s.Route("**/images/*", func(r playwright.Route) { held <- r }))
		_, err := s.Reload()
		s.is(err)
		s.is(s.Locator(".answer-image").ScrollIntoViewIfNeeded())
		route := within(t, "the image’s request", time.Minute, held)
		place := "() => JSON.stringify([...document.querySelectorAll('.answer-image img, .sources')].map(e => [e.offsetWidth, e.offsetHeight, e.offsetTop]))"
		before := s.eval(place)
		s.is(route.Continue())
		s.until("the image", loaded)
		if after := s.eval(place); after != before {
			t.Errorf("%d px: loading moves the page from %v to %v", width, before, after)
		}
		s.is(s.Unroute("**/images/*"))
		conversation := s.eval("() => location.pathname").(string)
		s.click(".answer-image a")
		s.visible("#doc-modal .answer-image img")
		v.open(documentPath("img/rack.png", ""))
		s.reads("#doc-title", "plan of the rack")
		s.visible(".doc .answer-image img")
		s.axe("the image's page")
		v.open(documentPath("rack.md", ""))
		s.visible(".doc-rendered img")
		v.open(conversation)
		last = s
	}
	must(t, os.Remove(filepath.Join(dir, "img/rack.png")))
	p.run("import", "--source", dir, "--name", "homelab", "--prune")
	_, err := last.Reload()
	last.is(err)
	last.is(last.Locator(".answer-image img").ScrollIntoViewIfNeeded())
	last.until("the image, without its document", loaded)
	response, err := last.Goto(p.url + documentPath("img/rack.png", ""))
	last.is(err)
	if response.Status() != 404 {
		t.Errorf("the document is %d after its file is gone", response.Status())
	}
}
