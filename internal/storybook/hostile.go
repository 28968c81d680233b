package storybook

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/a-h/templ"

	"bor/internal/chat"
	"bor/internal/kb"
	"bor/internal/turnview"
	"bor/views"
)

// attacks are texts that try to leave their place. A script that runs because of
// one sets window.bitten.
var attacks = []struct{ name, shows, text string }{
	{"venom", "Elements, attributes, htmx, addresses that run, bidi controls, odd characters.",
		`javascript:window.bitten=1//"'></title></textarea></code></pre></template></noscript><script>window.bitten=2</script><img src=x onerror="window.bitten=3">` +
			`<svg onload=window.bitten=4><a href="javascript:window.bitten=5" onclick="window.bitten=6">x</a><div hx-get="/x" hx-trigger="load" data-hx-post="/logout" hx-on:click="1"></div>` +
			`<hx-partial hx-target="#main"></hx-partial><hx-part to="#main" as="innerHTML"></hx-part><form action="https://evil.example/"><button formaction="/logout">y</button></form>` +
			`<iframe srcdoc="<script>parent.bitten=7</script>"></iframe><base href="https://evil.example/"><style>body{display:none}</style><!-- &quot;&#x3c;b&#x3e; ${x} {{x}} ` + controls + rtl},
	{"endless", "10 000 characters without a blank, after what breaks an attribute.",
		`x"'onmouseover='window.bitten=8'autofocus/onfocus="window.bitten=9"><script>window.bitten=10</script><img/src=x/onerror=window.bitten=11>` + strings.Repeat("m", 10000)},
}

// poison is an attack as Markdown carries it.
func poison(attack string) string {
	return attack + "\n\n![pixel](https://evil.example/p.png) [a](javascript:window.bitten=12) [b](java&#115;cript:window.bitten=13) [c](data:text/html,<script>1</script>) [d](//evil.example/x) " +
		"[e]( javascript&colon;x) <javascript:window.bitten=14> ![i](data:image/svg+xml,x) ![j](/logout)\n\n# " + strings.ReplaceAll(attack, "\n", " ") +
		"\n\n```html\"onmouseover=\"x\n" + attack + "\n```\n\n| " + strings.ReplaceAll(attack, "\n", " ") + " | b |\n|---|---|\n| c | d |\n\n" + fence(strings.ReplaceAll(attack, "\n", " "))
}

// fill writes text into every string of a model, however deep. A slice gets one
// element, a pointer a value; what is true may hide something else, so tweaks of
// the story decide about the kinds. SafeHTML gets the text as our renderers would
// hand it over, escaped; other string types are closed sets and stay.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		switch v.Type() {
		case reflect.TypeFor[string]():
			v.SetString(text)
		case reflect.TypeFor[views.SafeHTML]():
			v.Set(reflect.ValueOf(views.Text(text)))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return // bytes of JSON, which a text isn't
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), text)
			}
		}
	}
}

func filled[M any](text string) (m M) {
	fill(reflect.ValueOf(&m).Elem(), text)
	return m
}

// hostileShell has the attack in what an operator or a document names, each as
// long as it may be; the rest is the server's own, and the page couldn't live
// without it.
func hostileShell(s views.Shell, text string) views.Shell {
	h := filled[views.Shell](kb.FirstChars(text, 300))
	h.Nonce, h.Assets, h.Nav, h.Offline, h.Refresh, h.RefreshURL = s.Nonce, s.Assets, s.Nav, false, 0, ""
	return h
}

// attacked is a page whose model is filled with an attack; tweak decides which of
// its kinds it is.
func attacked[M any](view func(M) templ.Component, tweak func(m *M, text string)) func(text string) View {
	return func(text string) View {
		m := filled[M](text)
		if tweak != nil {
			tweak(&m, text)
		}
		return func(s views.Shell) templ.Component { return page(view, m)(hostileShell(s, text)) }
	}
}

