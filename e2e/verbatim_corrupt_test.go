package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// corrupt is what the scripted model types where only bytes of the knowledge base
// may stand. Its letters are used nowhere else, so that each of them can be looked
// for alone: a stream may hold a word in pieces.
var corrupt = []string{
	"ꙀꙂꙄ = ꙆꙈ",
	"",
	"# ꙊꙌ",
	"> ꙎꙐ",
	"- ꙒꙔ",
	"1. ꙖꙘ",
	"| ꙚꙜ | ꙞꙠ |",
	"[ꙢꙤ]: http://ꙦꙨ.example/ꙪꙬ",
	"\tꙀꙂ\\",
	"ꙄꙆ ```",
	"```bor traps/ꙈꙊ.txt",
	"~~~ ꙌꙎ",
	"</code></pre><b>ꙐꙒ</b>",
	"&ꙔꙖ;",
	"ꙘꙚ  ",
}

// corruptLetters are the letters of corrupt.
var corruptLetters = strings.Map(func(r rune) rune {
	if r < 'Ꙁ' || r > 'Ꙭ' {
		return -1
	}
	return r
}, strings.Join(corrupt, ""))

// typed is the corrupted text in a fence, without a line that would close it, each
// line behind a prefix.
func typed(prefix string) string {
	return prefix + strings.Join(corrupt, "\n"+prefix) + "\n"
}

// corruptForm is a way in which a model may write a locator fence with text in it.
type corruptForm struct {
	name string
	text string
	left string // what of it people read beside the panel
}

// corruptForms all name the same place.
func corruptForms() []corruptForm {
	plain := func(opening, closing string) string { return opening + "\n" + typed("") + closing + "\n" }
	forms := []corruptForm{
		{"info string", plain("```bor traps/crlf.txt", "```"), ""},
		{"locator on the first line", plain("```bor\ntraps/crlf.txt", "```"), ""},
		{"locator in back-quotes on the first line", plain("```bor  \n  `traps/crlf.txt`  ", "```"), ""},
		{"tildes", plain("~~~bor traps/crlf.txt", "~~~"), ""},
		{"tildes, back-quotes around the locator", plain("~~~~ bor `traps/crlf.txt`", "~~~~~"), ""},
		{"longer fence", plain("``````bor traps/crlf.txt", "```````"), ""},
		{"fences inside", "`````bor traps/crlf.txt\n```\nꙀꙂ\n```\n````\nꙄꙆ\n`````\n", ""},
		{"range", plain("```bor traps/crlf.txt 1-4", "```"), ""},
		{"range behind a colon", plain("```bor traps/crlf.txt:1-9", "```"), ""},
		{"range behind #L, en dash", plain("```bor traps/crlf.txt#L1–L4", "```"), ""},
		{"tab, indentation, spaces", plain("   ``` bor\ttraps/crlf.txt  \t", "  ```  "), ""},
		{"escapes", plain(`~~~bor traps\/crlf&#46;txt`, "~~~"), ""},
		{"no blank lines around", "words\n" + plain("```bor traps/crlf.txt", "```") + "more words\n", "words more words"},
		{"in a list", "- item\n\n  ```bor traps/crlf.txt\n" + typed("  ") + "  ```\n\n  after\n- next\n", "item after next"},
		{"a list begins with it", "1. ```bor\n   traps/crlf.txt\n" + typed("   ") + "   ```\n2. next\n", "next"},
		{"in a quote", "> said\n>\n> ```bor traps/crlf.txt\n" + typed("> ") + "> ```\n> after\n", "said after"},
		{"list in a quote in a list", "* a\n  > + b\n  >   ~~~bor traps/crlf.txt\n" + typed("  >   ") + "  >   ~~~\n  >   c\n", "a b c"},
		{"ended by its quote", "> ```bor traps/crlf.txt\n" + typed("> ") + "\nafter\n", "after"},
		{"ended by its item", "- ```bor traps/crlf.txt\n" + typed("  ") + "\nafter\n", "after"},
		{"empty", "```bor traps/crlf.txt\n```\n", ""},
	}
	windows := forms[0]
	windows.name, windows.text = "line ends of Windows", strings.ReplaceAll(windows.text, "\n", "\r\n")
	bare := forms[1]
	bare.name, bare.text = "line ends of Windows, bare", strings.ReplaceAll(bare.text, "\n", "\r\n")
	item := forms[13]
	item.name, item.text = "line ends of Windows, in a list", strings.ReplaceAll(item.text, "\n", "\r\n")
	mac := forms[0]
	mac.name, mac.text = "line ends of old Macs", strings.ReplaceAll(mac.text, "\n", "\r")
	return append(forms, windows, bare, item, mac)
}

