package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// venom is text that must stay text wherever it comes from.
const venom = `<script>window.bitten=1</script><img src=x onerror="window.bitten=2"><img src="https://evil.example/pixel.png">` +
	`<a href="javascript:window.bitten=3" onclick="window.bitten=4">x</a><svg onload=window.bitten=5><style>body{display:none}</style>` +
	`<div hx-get="https://evil.example/" hx-trigger="load" data-hx-post="/logout" hx-on:click="1"></div><hx-partial hx-target="#main"></hx-partial><hx-part to="#main" as="innerHTML"></hx-part>` +
	`<form action="https://evil.example/"><button formaction="/logout">y</button></form><iframe srcdoc="<script>parent.bitten=6</script>"></iframe><base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example/">`

// poison is venom as Markdown would carry it.
const poison = venom + "\n\n![pixel](https://evil.example/p.png) [a](javascript:window.bitten=7) [b](java&#115;cript:window.bitten=8) [c](data:text/html,<script>1</script>) " +
	"[d](//evil.example/x) [e](vbscript:x) <javascript:window.bitten=9> [f](/logout) [g]( javascript&colon;x)\n\n![i](data:image/svg+xml,x) ![j](/logout)\n\n" +
	"<details open ontoggle=window.bitten=10>\n\n**bold**\n\n</details>\n\n```html\"onmouseover=\"x\n" + venom + "\n```\n\n| " + venom + " | b |\n|---|---|\n| c | " + venom + " |\n\n# " + venom + "\n"

// venomous names are legal as file names.
const (
	venomName  = `a" onmouseover="window.bitten=11" hx-get="x <img src=x onerror=window.bitten=12> 'b.md`
	venomPath  = `b<svg onload=window.bitten=18>" onfocus="x" autofocus.txt`
	venomTitle = `Snakes <img src=x onerror=window.bitten=13> "& <script>window.bitten=14<`
)

// strangers lists what stands in the document and isn't ours: nothing may run, load
// or act but what the templates put there.
const strangers = `() => {
	const found = [];
	const ours = new Set(['stream', 'composer', 'docs-filter']);
	for (const e of document.querySelectorAll('*')) {
		const at = e.outerHTML.slice(0, 120);
		const tag = e.localName;
		if (tag === 'script' && !(e.parentElement === document.head && new URL(e.src).origin === location.origin)) found.push('script: ' + at);
		if (/^(iframe|object|embed|style|base|frame|hx-.*)$/.test(tag)) found.push(tag + ': ' + at);
		if (/^(meta|link)$/.test(tag) && e.closest('body')) found.push(tag + ': ' + at);
		if (tag === 'form' && e.closest('.msg, #doc-modal-body, .doc')) found.push('form: ' + at);
		if (tag === 'img' && !/^\/(chat\/turns\/\d+\/images\/\d+|document\/raw|static\/.*)$/.test(new URL(e.src).pathname)) found.push('img: ' + at);
		for (const { name, value } of e.attributes) {
			if (/^on/.test(name)) found.push(name + ': ' + at);
			if (/^(style|srcdoc|ping|background)$/.test(name)) found.push(name + ': ' + at);
			if (/^(data-)?hx-/.test(name) && name !== 'hx-ignore' && !ours.has(e.className) && !ours.has(e.id)) found.push(name + ': ' + at);
			if (/^(data-)?hx-/.test(name) && e.closest('[hx-ignore]') && name !== 'hx-ignore') found.push(name + ' in content: ' + at);
			if (/^(href|src|action|formaction|data-src|data-copy|xlink:href)$/.test(name)) {
				const u = new URL(value, location.href);
				if (value.startsWith('about:invalid#') || /^data-/.test(name) && !/^https?:$/.test(u.protocol)) continue; // leads nowhere; is only ever fetched
				if (u.origin !== location.origin && !(name === 'href' && /^(https?|mailto):$/.test(u.protocol) && /noopener/.test(e.rel))) found.push(name + ': ' + at);
			}
		}
	}
	if (window.bitten) found.push('a script ran: ' + window.bitten);
	return JSON.stringify(found);
}`

func (s screen) unbitten(when string) {
	s.t.Helper()
	var found []string
	must(s.t, json.Unmarshal([]byte(s.eval(strangers).(string)), &found))
	for _, f := range found {
		s.t.Errorf("%s: %s", when, f)
	}
}

