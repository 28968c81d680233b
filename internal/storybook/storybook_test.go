package storybook

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"bor/internal/turnview"
	"bor/views"
)

// inner are components of package views that stand in no story, each with why.
var inner = map[string]string{
	"Answered":       "htmx takes the response apart; the stories of a running turn show what becomes of it",
	"SendPartial":    "the composer's button place, which every chat shows",
	"Problem":        "nothing but text, beside the composer in chat-refused",
	"SyncMessage":    "a message of the stream: its parts are those of sources and registry",
	"TurnSettled":    "a bubble around what the page has already: turn-done is its result",
	"ThinkingFolded": "a fold around what the page has already: turn-thinking-folded is its result",
}

// witness is a context that notes which components ask it whether to go on: each
// one does, first of all.
type witness struct {
	context.Context
	seen map[string]bool
}

// closure is what the compiler's names for functions without one end with.
var closure = regexp.MustCompile(`(\.(func)?\d+)+$`)

func (w witness) Err() error {
	var pc [1]uintptr
	runtime.Callers(2, pc[:])
	frame, _ := runtime.CallersFrames(pc[:]).Next()
	if strings.HasSuffix(frame.File, "_templ.go") && filepath.Base(filepath.Dir(frame.File)) == "views" {
		// views.Turn.func1, or where one was inlined views.Turn.func1.turnFrame.2
		names := closure.ReplaceAllString(frame.Function, "")
		w.seen[names[strings.LastIndex(names, ".")+1:]] = true
	}
	return w.Context.Err()
}

// rendered are the components of package views that the stories consist of.
func rendered(t *testing.T, of func(Story) bool) map[string]bool {
	t.Helper()
	w := witness{t.Context(), map[string]bool{}}
	for _, s := range Stories() {
		if of(s) {
			if err := s.View(frame()).Render(w, io.Discard); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
	return w.seen
}

func frame() views.Shell {
	return views.Shell{Nonce: "n", Login: true, Assets: views.Assets{Icon: "/icon.svg", Scripts: []string{"/app.js"}}, Nav: []views.NavItem{{Label: "Chat", URL: "/"}}, NewChat: true, Logout: true}
}

// components are the names of all functions of package views that make one.
func components(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("../../views/*_templ.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range source.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Type.Results != nil {
				all = append(all, f.Name.Name)
			}
		}
	}
	return all
}

// Every component is in a story, and in a hostile one: those that package views
// keeps to itself too.
func TestEveryComponentIsInAStory(t *testing.T) {
	all := components(t)
	canned := rendered(t, func(s Story) bool { return !strings.HasPrefix(s.Group, "Hostile") })
	attacked := rendered(t, func(s Story) bool { return strings.HasPrefix(s.Group, "Hostile") })
	for _, name := range all {
		_, excused := inner[name]
		if excused == canned[name] || excused == attacked[name] {
			t.Errorf("views.%s: in a story %t, in a hostile one %t, excused %t: give it a story of each kind, or say in this file why not",
				name, canned[name], attacked[name], excused)
		}
	}
	for name := range inner {
		if !slices.Contains(all, name) {
			t.Errorf("there is no component %s any more", name)
		}
	}
	for name := range canned {
		if !slices.Contains(all, name) {
			t.Errorf("%s was seen, which is no component", name)
		}
	}
}

func TestStoriesHaveUniqueNamesAndWords(t *testing.T) {
	names, wellFormed := map[string]bool{}, regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, s := range Stories() {
		if names[s.Name] || !wellFormed.MatchString(s.Name) || s.Group == "" || !strings.HasSuffix(s.Shows, ".") {
			t.Errorf("%+v", s)
		}
		names[s.Name] = true
	}
	seen := map[string]bool{}
	for _, g := range groups(Stories()) {
		if seen[g.name] {
			t.Errorf("the stories of %q don't stand together", g.name)
		}
		seen[g.name] = true
	}
}

