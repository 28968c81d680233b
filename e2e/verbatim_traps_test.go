package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// trapsNote is what the questions of these journeys are about, so that their
// answers stand on notes.
var trapsNote = awkward{path: "about.md", data: "# The trap collection\n\nFiles that tend to come out other than they went in.\n"}

const trapsQuestion = "Show me the trap collection"

// fenced is an answer that shows the places one after the other.
func fenced(places []string) string {
	var b strings.Builder
	for _, place := range places {
		b.WriteString("Here it is:\n\n~~~~bor " + place + "\n~~~~\n\n")
	}
	return b.String() + "That was all.\n"
}

// pieces cuts text into deltas of n characters.
func pieces(text string, n int) []string {
	var all []string
	runes := []rune(text)
	for len(runes) > n {
		all = append(all, string(runes[:n]))
		runes = runes[n:]
	}
	return append(all, string(runes))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// expectPanels compares what the page shows with the files it shows.
func (v *visit) expectPanels(when string, files []awkward) {
	v.t.Helper()
	all := v.panels()
	if len(all) != len(files) {
		v.t.Fatalf("%s: %d panels, want %d", when, len(all), len(files))
	}
	for i, f := range files {
		p := all[i]
		what := when + ", " + f.path
		if p.Unresolved != "" {
			v.t.Errorf("%s: %s", what, p.Unresolved)
			continue
		}
		same(v.t, what+": the code's text", p.Text, f.shown())
		same(v.t, what+": locator", p.Locator, "traps/"+f.path)
		same(v.t, what+": sha256", p.SHA256, hash(f.shown()))
		if !strings.HasPrefix(p.SHA256, p.ShortHash[:8]) {
			v.t.Errorf("%s: the visible hash %s isn't the beginning of %s", what, p.ShortHash, p.SHA256)
		}
		if !strings.HasPrefix(p.Caption, "traps/"+f.path+" · ") || p.CopyLabel != "Copy" || p.Cut != "" {
			v.t.Errorf("%s: caption %q, %q, cut %q", what, p.Caption, p.CopyLabel, p.Cut)
		}
		if (p.Encoding != "") != (f.utf16) {
			v.t.Errorf("%s: says %q", what, p.Encoding)
		}
	}
}

// The traps of V8, from a file on disk to the clipboard: on a secure origin, and
// on a plain http one, where there is no navigator.clipboard.
func TestVerbatimTraps(t *testing.T) {
	files := theAwkward()
	var places []string
	for _, f := range files {
		places = append(places, "traps/"+f.path)
	}
	model := testkit.NewModel(t)
	model.Script(func(testkit.ModelRequest) testkit.Step { return testkit.Say(pieces(fenced(places), 17)...) })
	p := start(t, options{model: model, sources: map[string]string{"traps": folder(t, append(files, trapsNote))},
		env: []string{"BOR_SHOW_TEXT_MAX_BLOCKS=0"}})

	t.Run("secure", func(t *testing.T) {
		v := withClipboard(t, p.url)
		v.ask(trapsQuestion)
		v.settled(0)
		v.expectPanels("live", files)
		v.expectRaw(files)
		v.expectCopies(files)
		v.expectSelections(files)
		v.expectMouse(files)

		_, err := v.page.Reload()
		must(t, err)
		v.expectPanels("reloaded", files)
		off := v.withoutScript()
		off.expectPanels("without script", files)
		off.expectRaw(files[:1])
		must(t, off.page.Locator(".verbatim-raw").First().Click())
		must(t, off.page.WaitForURL("**/blocks/0"))
		off.expectViewer(files)
	})
	t.Run("insecure", func(t *testing.T) {
		v := browse(t, strings.Replace(p.url, "127.0.0.1", insecureHost, 1), playwright.BrowserNewContextOptions{})
		v.logIn()
		v.ask(trapsQuestion)
		v.settled(0)
		v.expectPanels("live", files)
		v.expectCopiesByHand(files)
	})
}

// expectViewer looks at some of the documents themselves, whose fences are their
// own text.
func (v *visit) expectViewer(files []awkward) {
	v.t.Helper()
	for _, f := range files {
		if !slices.Contains([]string{"mixed.txt", "begins-with-crlf.txt", "controls.txt", "markup.txt", "fences.md", "mixture.md"}, f.path) {
			continue
		}
		v.open("/document?source=traps&view=lines&path=" + url.QueryEscape(f.path))
		same(v.t, f.path+": the viewer's text", text(v.t, v.page.Locator(".doc-code code")), f.shown())
	}
	v.open("/document?source=traps&path=fences.md")
	same(v.t, "a document's own fence", text(v.t, v.page.Locator(".doc-rendered .code-block code").First()), "its own text")
	if panels := v.panels(); len(panels) != 0 {
		v.t.Errorf("a document's fences became panels: %+v", panels)
	}
}

// expectRaw compares what the server sends as each panel's bytes.
func (v *visit) expectRaw(files []awkward) {
	v.t.Helper()
	shown := v.panels()
	for i, f := range files {
		same(v.t, f.path+": Raw", v.bytes(shown[i].Raw), f.shown())
	}
}

// expectCopies presses every panel's Copy and compares the clipboard.
func (v *visit) expectCopies(files []awkward) {
	v.t.Helper()
	v.watchCopies()
	buttons := v.page.Locator(".verbatim-copy")
	must(v.t, buttons.First().Click())
	same(v.t, "clipboard after a click", v.copied(1), files[0].shown())
	for i, f := range files {
		must(v.t, buttons.Nth(i).Press("Enter"))
		same(v.t, f.path+": clipboard after Copy", v.copied(i+2), f.shown())
	}
}

// expectSelections selects the text of every panel, copies it with the keyboard,
// and compares the clipboard.
func (v *visit) expectSelections(files []awkward) {
	v.t.Helper()
	for i, f := range files {
		if f.shown() == "" {
			continue // nothing to select
		}
		v.evaluate(`i => { const pre = document.querySelectorAll('.verbatim pre')[i];
			pre.focus(); getSelection().selectAllChildren(pre.firstElementChild); }`, i)
		v.press("Control+C")
		same(v.t, f.path+": clipboard after selecting it", v.clipboard(), f.shown())
	}
}

// expectMouse drags over a panel's text, clicks three times on its last line, and
// compares the clipboard.
func (v *visit) expectMouse(files []awkward) {
	v.t.Helper()
	for _, c := range []struct{ path, dragged, tripled string }{
		{"no-final-newline.txt", "one\ntwo", "two"},
		{"trailing.txt", "spaces   \nnbsp\u00a0\u00a0\n   \n x ", " x "},
		{"leading-newline.txt", "\nthe first line is blank", "the first line is blank\n"},
	} {
		i := slices.IndexFunc(files, func(f awkward) bool { return f.path == c.path })
		lines := v.page.Locator(".verbatim").Nth(i).Locator(".line")
		must(v.t, lines.First().ScrollIntoViewIfNeeded())
		first, err := lines.First().Locator("> span").BoundingBox()
		must(v.t, err)
		last, err := lines.Last().BoundingBox()
		must(v.t, err)
		mouse := v.page.Mouse()
		must(v.t, mouse.Move(first.X+1, first.Y+first.Height/2))
		must(v.t, mouse.Down())
		must(v.t, mouse.Move(last.X+last.Width-20, last.Y+last.Height/2, playwright.MouseMoveOptions{Steps: playwright.Int(5)}))
		must(v.t, mouse.Up())
		v.press("Control+C")
		same(v.t, c.path+": clipboard after dragging over it", v.clipboard(), c.dragged)
		must(v.t, mouse.Click(first.X+6, last.Y+last.Height/2, playwright.MouseClickOptions{ClickCount: playwright.Int(3)}))
		v.press("Control+C")
		same(v.t, c.path+": clipboard after three clicks on its last line", v.clipboard(), c.tripled)
	}
}

// expectCopiesByHand opens every panel's field with the selected text, presses the
// keys that it names, and compares what a paste brings.
func (v *visit) expectCopiesByHand(files []awkward) {
	v.t.Helper()
	v.watchCopies()
	if v.evaluate("() => typeof navigator.clipboard") != "undefined" {
		v.t.Fatal("this origin has a clipboard: the test is about one without")
	}
	buttons := v.page.Locator(".verbatim-copy")
	for i, f := range files {
		must(v.t, buttons.Nth(i).Press("Enter"))
		must(v.t, v.page.Locator(".copy-field pre:focus").WaitFor())
		if f.shown() == "" {
			v.press("Escape")
			continue
		}
		v.press("Control+C")
		same(v.t, f.path+": pasted after Control+C", v.pasted(), f.shown())
	}
	must(v.t, v.page.Locator(".copy-field").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateDetached}))
}