// unresolvedForms name what can't be shown.
var unresolvedForms = []struct{ place, reason string }{
	{"traps/missing.txt", "There is no document with this name."},
	{"traps/missing.txt 3-9", "There is no document with this name."},
	{"traps/../../etc/passwd", "There is no document with this name."},
	{"traps/crlf.txt 90-95", "Line 90 is past its end: the document has 4 lines."},
	{"traps/crlf.txt:3-2", "Lines 3–2 are not a range; the document has 4 lines."},
	{"traps/crlf.txt:0", "Lines 0–0 are not a range; the document has 4 lines."},
	{"traps/empty.txt:1", "Line 1 is past its end: the document has 0 lines."},
	{"traps/picture.txt", "It is an image, which has no lines to show."},
	{"traps/lf.txt", "It is over the limit of 1 block in one answer."},
}

// slowly cuts text into deltas of one, two, three characters, in turn.
func slowly(text string) []testkit.Part {
	var parts []testkit.Part
	runes := []rune(text)
	for n := 1; len(runes) > 0; n = n%3 + 1 {
		n = min(n, len(runes))
		parts = append(parts, testkit.Part{Text: string(runes[:n])})
		runes = runes[n:]
	}
	return parts
}

// split cuts text in the middle of the first corrupted word behind a place.
func split(text, place string) (before, after string) {
	i := strings.Index(text, place)
	i += strings.Index(text[i:], "ꙆꙈ") + len("Ꙇ")
	return text[:i], text[i:]
}

// A model that types another text where a file's bytes belong: not one of its
// characters reaches a page, a stream, a record or the clipboard (V6, V7).
func TestVerbatimCorruptBody(t *testing.T) {
	crlf := awkward{path: "crlf.txt", data: "one\r\ntwo\r\nthree\r\nfour\r\n"}
	model := testkit.NewModel(t)
	database := testkit.EmptyDB(t)
	files := []awkward{trapsNote, crlf, {path: "lf.txt", data: "lf\n"}, {path: "empty.txt"}, {path: "picture.txt", data: "x\n"}}
	p := startOn(t, database, options{model: model, sources: map[string]string{"traps": folder(t, files)}, env: []string{"BOR_SHOW_TEXT_MAX_BLOCKS=1"}})
	makeImage(t, database, "picture.txt")

	t.Run("forms", func(t *testing.T) {
		everyForm(t, p, startOn(t, database, options{model: model}), database, model, crlf)
	})
	t.Run("unclosed", func(t *testing.T) { unclosed(t, p, model, crlf) })
	t.Run("deflected", func(t *testing.T) { deflectedFences(t, p, model) })
}