// Whatever a story is told with, nothing acts in it but what the templates put
// there, and the page asks for nothing off the origin (SEC1).
func TestNothingActsInContent(t *testing.T) {
	scheme := regexp.MustCompile(`^(?:(?i)javascript|vbscript|data):|^//`)
	for _, s := range Stories() {
		var page bytes.Buffer
		if err := s.View(frame()).Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		root, err := html.ParseWithOptions(&page, html.ParseOptionEnableScripting(false))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			ignored := false
			for p := n; p != nil; p = p.Parent {
				ignored = ignored || slices.ContainsFunc(p.Attr, func(a html.Attribute) bool { return a.Key == "hx-ignore" })
			}
			for _, a := range n.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc":
					t.Errorf("%s: <%s %s=%q>", s.Name, n.Data, a.Key, a.Val)
				case ignored && a.Key != "hx-ignore" && (strings.HasPrefix(a.Key, "hx-") || strings.HasPrefix(a.Key, "data-hx-")):
					t.Errorf("%s: <%s %s> in content", s.Name, n.Data, a.Key)
				case slices.Contains([]string{"href", "src", "action", "formaction"}, a.Key) && scheme.MatchString(a.Val):
					t.Errorf("%s: <%s %s=%q>", s.Name, n.Data, a.Key, a.Val)
				}
			}
			switch n.Data {
			case "script":
				if n.FirstChild != nil || n.Parent.Data != "head" {
					t.Errorf("%s: a script of content's", s.Name)
				}
			case "iframe", "object", "embed", "base", "style", "hx-partial", "hx-part":
				t.Errorf("%s: <%s>", s.Name, n.Data)
			case "img": // of this server, and nowhere else
				if ours := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "src" && strings.HasPrefix(a.Val, "/") }); !ours {
					t.Errorf("%s: an image from elsewhere", s.Name)
				}
			case "form":
				if ignored {
					t.Errorf("%s: a form in content", s.Name)
				}
			}
		}
	}
}

func TestMalformedStructuresGiveTheGenericCard(t *testing.T) {
	for _, m := range malformed {
		if c := cardOf(call("read", "homelab/a", "", "the text", m.card)); c.Read != nil || c.Text != "the text" {
			t.Errorf("%s: %+v", m.why, c)
		}
	}
}

// A field that a model gets tomorrow is filled without a word from here.
func TestFillReachesEveryString(t *testing.T) {
	type leaf struct {
		Text string
		HTML views.SafeHTML
		kept string
	}
	type model struct {
		leaf  leaf
		Leaf  leaf
		Leafs []leaf
		Deep  *[]*leaf
		Yes   bool
		N     int
		State views.TurnState
		JSON  []byte
	}
	got := filled[model]("<x>")
	l := leaf{Text: "<x>", HTML: "&lt;x&gt;"}
	if want := (model{Leaf: l, Leafs: []leaf{l}, Deep: &[]*leaf{&l}, Yes: true, N: 7}); got.leaf.kept != "" || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestHandler(t *testing.T) {
	server := httptest.NewServer(Handler())
	defer server.Close()
	get := func(path string) (*http.Response, string) {
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(body)
	}
	_, list := get("/")
	for _, s := range Stories() {
		if !strings.Contains(list, `href="`+s.Path()+`"`) {
			t.Errorf("the index doesn't lead to %s", s.Path())
		}
	}
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/stories/turn-done": {200, "registry.example/gufo"}, "/stories/none": {404, "Not here"}, "/theme/light.css": {200, "--brand"},
		"/theme/none.css": {404, ""}, "/theme/..%2fdoc.go": {400, ""},
	} {
		response, body := get(path)
		if response.StatusCode != want.status || !strings.Contains(body, want.text) || response.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s %v %.200s", path, response.Status, response.Header, body)
		}
	}
	response, page := get("/stories/light-answer")
	if policy := response.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "require-trusted-types-for 'script'") {
		t.Errorf("the policy is %q", policy)
	}
	if !strings.Contains(page, "/theme/light.css") {
		t.Error("the theme's style sheet is missing")
	}

	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+turnview.EventsURL(12, 0), nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if stream.StatusCode != 200 || stream.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("the events answer %s, %v", stream.Status, stream.Header)
	}
	leave()
	if rest, err := io.ReadAll(stream.Body); err == nil || strings.Trim(string(rest), ": \n") != "" {
		t.Errorf("the stream ended by itself, or said something: %q, %v", rest, err)
	}
	stream.Body.Close()
}
