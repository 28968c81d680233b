package views

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// everyView renders each view from models whose every string is value.
func everyView(value string) map[string]templ.Component {
	turn := func(s TurnState) TurnPanel {
		p := filled[TurnPanel](value)
		call := filled[Step](value)
		call.Thinking = ""
		running := call
		running.CardURL = ""
		p.State, p.Steps = s, append(p.Steps, call, running)
		return p
	}
	chat := filled[ChatPage](value)
	chat.Exchanges[0].Turn = turn(TurnDone)
	empty := filled[ChatPage](value)
	empty.Exchanges = nil
	document := filled[DocumentPage](value)
	document.Document.Gone, document.Document.Image = false, nil
	code, gone, image := document, document, document
	code.Document.Rendered = ""
	gone.Document.Gone = true
	image.Document.Image = new(filled[Figure](value))
	submitted := filled[Submitted](value)
	submitted.Exchange.Turn = turn(TurnRunning)
	views := map[string]templ.Component{
		"chat": Chat(chat), "empty chat": Chat(empty), "answered": Answered(submitted), "problem text": Problem(value),
		"login": Login(filled[LoginPage](value)), "problem": ProblemScreen(filled[ProblemPage](value)),
		"rendered document": DocumentViewer(document), "code": DocumentViewer(code), "gone": DocumentContent(gone.Document), "image": DocumentContent(image.Document),
		"panel": VerbatimPanel(filled[Panel](value)), "unresolved": UnresolvedPanel(filled[Unresolved](value)),
		"folded":  ThinkingFolded(filled[Step](value)),
		"settled": TurnSettled(turn(TurnDone)), "send": SendPartial(value),
		"read card": StepCard(Card{Read: new(filled[ReadCard](value))}), "grep card": StepCard(Card{Grep: new(filled[GrepCard](value))}),
		"list card": StepCard(Card{List: new(filled[ListCard](value))}), "show card": StepCard(Card{Show: new(filled[ShowCard](value))}),
		"generic card": StepCard(Card{Text: value}), "card page": StepPage(filled[CardPage](value)),
	}
	for _, s := range []TurnState{TurnRunning, TurnDone, TurnDeflected, TurnError, TurnStopped, TurnInterrupted} {
		views["turn "+string(s)] = Turn(turn(s))
	}
	return views
}

// Text that tries to leave its place: elements, attributes, comments, entities,
// htmx, control and bidirectional characters, both line ends.
const hostile = `"'></title></textarea></code></pre></template><script>alert(1)</script><img src=x onerror=alert(2)><hx-partial hx-target="body"><a hx-get="/x" href="javascript:alert(3)">&quot;&#x3c;b&#x3e;<!--` + "\u202e\u0007\r\n-->"

// Wherever a string goes, it stays text: no element, handler, address or htmx
// attribute comes of it, and it is there to be read (SEC1).
func TestHostileTextStaysText(t *testing.T) {
	clean := everyView("plain")
	for name, c := range everyView(hostile) {
		t.Run(name, func(t *testing.T) {
			root, want := dom(t, c), dom(t, clean[name])
			got, expected := shape(root), shape(want)
			if got != expected {
				t.Errorf("other elements or attributes than with plain text:\n%s\nwant:\n%s", got, expected)
			}
			visible := strings.ReplaceAll(text(root), "\r", "")
			if strings.Contains(text(want), "plain") && !strings.Contains(visible, strings.ReplaceAll(hostile, "\r", "")) {
				t.Errorf("the text can't be read:\n%s", visible)
			}
		})
	}
}

