package views

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func testShell() Shell {
	return Shell{Title: "Chat", AppName: "Brain of Reese", Version: "1.2.3", Nonce: "n0", Logout: true, NewChat: true,
		Assets: Assets{Styles: []string{"/static/a/app.css", "/theme.css"}, Scripts: []string{"/static/1.js", "/static/2.js"}, Icon: "/static/icon.svg"},
		Nav:    []NavItem{{Label: "Chat", URL: "/", Current: true}, {Label: "Sources", URL: "/sources"}}}
}

func testChat(turns ...TurnPanel) ChatPage {
	p := ChatPage{Shell: testShell(), Welcome: "Ask", Suggestions: []string{"show me the quadlet for gufo & co", "why?"},
		Composer: Composer{Conversation: "7", SubmitID: "s1", Placeholder: "Ask about your homelab…"}}
	for _, turn := range turns {
		e := Exchange{Question: "q " + turn.ID, Turn: turn}
		if turn.State == TurnRunning {
			e.EventsURL = "/chat/turns/12/events?after=4"
			p.Composer.StopURL = "/chat/turns/12/stop"
			p.Shell.Refresh = 3
		}
		p.Exchanges = append(p.Exchanges, e)
	}
	return p
}

var doneTurn = TurnPanel{ID: "t12", State: TurnDone, AnswerURL: "/chat/turns/12/answer.md", RetryURL: "/chat/turns/12/retry",
	Blocks:  []SafeHTML{"<p>Yes.</p>", "<p>and</p>"},
	Sources: []Link{{Text: "homelab/dns.md:12", URL: "/document?source=homelab&path=dns.md&lines=12-12#L12", Title: "DNS"}},
	Steps: []Step{{ID: "t12-s0", Thinking: "hm"}, {ID: "t12-s1", Verb: "Read", Argument: "homelab/dns.md", Note: "lines 1–9 of 9",
		Truncated: "(truncated — showing 5 of 9 chars)", CardURL: "/chat/turns/12/steps/1", IsRead: true}}}

// The ids that tests, user styles and scripts may rely on (CH10).
func TestHooksOfTheChat(t *testing.T) {
	running := TurnPanel{ID: "t12", State: TurnRunning, Doing: "Reading x", Age: 4}
	for name, want := range map[string]struct {
		page ChatPage
		ids  []string
		not  []string
	}{
		"empty":   {testChat(), []string{"empty-state", "suggestions"}, []string{"typing-indicator"}},
		"done":    {testChat(doneTurn), nil, []string{"empty-state", "typing-indicator"}},
		"running": {testChat(running), []string{"typing-indicator", "t12-doing"}, []string{"empty-state"}},
	} {
		root := dom(t, Chat(want.page))
		for _, id := range append([]string{"main", "app-nav", "app-version", "messages", "composer", "message-input", "send-btn", "send-label", "kb-banner", "doc-modal", "announce", "end", "jump"}, want.ids...) {
			byID(t, root, id)
		}
		for _, id := range want.not {
			if n := all(root, func(n *html.Node) bool { return attr(n, "id") == id }); len(n) > 0 {
				t.Errorf("%s: has #%s", name, id)
			}
		}
		label := "Send"
		if name == "running" {
			label = "Stop"
		}
		if got := words(byID(t, root, "send-label")); got != label {
			t.Errorf("%s: the button says %q, want %q", name, got, label)
		}
		if h1 := byTag(root, "h1"); len(h1) != 1 {
			t.Errorf("%s: %d h1", name, len(h1))
		}
	}
}