// everyForm streams one answer of all forms, held in the middle of some of them. A
// page of another process on the same database follows, too.
func everyForm(t *testing.T, p, other *product, database string, model *testkit.Model, crlf awkward) {
	forms := corruptForms()
	var answer strings.Builder
	var left []string
	for i, f := range forms {
		fmt.Fprintf(&answer, "Form %d.\n\n%s\nSo it says.\n\n", i, f.text)
		left = append(left, fmt.Sprintf("Form %d.", i), f.left, "So it says.")
	}
	for _, f := range unresolvedForms {
		answer.WriteString("```bor " + f.place + "\n" + typed("") + "```\n\n")
	}
	answer.WriteString("That was all.\n")
	left = append(left, "That was all.")

	start := make(chan struct{})
	step := testkit.Step{}.With(testkit.Gate(start))
	var held []chan struct{}
	rest := answer.String()
	stops := []int{0, 1, 4, 13, 16} // in its body, bare, in tildes, in a list, in three containers
	for _, n := range stops {
		before, after := split(rest, fmt.Sprintf("Form %d.", n))
		gate := make(chan struct{})
		held = append(held, gate)
		step = step.With(slowly(before)...).With(testkit.Gate(gate))
		rest = after
	}
	model.Queue(step.With(slowly(rest)...))

	w := newTranscript()
	v := withClipboard(t, p.url)
	v.ask(trapsQuestion)
	must(t, v.page.Locator(".msg.brain[aria-busy=true]").WaitFor())
	turn := v.turn(0)
	w.listen(v, "stream from the beginning", turn)
	close(start)
	var away *visit
	for i, gate := range held {
		// The model is in the middle of the fence, and the panel is there.
		must(t, v.page.Locator(".msg.brain .verbatim").Nth(stops[i]).WaitFor())
		shown := v.panels()
		if len(shown) != stops[i]+1 {
			t.Fatalf("%d panels while the model writes fence %d", len(shown), stops[i])
		}
		for _, panel := range shown {
			same(t, "a panel in mid-stream", panel.Text, crlf.data)
		}
		if busy, err := v.page.Locator(".msg.brain[aria-busy=true]").Count(); err != nil || busy != 1 {
			t.Fatalf("the turn isn't running any more: %v", err)
		}
		if so := fmt.Sprintf("So it says. Form %d.", stops[i]); stops[i] > 0 && !strings.Contains(v.wordsBeside(), so) {
			t.Errorf("%q isn't on the page while the model writes on: %q", so, v.wordsBeside())
		}
		when := fmt.Sprintf("in the middle of form %d", stops[i])
		w.page(v, when)
		w.listen(v, "stream from "+when, turn)
		if i == 0 {
			w.dom(v.withoutScript(), "without script, "+when)
			away = v.elsewhere(other)
			w.page(away, "at another process, "+when)
			w.listen(away, "stream of another process from "+when, turn)
		}
		close(gate)
	}
	v.settled(0)
	away.settled(0)
	same(t, "the answer followed at another process", away.answerDOM(0), v.answerDOM(0))

	shown := v.panels()
	if len(shown) != len(forms)+len(unresolvedForms) {
		t.Fatalf("%d panels, want %d", len(shown), len(forms)+len(unresolvedForms))
	}
	for i, f := range forms {
		if shown[i].Unresolved != "" || shown[i].Locator != "traps/crlf.txt" {
			t.Errorf("%s: %q %s", f.name, shown[i].Locator, shown[i].Unresolved)
		}
		same(t, f.name, shown[i].Text, crlf.data)
		same(t, f.name+": Raw", v.bytes(shown[i].Raw), crlf.data)
	}
	for i, f := range unresolvedForms {
		notice := shown[len(forms)+i].Unresolved
		if !strings.HasPrefix(notice, "Could not check "+f.place+" against the knowledge base. "+f.reason) {
			t.Errorf("%s: %q", f.place, notice)
		}
	}
	words := strings.Join(strings.Fields(strings.Join(left, " ")), " ")
	same(t, "what stands beside the panels", v.wordsBeside(), words)

	v.expectSameEverywhere(w, 0)
	v.watchCopies()
	must(t, v.page.Locator(".msg-copy").Click())
	copied, md := v.copied(1), v.bytes("/chat/turns/"+turn+"/answer.md")
	same(t, "clipboard after the message's Copy, against answer.md", copied, md)
	w.add("answer.md", md)
	w.add("record without its text", storedRecord(t, database, turn))
	w.listen(v, "stream after the end", turn)
	w.expectNone(t, corruptLetters)
}