// shape lists all elements with the names of their attributes, in order.
func shape(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data != "wbr" {
			b.WriteString(n.Data)
			for _, a := range n.Attr {
				b.WriteString(" " + a.Key)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// An address of another scheme never becomes a link, whatever made it.
func TestLinkSchemes(t *testing.T) {
	for _, scheme := range []string{"javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:x", "data:text/html,x"} {
		for name, c := range everyView(scheme) {
			for _, n := range byTag(dom(t, c), "a") {
				if href := attr(n, "href"); strings.HasPrefix(strings.ToLower(href), strings.ToLower(scheme[:5])) {
					t.Errorf("%s: <a href=%q>", name, href)
				}
			}
		}
	}
}

// Nothing on a page needs what the policy forbids: handlers and styles in
// attributes, scripts without the nonce, elements that load or post elsewhere.
func TestPolicy(t *testing.T) {
	for name, c := range everyView("plain") {
		for _, n := range all(dom(t, c), func(*html.Node) bool { return true }) {
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
					t.Errorf("%s: <%s %s=%q>", name, n.Data, a.Key, a.Val)
				}
				if strings.HasPrefix(a.Key, "hx-") && a.Key != "hx-ignore" && n.Data != "template" && n.Data != "hx-partial" && attr(n, "hx-nonce") == "" {
					t.Errorf("%s: <%s %s> without a nonce", name, n.Data, a.Key)
				}
			}
			switch n.Data {
			case "script":
				if attr(n, "nonce") == "" || attr(n, "src") == "" || n.FirstChild != nil {
					t.Errorf("%s: a script without nonce or address, or with text", name)
				}
			case "style", "iframe", "object", "embed", "base":
				t.Errorf("%s: <%s>", name, n.Data)
			case "img":
				t.Errorf("%s: an image from %q, which is no address of this server", name, attr(n, "src"))
			}
		}
	}
}

// What a stream or a card brings carries no htmx attribute at all, apart from the
// frame of a partial (DEC5).
func TestStreamedPartsCarryNoBehaviour(t *testing.T) {
	views := everyView("plain")
	for _, name := range []string{"turn running", "turn done", "turn error", "turn stopped", "turn interrupted", "turn deflected", "settled", "folded", "panel", "unresolved",
		"send", "read card", "grep card", "list card", "show card", "generic card", "gone", "image"} {
		for _, n := range all(dom(t, views[name]), func(n *html.Node) bool { return n.Data != "hx-partial" }) {
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "hx-") || strings.HasPrefix(a.Key, "data-hx-") {
					t.Errorf("%s: <%s %s>", name, n.Data, a.Key)
				}
			}
		}
	}
}

// Conversation and documents stand in regions that htmx leaves alone, so that an
// attribute that got through would do nothing (SEC1).
func TestContentIsIgnoredByHtmx(t *testing.T) {
	views := everyView("plain")
	for name, class := range map[string]string{"chat": "brain", "answered": "brain", "rendered document": "doc", "code": "doc", "card page": "window"} {
		found := byClass(dom(t, views[name]), class)
		if len(found) == 0 {
			t.Errorf("%s: no .%s", name, class)
		}
		for _, n := range found {
			for n != nil && !has(n, "hx-ignore") {
				n = n.Parent
			}
			if n == nil {
				t.Errorf("%s: .%s is not in an hx-ignore region", name, class)
			}
		}
	}
	if !has(byID(t, dom(t, views["chat"]), "doc-modal-body"), "hx-ignore") {
		t.Error("the document window is not an hx-ignore region")
	}
	for _, n := range byClass(dom(t, views["chat"]), "user") {
		if !has(n, "hx-ignore") {
			t.Error("a question is not in an hx-ignore region")
		}
	}
}

// Unescaped output exists in one file. Everything else is templ's.
func TestRawHTMLInOnePlace(t *testing.T) {
	files, err := filepath.Glob("*.*")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	raw := regexp.MustCompile(`templ\.Raw|\bSafeHTML\(|WriteString|io\.Writer|templ\.SafeURL\(|<style|ComponentFunc`)
	for _, name := range files {
		if name == "rawhtml.go" || strings.HasSuffix(name, "_templ.go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := raw.Find(src); m != nil {
			t.Errorf("%s: %s", name, m)
		}
	}
}