// TestPagesHostile lets everything that isn't ours be hostile: the question, the
// model, the documents and their names (SEC1, SEC5, CH3).
func TestPagesHostile(t *testing.T) {
	p, model := house(t, map[string]string{venomName: "# " + venomTitle + "\n\nAll about snakes.\n\n" + poison, "code/snake.txt": poison, venomPath: "zebra\n"})
	v := visitor(t, p, playwright.BrowserNewContextOptions{})
	s := v.screen()
	path, err := json.Marshal("homelab/" + venomPath)
	must(t, err)
	pattern, err := json.Marshal(venom[:60])
	must(t, err)

	question := "What do the notes say about snakes? " + venom
	g := gates(2)
	model.Queue(testkit.Think(venom).With(testkit.Call("read", `{"path":`+string(path)+`}`).Parts...),
		testkit.Call("grep", `{"pattern":`+string(pattern)+`}`), testkit.Call("ls", `{"path":"homelab"}`), testkit.Call(`b<img src=x onerror=window.bitten=15>`, `{}`),
		testkit.Step{}.With(testkit.Part{Text: poison[:700]}, testkit.Gate(g[0]), testkit.Part{Text: poison[700:] + "\n\n~~~~bor homelab/" + venomName + "\n~~~~\n\n~~~~bor homelab/code/snake.txt\n~~~~\n\n~~~~bor " + venom + "\n~~~~\n"}, testkit.Gate(g[1]), testkit.Part{Text: "The end."}))
	s.put(question)
	s.shows(".answer", "window.bitten=1")
	s.unbitten("while it streams")
	close(g[0])
	s.has(2, ".verbatim[data-bor-locator]")
	s.unbitten("with panels")
	close(g[1])
	s.ended(1)
	s.unbitten("at the end")
	if got := text(t, s.Locator(".msg.user")); got != question {
		t.Errorf("the question reads %q", got)
	}
	if got := text(t, s.Locator(".thinking-text")); got != venom {
		t.Errorf("the thinking reads %q", got)
	}
	if got := text(t, s.Locator(".verbatim code").Nth(1)); got != poison {
		t.Errorf("the panel reads %q", got)
	}
	for _, fold := range s.all(".card-fold summary, .thinking summary") {
		s.is(fold.Click())
	}
	s.has(0, ".card-body > a")
	s.has(0, "[aria-busy]")
	s.unbitten("with cards open")
	live := s.messages
	_, err = s.Reload()
	s.is(err)
	s.ended(1)
	s.unbitten("reloaded")
	reloaded := s.messages()
	_, err = s.Reload()
	s.is(err)
	if live() != reloaded {
		t.Error("two loads of the record differ")
	}
	for i := range s.all(".source-chip") {
		s.is(s.Locator(".source-chip").Nth(i).Click())
		s.until("the chip's document", fmt.Sprintf(`() => {
			const path = link => new URL(link.href).searchParams.get('path');
			const raw = document.querySelector('#doc-modal[open] .doc-raw');
			return !!raw && path(raw) === path(document.querySelectorAll('.source-chip')[%d]);
		}`, i))
		s.unbitten("in the window")
		s.is(s.Keyboard().Press("Escape"))
		s.hidden("#doc-modal")
	}

	model.Queue(testkit.Say("No notes: " + venom))
	s.put("Who is the empress of Atlantis? Snakes?")
	s.ended(2)
	s.unbitten("the next answer")

	for _, page := range []string{documentPath(venomName, ""), documentPath(venomName, "&view=lines"), documentPath("code/snake.txt", "&lines=1-2#L1"), documentPath(venom, ""),
		"/document?source=" + strings.Repeat("%3Cb%3E", 3) + "&path=%22%3E%3Cscript%3E", "/c/%3Cscript%3Ewindow.bitten=16%3C%2Fscript%3E", "/?q=%22%3E%3Cscript%3Ewindow.bitten%3D17%3C%2Fscript%3E"} {
		v.open(page)
		s.unbitten(page)
	}
	v.open(documentPath(venomName, ""))
	if got := text(t, s.Locator("#doc-title")); !strings.HasPrefix(got, "Snakes") {
		t.Errorf("the title reads %q", got)
	}
	v.open(documentPath("code/snake.txt", "&view=lines"))
	if got := text(t, s.Locator(".doc-code code")); got != poison {
		t.Errorf("the code view reads %q", got)
	}
	v.open("/document/raw?source=homelab&path=code%2Fsnake.txt")
	if s.eval("() => document.querySelectorAll('body *:not(pre)').length") != 0 || s.eval("() => !!window.bitten") != false {
		t.Error("raw text came to life")
	}
}