// wordsBeside is the first answer's text without its panels, spaces folded.
func (v *visit) wordsBeside() string {
	v.t.Helper()
	return strings.Join(strings.Fields(v.evaluate(`() => {
		const answer = document.querySelector('.msg.brain .answer').cloneNode(true);
		for (const f of answer.querySelectorAll('figure.verbatim')) f.replaceWith(' ');
		for (const e of answer.querySelectorAll('p, li')) { e.prepend(' '); e.append(' '); }
		return answer.textContent;
	}`)), " ")
}

// unclosed ends answers in the middle of fences.
func unclosed(t *testing.T, p *product, model *testkit.Model, crlf awkward) {
	w := newTranscript()
	v := withClipboard(t, p.url)
	for i, opening := range []string{"```bor traps/crlf.txt\n", "```bor\ntraps/crlf.txt\n", "- a\n\n  ~~~bor traps/crlf.txt\n  ", "> ```bor\n> traps/crlf.txt\r\n> ", "```bor traps/missing.txt\n"} {
		gate := make(chan struct{})
		model.Queue(testkit.Step{}.With(testkit.Gate(gate)).With(slowly("Here:\n\n" + opening + strings.Join(corrupt[:1], ""))...))
		v.ask(trapsQuestion)
		must(t, v.page.Locator(".msg.brain[aria-busy=true]").WaitFor())
		w.listen(v, fmt.Sprintf("stream of %q", opening), v.turn(i))
		close(gate)
		v.settled(i)
		shown := v.panels()
		if len(shown) != i+1 {
			t.Fatalf("%q: %d panels, want %d", opening, len(shown), i+1)
		}
		if last := shown[i]; strings.Contains(opening, "missing") != (last.Unresolved != "") {
			t.Errorf("%q: %q", opening, last.Unresolved)
		} else if last.Unresolved == "" {
			same(t, opening, last.Text, crlf.data)
		}
		w.add("answer.md of "+opening, v.bytes("/chat/turns/"+v.turn(i)+"/answer.md"))
	}
	v.expectSameEverywhere(w, 4)
	w.expectNone(t, corruptLetters)
}

// deflectedFences writes fences into an answer that has no notes to stand on.
func deflectedFences(t *testing.T, p *product, model *testkit.Model) {
	var answer strings.Builder
	forms := corruptForms()
	for _, f := range forms {
		answer.WriteString("words\n\n" + f.text + "\n")
	}
	gate := make(chan struct{})
	model.Queue(testkit.Step{}.With(testkit.Gate(gate)).With(slowly(answer.String())...))
	w := newTranscript()
	v := withClipboard(t, p.url)
	v.ask("What is the capital of Mongolia?")
	must(t, v.page.Locator(".msg.brain[aria-busy=true]").WaitFor())
	w.listen(v, "stream", v.turn(0))
	close(gate)
	v.settled(0)
	must(t, v.page.Locator(".msg.brain.is-deflected").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateAttached}))
	shown := v.panels()
	if len(shown) != len(forms) {
		t.Fatalf("%d notices, want %d", len(shown), len(forms))
	}
	for i, f := range forms {
		if !strings.HasSuffix(shown[i].Unresolved, "The answer stands on no document, so none is shown in it.") {
			t.Errorf("%s: %+q", f.name, shown[i])
		}
	}
	md := v.bytes("/chat/turns/" + v.turn(0) + "/answer.md")
	w.add("answer.md", md)
	v.expectSameEverywhere(w, 0)
	w.expectNone(t, corruptLetters)
	for what, sent := range w.sent {
		if slices.Contains([]string{"answer.md", "stream"}, what) && strings.Contains(sent, "three") {
			t.Errorf("%s holds a document's text", what)
		}
	}
}

// makeImage makes an imported document an image, which a source without images
// doesn't bring.
func makeImage(t *testing.T, database, path string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	must(t, err)
	defer conn.Close(t.Context())
	tag, err := conn.Exec(t.Context(), "UPDATE documents SET kind = 'image' WHERE path = $1", path)
	must(t, err)
	if tag.RowsAffected() != 1 {
		t.Fatalf("%d documents are called %q", tag.RowsAffected(), path)
	}
}