func TestShell(t *testing.T) {
	root := dom(t, Chat(testChat()))
	if got := words(byTag(root, "title")[0]); got != "Chat · Brain of Reese" {
		t.Errorf("title %q", got)
	}
	if got := words(byID(t, root, "app-version")); got != "Brain of Reese 1.2.3" {
		t.Errorf("version %q", got)
	}
	nav := byID(t, root, "app-nav")
	if !has(nav, "popover") || len(byTag(nav, "a")) != 2 || attr(byTag(nav, "a")[0], "aria-current") != "page" || has(byTag(nav, "a")[1], "aria-current") {
		t.Error("navigation: wrong links")
	}
	if menu := byClass(root, "menu"); len(menu) != 1 || attr(menu[0], "popovertarget") != "app-nav" {
		t.Error("no menu button for the navigation")
	}
	var styles, scripts []string
	for _, n := range byTag(root, "link") {
		if attr(n, "rel") == "stylesheet" {
			styles = append(styles, attr(n, "href"))
		}
	}
	for _, n := range byTag(root, "script") {
		scripts = append(scripts, attr(n, "src")+attr(n, "nonce"))
		if n.Parent.Data != "head" || has(n, "defer") || has(n, "async") {
			t.Error("scripts load in head, in order, before the page starts")
		}
	}
	if got := strings.Join(append(styles, scripts...), " "); got != "/static/a/app.css /theme.css /static/1.jsn0 /static/2.jsn0" {
		t.Errorf("assets: %s", got)
	}
	if banner := byID(t, root, "kb-banner"); !has(banner, "hidden") || has(banner, "data-reload") {
		t.Error("the banner shows although the database is there")
	}
	bare := dom(t, ProblemScreen(ProblemPage{Shell: Shell{AppName: "B", Login: true}, Status: 404, Heading: "Nothing here"}))
	if words(byTag(bare, "title")[0]) != "B" || len(byTag(bare, "nav")) != 0 || len(byTag(bare, "form")) != 0 {
		t.Error("a shell without navigation offers some")
	}
}

// With script or without: the same form, and Stop's address beside Send's (DEC8).
func TestComposer(t *testing.T) {
	p := testChat(TurnPanel{ID: "t12", State: TurnRunning})
	p.Composer.Draft, p.Composer.Error = "half a\nquestion", "Too long."
	root := dom(t, Chat(p))
	form := byID(t, root, "composer")
	if attr(form, "method") != "post" || attr(form, "action") != "/chat" || attr(form, "hx-post") != "/chat" || attr(form, "hx-target") != "#messages" || attr(form, "hx-nonce") != "n0" {
		t.Errorf("form: %v", form.Attr)
	}
	fields := map[string]string{}
	for _, n := range byTag(form, "input") {
		fields[attr(n, "name")] = attr(n, "value")
	}
	if fields["conversation"] != "7" || fields["submit_id"] != "s1" {
		t.Errorf("fields: %v", fields)
	}
	box := byID(t, root, "message-input")
	if text(box) != "half a\nquestion" || attr(box, "name") != "message" || has(box, "maxlength") {
		t.Error("the box lost what was in it, or would cut it")
	}
	if byID(t, root, attr(box, "aria-describedby")); words(byID(t, root, "composer-error")) != "Too long." {
		t.Error("the error isn't beside the box")
	}
	stop := byID(t, root, "send-btn")
	if attr(stop, "formaction") != "/chat/turns/12/stop" || !has(stop, "formnovalidate") || has(stop, "disabled") {
		t.Errorf("stop: %v", stop.Attr)
	}
	p.Composer.StopURL, p.Composer.Disabled = "", true
	root = dom(t, Chat(p))
	if has(byID(t, root, "send-btn"), "formaction") || !has(byID(t, root, "composer-fields"), "disabled") {
		t.Error("Send has an address of its own, or an offline composer isn't disabled")
	}
}

func TestWithoutScript(t *testing.T) {
	running := render(t, Chat(testChat(TurnPanel{ID: "t12", State: TurnRunning, Age: 5})))
	if !strings.Contains(running, `<noscript><meta http-equiv="refresh" content="3;url=/c/7?age=5#t12"></noscript>`) {
		t.Error("a running answer's page doesn't load itself again")
	}
	if strings.Contains(render(t, Chat(testChat(doneTurn))), "http-equiv") {
		t.Error("a finished page loads itself again")
	}
	root := dom(t, Chat(testChat(doneTurn)))
	for _, n := range all(root, func(n *html.Node) bool { return has(n, "data-copy") || strings.Contains(attr(n, "class"), "-copy") }) {
		if !strings.Contains(attr(n, "class"), "needs-js") {
			t.Errorf("<%s class=%q> shows without script", n.Data, attr(n, "class"))
		}
	}
	card := byClass(root, "read-card")[0]
	if link := byTag(card, "a"); len(link) != 1 || attr(link[0], "href") != attr(card, "data-src") {
		t.Error("a card is no link without script")
	}
	chip := byClass(dom(t, Chat(testChat())), "suggestion-chip")
	if len(chip) != 2 || attr(chip[0], "href") != "?q=show+me+the+quadlet+for+gufo+%26+co" {
		t.Errorf("a suggestion leads nowhere: %v", chip)
	}
}

