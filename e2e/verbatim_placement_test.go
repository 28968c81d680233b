package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bor/internal/testkit"
)

// above are the panels of the n-th answer that stand in it; below those that stand
// between it and its sources.
func (v *visit) placed(n int) (above, below string) {
	v.t.Helper()
	list := func(selector string) string {
		return v.evaluate(`([n, s]) => [...document.querySelectorAll('.msg.brain')[n].querySelectorAll(s)].map(f => f.dataset.borLocator ?? 'none').join(', ')`, []any{n, selector})
	}
	return list(".answer figure.verbatim"), list(".turn-end > figure.verbatim:has(~ .sources)")
}

// Where panels land, by tool, by fence, by both, over the limit; what the message's
// Copy makes of them; that they stay what they were when the file changes (V1,
// V4–V6, V8, V9, DEC4, DEC10).
func TestVerbatimPlacement(t *testing.T) {
	quotes := "a run of ````` five\r\n```\n"
	files := []awkward{trapsNote, {path: "quotes.md", data: quotes}, {path: "crlf.txt", data: "one\r\ntwo"}}
	for n := range 6 {
		files = append(files, awkward{path: fmt.Sprintf("file-%d.txt", n), data: fmt.Sprintf("file %d\n", n)})
	}
	dir := folder(t, files)
	model := testkit.NewModel(t)
	database := testkit.EmptyDB(t)
	p := startOn(t, database, options{model: model, sources: map[string]string{"traps": dir}})
	v := withClipboard(t, p.url)

	ask := func(n int, logged int, steps ...testkit.Step) (above, below string) {
		t.Helper()
		model.Queue(steps...)
		v.ask(trapsQuestion)
		v.settled(n)
		line := p.out.find(t, regexp.MustCompile(`msg=turn id=`+v.turn(n)+` .*`))
		if !strings.HasSuffix(line, fmt.Sprintf(" verbatim_blocks=%d", logged)) {
			t.Errorf("answer %d is logged as %s", n, line)
		}
		return v.placed(n)
	}
	fence := func(place string) string { return "```bor " + place + "\n```\n\n" }
	show := func(path string) testkit.Step { return testkit.Call("show_text", `{"path":"`+path+`"}`) }

	if above, below := ask(0, 1, show("traps/quotes.md"), testkit.Say("Here it is.\n")); above != "" || below != "traps/quotes.md" {
		t.Errorf("shown by the tool: %q in the answer, %q below it", above, below)
	}
	if above, below := ask(1, 1, testkit.Say("Here it is:\n\n"+fence("traps/quotes.md"))); above != "traps/quotes.md" || below != "" {
		t.Errorf("shown by a fence: %q in the answer, %q below it", above, below)
	}
	if above, below := ask(2, 2, show("traps/quotes.md"), show("traps/file-0.txt"),
		testkit.Say("Twice:\n\n"+fence("traps/quotes.md:1-2")+fence("traps/quotes.md"))); above != "traps/quotes.md, traps/quotes.md" || below != "traps/file-0.txt" {
		t.Errorf("shown by both: %q in the answer, %q below it", above, below)
	}
	shown := v.panels()
	if a, b := shown[2].Raw, shown[3].Raw; a != b {
		t.Errorf("one block, painted twice, has two addresses: %s and %s", a, b)
	}

	// What names no place is the model's own code.
	if above, below := ask(3, 0, testkit.Say("```bor\nno place\n```\n\n~~~bor some words\nmore\n~~~\n\n```Bor traps/crlf.txt\nmine\n```\n")); above != "" || below != "" {
		t.Errorf("fences without a place: %q in the answer, %q below it", above, below)
	}
	codes, err := v.page.Locator(".code-block code").AllTextContents()
	must(t, err)
	if want := []string{"no place", "more", "mine"}; !slices.Equal(codes, want) {
		t.Errorf("fences without a place show %q, want %q", codes, want)
	}

	// Three blocks by the tool, then fences: two more fit, then the limit.
	var rest strings.Builder
	for n := range 6 {
		rest.WriteString(fence(fmt.Sprintf("traps/file-%d.txt", n)))
	}
	above, below := ask(4, 5, show("traps/quotes.md"), show("traps/crlf.txt"), show("traps/file-1.txt"), testkit.Say(rest.String()))
	if above != "traps/file-0.txt, traps/file-1.txt, traps/file-2.txt, none, none, none" || below != "traps/quotes.md, traps/crlf.txt" {
		t.Errorf("over the limit: %q in the answer, %q below it", above, below)
	}
	if notice := v.panels()[len(shown)+3].Unresolved; notice != "Could not check traps/file-3.txt against the knowledge base. It is over the limit of 5 blocks in one answer. Open the document" {
		t.Errorf("over the limit: %q", notice)
	}
	// The tool refuses the sixth block and the same block again; people see neither.
	ask(5, 5, show("traps/file-0.txt"), show("traps/file-0.txt"), show("traps/file-1.txt"), show("traps/file-2.txt"), show("traps/file-3.txt"), show("traps/file-4.txt"), show("traps/file-5.txt"), testkit.Say("All.\n"))
	if calls, err := v.page.Locator(".msg.brain").Nth(5).Locator(".tool-call").Count(); err != nil || calls != 5 {
		t.Errorf("the trace shows %d calls, want the 5 that showed something: %v", calls, err)
	}

	// Copy of the message: exact bytes, in fences longer than any run inside.
	v.watchCopies()
	must(t, v.page.Locator(".msg-copy").Nth(1).Click())
	same(t, "Copy of a message", v.copied(1), "Here it is:\n\n``````markdown traps/quotes.md\n"+quotes+"``````\n\n")
	must(t, v.page.Locator(".msg-copy").Nth(4).Click())
	if copied := v.copied(2); !strings.Contains(copied, "```traps/crlf.txt\none\r\ntwo\n```\n") || !strings.Contains(copied, "(not shown: traps/file-3.txt: It is over the limit of 5 blocks in one answer.)") {
		t.Errorf("Copy of a message over the limit: %q", copied)
	}

	// The file changes, the switch goes off: what was shown stays.
	must(t, os.WriteFile(filepath.Join(dir, "quotes.md"), []byte("changed\n"), 0o644))
	p.run("import", "--source", dir, "--name", "traps")
	p.stop()
	startOn(t, database, options{model: model, env: []string{"BOR_ANSWER_TEXT=false", "BOR_ADDR=" + strings.TrimPrefix(p.url, "http://")}})
	_, err = v.page.Reload()
	must(t, err)
	old := v.panels()[0]
	same(t, "a panel of an earlier answer", old.Text, quotes)
	same(t, "its hash", old.SHA256, hash(quotes))
	same(t, "its Raw", v.bytes(old.Raw), quotes)
	same(t, "the document now", v.bytes("/document/raw?source=traps&path=quotes.md"), "changed\n")
}

