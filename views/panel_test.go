package views

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// exactTexts are the traps of V8 that belong to markup.
var exactTexts = map[string]string{
	"plain":             "a\nb\n",
	"no final newline":  "a\nb",
	"blank first":       "\n\na\n",
	"blank last":        "a\n\n\n",
	"only a newline":    "\n",
	"crlf":              "a\r\nb\r\n",
	"lone cr":           "a\rb\r",
	"cr first":          "\r\na",
	"tabs and trailing": "\ta  \t\n  b \n",
	"markup":            "</code></pre></script>&amp;&#13;<b>\n<!-- --&gt;",
	"bom":               "\ufeffa\n",
	"controls":          "\x01\x1b[31m\u202e\u200b\u0000\n"[:12],
	"combining":         "e\u0301\U0001F469\u200d\U0001F4BB\n",
	"separators":        "a\u2028b\u0085c\vd\fe\n",
}

func linesOf(text string) (lines []CodeLine) {
	for i, line := range strings.SplitAfter(text, "\n") {
		if line != "" {
			lines = append(lines, CodeLine{Number: 12 + i, HTML: Text(line)})
		}
	}
	return lines
}

// The code element's textContent is the bytes, whatever they are: in a panel, in
// a card and in the viewer.
func TestShownBytesAreExact(t *testing.T) {
	for name, want := range exactTexts {
		lines := linesOf(want)
		for kind, c := range map[string]*html.Node{
			"panel":  dom(t, VerbatimPanel(Panel{Lines: lines})),
			"card":   dom(t, StepCard(Card{Read: &ReadCard{Lines: lines}})),
			"viewer": dom(t, DocumentContent(Document{Lines: lines})),
		} {
			code := byTag(c, "code")
			if len(code) != 1 {
				t.Fatalf("%s, %s: %d code elements", kind, name, len(code))
			}
			if got := text(code[0]); got != want {
				t.Errorf("%s, %s: %q, want %q", kind, name, got, want)
			}
			for n := range code[0].ChildNodes() {
				if attr(n, "class") != "line" || attr(n, "data-n") == "" {
					t.Errorf("%s, %s: something between the lines: %v", kind, name, n)
				}
			}
			if code[0].Parent.Data != "pre" || code[0].Parent.FirstChild != code[0] || code[0].NextSibling != nil || attr(code[0].Parent, "tabindex") != "0" {
				t.Errorf("%s, %s: the code isn't alone in a pre that takes the keyboard", kind, name)
			}
		}
	}
}

func TestPanel(t *testing.T) {
	p := Panel{Locator: "homelab/a b.container#6-16", Identity: "homelab/a b.container", Start: 6, End: 16, Total: 22, Lines: linesOf("x\n"),
		SHA256: "0123456789abcdef", Revision: "e41b07c9e41b07c9", OpenURL: "/document?source=homelab&path=a+b.container&lines=6-16#L6", RawURL: "/chat/turns/1/blocks/0"}
	figure := byClass(dom(t, VerbatimPanel(p)), "verbatim")[0]
	if attr(figure, "class") != "verbatim" || attr(figure, "data-bor-locator") != p.Locator {
		t.Errorf("figure: %v", figure.Attr)
	}
	for class, want := range map[string]string{"verbatim-caption": "homelab/a b.container · lines 6–16 of 22", "verbatim-badge": "VERBATIM", "verbatim-copy": "Copy", "verbatim-open": "Open", "verbatim-raw": "Raw"} {
		if n := byClass(figure, class); len(n) != 1 || words(n[0]) != want {
			t.Errorf(".%s: %v", class, n)
		}
	}
	if attr(byClass(figure, "verbatim-open")[0], "href") != p.OpenURL || attr(byClass(figure, "verbatim-raw")[0], "href") != p.RawURL {
		t.Error("Open or Raw lead elsewhere")
	}
	if got := words(byTag(figure, "footer")[0]); got != "sha256 01234567…cdef revision e41b07c9e41b" {
		t.Errorf("footer %q", got)
	}
	if len(byTag(byTag(figure, "footer")[0], "a")) != 0 {
		t.Error("a revision leads somewhere without an address")
	}
	if len(byClass(figure, "verbatim-cut")) != 0 {
		t.Error("a whole panel says that it is cut")
	}

	p.Origin = "https://github.com/o/n/blob/e41b07c9e41b07c9/a.ini#L6-L16"
	links := byTag(byTag(byClass(dom(t, VerbatimPanel(p)), "verbatim")[0], "footer")[0], "a")
	if len(links) != 1 || attr(links[0], "href") != p.Origin || attr(links[0], "rel") != "noopener noreferrer nofollow" || words(links[0]) != "e41b07c9e41b" {
		t.Errorf("the revision leads to %v", links)
	}

	p.Cut, p.CopyWhat, p.WholeRawURL, p.Encoding, p.SHA256, p.Revision = "Cut here.", "lines 6–16 of 22", "/document/raw?x", "utf-16le", "short", "r1"
	figure = byClass(dom(t, VerbatimPanel(p)), "verbatim")[0]
	cut := byClass(figure, "verbatim-cut")
	if len(cut) != 1 || !strings.HasPrefix(words(cut[0]), "Cut here.") || attr(byTag(cut[0], "a")[1], "href") != "/document/raw?x" {
		t.Error("no mark where the block was cut")
	}
	for n := cut[0]; n != nil; n = n.Parent {
		if n.Data == "pre" || n.Data == "code" {
			t.Error("the mark is among the bytes")
		}
	}
	if words(byClass(figure, "verbatim-copy")[0]) != "Copy lines 6–16 of 22" || words(byTag(figure, "footer")[0]) != "sha256 short revision r1 decoded from utf-16le" {
		t.Error("Copy doesn't say what it copies, or the footer is wrong")
	}
}

func TestCaptions(t *testing.T) {
	for want, p := range map[string]Panel{"empty document": {}, "first 5 of 9 characters of line 3": {Start: 3, End: 3, Total: 9, Part: "first 5 of 9 characters"}, "line 3 of 9": {Start: 3, End: 3, Total: 9}, "lines 1–9 of 9": {Start: 1, End: 9, Total: 9}} {
		if got := p.caption(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, last := range map[string]int{"gutter-3": 1, "gutter-4": 1000, "gutter-7": 12345678} {
		if got := gutterClass([]CodeLine{{Number: last}}); got != want {
			t.Errorf("%d: %q, want %q", last, got, want)
		}
	}
}

// The honest state has nothing to copy, and no badge (V7).
func TestUnresolved(t *testing.T) {
	figure := byClass(dom(t, UnresolvedPanel(Unresolved{Asked: "homelab/gone.md", Reason: "There is no document with this name.", URL: "/document?x"})), "verbatim")[0]
	if attr(figure, "class") != "verbatim is-unresolved" || attr(figure, "role") != "note" || has(figure, "data-bor-locator") {
		t.Errorf("figure: %v", figure.Attr)
	}
	if got := words(figure); got != "Could not check homelab/gone.md against the knowledge base. There is no document with this name. Open the document" {
		t.Errorf("%q", got)
	}
	if len(byTag(figure, "button")) != 0 || len(byTag(figure, "code")) != 0 || len(byClass(figure, "verbatim-badge")) != 0 {
		t.Error("something to copy, or a badge")
	}
}
