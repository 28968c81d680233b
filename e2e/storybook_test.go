package e2e

import (
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/storybook"
)

// TestStoryBook looks at every view in every state: what doesn't fit, what axe
// finds, what a hostile text achieved; and leaves pictures at three widths in
// screenshots/stories (QA1, QA2, SEC1). One tab a core: a browser that draws in
// software has no use for more.
func TestStoryBook(t *testing.T) {
	book := httptest.NewServer(storybook.Handler())
	t.Cleanup(book.Close)
	v := browse(t, book.URL, playwright.BrowserNewContextOptions{ReducedMotion: playwright.ReducedMotionReduce})
	v.bringAxe()
	tabs := make(chan playwright.Page, runtime.NumCPU())
	tabs <- v.page
	for range cap(tabs) - 1 {
		tabs <- v.tab()
	}
	look := func(name, path string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := <-tabs
			defer func() { tabs <- page }()
			s := screen{t, page}
			_, err := s.Goto(book.URL + path)
			s.is(err)
			s.has(1, "html.js #main")
			s.unbitten(name)
			s.inspect("stories/"+name, true)
		})
	}
	look("index", "/")
	for _, story := range storybook.Stories() {
		look(story.Name, story.Path())
	}
}