func hostile() (all []Story) {
	for _, attack := range attacks {
		for _, victim := range []struct {
			name string
			view func(text string) View
		}{
			{"chat", attacked(views.Chat, attackedChat)},
			{"chat-empty", attacked(views.Chat, func(p *views.ChatPage, _ string) { p.Exchanges, p.Composer.Disabled = nil, false })},
			{"login", attacked(views.Login, nil)},
			{"problem", attacked(views.ProblemScreen, nil)},
			{"document", attacked(views.DocumentViewer, func(p *views.DocumentPage, _ string) {
				p.Document.Gone, p.Document.Image, p.Document.Rendered = false, nil, ""
			})},
			{"document-gone", attacked(views.DocumentViewer, nil)},
			{"card", attacked(views.StepPage, nil)},
			{"questions", attacked(views.Questions, nil)},
			{"sources", attacked(views.Sources, attackedSources)},
			{"skipped", attacked(views.Skipped, nil)},
			{"summary", attacked(views.Summary, func(p *views.SummaryPage, _ string) { numbered(&p.Field) })},
			{"registry", attacked(views.Registry, attackedRegistry)},
			{"registry-edit", attacked(views.EditSource, func(p *views.EditPage, _ string) { attackedForm(&p.Form) })},
			{"registry-remove", attacked(views.Confirm, nil)},
			{"parts", attackedParts},
			{"record", attackedRecord},
			{"record-document", func(text string) View { return document(attackedDocument(text), "") }},
		} {
			all = append(all, Story{attack.name + "-" + victim.name, "Hostile: " + attack.name, attack.shows, victim.view(attack.text)})
		}
	}
	return all
}

// attackedChat is a conversation with an answer of each shape.
func attackedChat(p *views.ChatPage, text string) {
	p.Exchanges = nil
	p.Composer.Disabled = false
	for i, state := range []views.TurnState{views.TurnDone, views.TurnError, views.TurnRunning} {
		e := filled[views.Exchange](text)
		id := turnview.ID(int64(i))
		call, running := e.Turn.Steps[0], e.Turn.Steps[0]
		call.Thinking, running.Thinking, running.CardURL = "", "", ""
		e.Turn.Steps = append(e.Turn.Steps, call, running)
		for n := range e.Turn.Steps {
			e.Turn.Steps[n].ID = fmt.Sprintf("%s-s%d", id, n)
		}
		e.Turn.ID, e.Turn.State, e.EventsURL = id, state, ""
		p.Exchanges = append(p.Exchanges, e)
	}
	p.Exchanges[len(p.Exchanges)-1].EventsURL = turnview.EventsURL(7, 7)
}

// attackedParts are the components that stand inside of pages.
func attackedParts(text string) View {
	return parts("Parts",
		part{"Read card", views.StepCard(views.Card{Read: new(filled[views.ReadCard](text))})},
		part{"Grep card", views.StepCard(views.Card{Grep: new(filled[views.GrepCard](text))})},
		part{"List card", views.StepCard(views.Card{List: new(filled[views.ListCard](text))})},
		part{"Show card", views.StepCard(views.Card{Show: new(filled[views.ShowCard](text))})},
		part{"Generic card", views.StepCard(views.Card{Text: text})},
		part{"Panel", views.VerbatimPanel(filled[views.Panel](text))},
		part{"Unresolved", views.UnresolvedPanel(filled[views.Unresolved](text))},
	)
}

// attackedRecord is a conversation whose records hold the attack everywhere, and
// an answer that is one.
func attackedRecord(text string) View {
	var turns []chat.Turn
	for i, state := range []chat.State{chat.Done, chat.Running} {
		t := filled[chat.Turn](text)
		t.ID, t.State, t.Started = int64(i+1), state, now
		t.Record.State, t.Record.Deflected, t.Record.Text = state, false, poison(text)
		t.Record.Trace = append(t.Record.Trace, chat.Step{Thinking: text})
		turns = append(turns, t)
	}
	return talk(turns...)
}

// attackedDocument is a Markdown document that holds the attack everywhere.
func attackedDocument(text string) kb.Document {
	d := filled[kb.Document](text)
	d.Path, d.Content = kb.FirstChars(text, 990)+".md", poison(text)
	return d
}