func TestAnsweredChangesWhatStandsAround(t *testing.T) {
	s := Submitted{Nonce: "n1", Exchange: Exchange{Question: "why?\r\nreally", Turn: TurnPanel{ID: "t13", State: TurnRunning, Doing: "Waiting"}, EventsURL: "/chat/turns/13/events?after=0"},
		Composer: Composer{Conversation: "7", SubmitID: "s2", StopURL: "/chat/turns/13/stop"}}
	root := dom(t, Answered(s))
	exchange := byID(t, root, "xt13")
	if got := text(byClass(exchange, "user")[0]); got != "why?\r\nreally" {
		t.Errorf("question %q", got)
	}
	stream := byClass(exchange, "stream")[0]
	if attr(stream, "hx-sse:connect") != "/chat/turns/13/events?after=0" || attr(stream, "hx-sse:close") != "done" || attr(stream, "hx-nonce") != "n1" || stream.FirstChild != nil {
		t.Errorf("stream: %v", stream.Attr)
	}
	for n := byID(t, root, "t13"); n != nil; n = n.Parent {
		if n == stream {
			t.Error("the answer stands inside the stream's element")
		}
	}
	partials := map[string]*html.Node{}
	for _, n := range byTag(root, "hx-partial") {
		partials[attr(n, "hx-target")+" "+attr(n, "hx-swap")] = n
	}
	if len(partials) != 3 || partials["#empty-state delete"] == nil {
		t.Fatalf("partials: %v", partials)
	}
	state := byTag(partials["#composer-state innerHTML"], "input")
	if len(state) != 2 || attr(state[1], "value") != "s2" {
		t.Error("the next question would have the same submit id")
	}
	if words(partials["#send-place innerHTML"]) != "Stop" {
		t.Error("the button doesn't say Stop")
	}
}

func TestLogin(t *testing.T) {
	p := LoginPage{Shell: testShell(), Heading: "Log in", Next: "/c/7"}
	root := dom(t, Login(p))
	gate := byID(t, root, "auth-gate")
	form := byTag(gate, "form")[0]
	inputs := byTag(form, "input")
	if attr(form, "method") != "post" || attr(form, "action") != "/login" || len(inputs) != 2 || attr(inputs[0], "value") != "/c/7" {
		t.Error("the form lost its way back")
	}
	if has(inputs[1], "aria-invalid") || len(byClass(gate, "error")) != 0 {
		t.Error("an error before the first try")
	}
	p.Error = "That is not the password."
	gate = byID(t, dom(t, Login(p)), "auth-gate")
	field, message := byTag(gate, "input")[1], byClass(gate, "error")[0]
	if attr(field, "aria-describedby") != attr(message, "id") || attr(field, "aria-invalid") != "true" || words(message) != p.Error || attr(message, "role") != "alert" {
		t.Error("the error isn't tied to its field")
	}
	if label := byTag(gate, "label")[0]; attr(label, "for") != attr(field, "id") {
		t.Error("the label isn't the field's")
	}
}

func TestOfflinePage(t *testing.T) {
	s := testShell()
	s.Offline, s.Refresh = true, 5
	page := ProblemScreen(ProblemPage{Shell: s, Status: 503, Heading: "The knowledge base is away", Actions: []Link{{Text: "Try again", URL: "/"}}})
	banner := byID(t, dom(t, page), "kb-banner")
	if has(banner, "hidden") || !has(banner, "data-reload") || attr(banner, "data-ready") != "/readyz" {
		t.Errorf("banner: %v", banner.Attr)
	}
	if !strings.Contains(render(t, page), `content="5"`) {
		t.Error("without script the page doesn't try again")
	}
}