// With the switch off nothing of the feature is there: a fence is the model's own
// code, without a badge (V9).
func TestVerbatimSwitchedOff(t *testing.T) {
	model := testkit.NewModel(t)
	database := testkit.EmptyDB(t)
	p := startOn(t, database, options{model: model, sources: map[string]string{"traps": folder(t, []awkward{trapsNote, {path: "crlf.txt", data: "one\r\ntwo\r\n"}})},
		env: []string{"BOR_ANSWER_TEXT=false"}})
	answer := "Here:\n\n```bor traps/crlf.txt\nmy own\n\ttext\n```\n\n~~~bor\ntraps/crlf.txt\n~~~\n"
	model.Queue(testkit.Say(pieces(answer, 3)...))
	v := withClipboard(t, p.url)
	v.ask(trapsQuestion)
	v.settled(0)
	for _, when := range []string{"live", "reloaded"} {
		if shown := v.panels(); len(shown) != 0 {
			t.Errorf("%s: %+v", when, shown)
		}
		if badges, err := v.page.Locator(".badge, .fence-slot, .waiting").Count(); err != nil || badges != 0 {
			t.Errorf("%s: %d parts of panels: %v", when, badges, err)
		}
		same(t, when+": the first code block", text(t, v.page.Locator(".code-block code").First()), "my own\n\ttext")
		same(t, when+": the second", text(t, v.page.Locator(".code-block code").Nth(1)), "traps/crlf.txt")
		v.watchCopies()
		must(t, v.page.Locator(".code-copy").First().Click())
		same(t, when+": its Copy", v.copied(1), "my own\n\ttext")
		must(t, v.page.Locator(".msg-copy").Click())
		same(t, when+": the message's Copy", v.copied(2), answer)
		_, err := v.page.Reload()
		must(t, err)
	}
	if record := storedRecord(t, database, v.turn(0)); strings.Contains(record, "answer_text") || strings.Contains(record, "fences") {
		t.Errorf("the record is %s", record)
	}
	request := model.Chats()[0]
	for _, tool := range request.Tools {
		if tool.Name == "show_text" {
			t.Error("the tool is offered")
		}
	}
	if strings.Contains(string(request.Body), "bor source/path") {
		t.Error("the prompt teaches fences")
	}
	if line := p.out.find(t, regexp.MustCompile(`msg=turn id=.*`)); !strings.HasSuffix(line, " verbatim_blocks=0") {
		t.Errorf("logged as %s", line)
	}
}
