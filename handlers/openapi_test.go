package handlers

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"bor/internal/kb"
	"bor/internal/kb/kbtest"
)

// description is the OpenAPI file, as its readers see it.
var description = sync.OnceValue(func() (d struct {
	compiler *jsonschema.Compiler
	Paths    map[string]map[string]struct {
		Security  *[]any
		Responses map[string]struct {
			Content map[string]struct {
				Schema json.RawMessage
				Events map[string]json.RawMessage `json:"x-events"`
			}
		}
	}
}) {
	if err := json.Unmarshal(openAPI, &d); err != nil {
		panic(err)
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(openAPI))
	if err != nil {
		panic(err)
	}
	d.compiler = jsonschema.NewCompiler()
	if err := d.compiler.AddResource("openapi.json", whole); err != nil {
		panic(err)
	}
	return d
})

// check holds JSON to the schema at a place in the description.
func check(t *testing.T, body string, place ...string) {
	t.Helper()
	for i, p := range place {
		place[i] = url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(p))
	}
	schema, err := description().compiler.Compile("openapi.json#/" + strings.Join(place, "/"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s\n%v", body, err)
	}
	if strings.Contains(body, ":null") && !strings.Contains(body, `"argument":null`) {
		t.Errorf("a key without a value isn't absent: %s", body)
	}
}

// checkEvents holds a stream's events to their schemas.
func checkEvents(t *testing.T, events []event) {
	t.Helper()
	for _, e := range events {
		if e.name != "" {
			check(t, e.data, "paths", "/api/chat", "post", "responses", "200", "content", "text/event-stream", "x-events", e.name)
		}
	}
}

func TestTheDescriptionHasEveryRouteAndNoOther(t *testing.T) {
	e := echo.New()
	(&Server{}).routes(e)
	routes := map[string]bool{}
	parameter := regexp.MustCompile(`:(\w+)`)
	for _, r := range e.Routes() {
		if strings.HasPrefix(r.Path, "/api/") && r.Method != echo.RouteNotFound {
			routes[strings.ToLower(r.Method)+" "+parameter.ReplaceAllString(r.Path, "{$1}")] = true
		}
	}
	described := map[string]bool{}
	for path, methods := range description().Paths {
		for method, about := range methods {
			described[method+" "+path] = true
			if about.Security == nil {
				t.Errorf("%s %s doesn't say who may use it", method, path)
			}
		}
	}
	for route := range routes {
		if !described[route] {
			t.Errorf("openapi.json lacks %s", route)
		}
	}
	for route := range described {
		if !routes[route] {
			t.Errorf("openapi.json describes %s, which doesn't exist", route)
		}
	}
}

func TestResponsesAreAsDescribed(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	kbtest.Add(t, s.db.Pool, kb.Document{Source: "lab", Path: "dns.md", Content: "# DNS\n"})
	in, out := s.signedIn(), s.client()
	for _, path := range []string{"/api/health", "/api/config", "/api/openapi.json", "/api/whoami", "/api/suggestions", "/api/documents/content?source=lab&path=dns.md"} {
		got := s.get(in, path)
		path, _, _ = strings.Cut(path, "?")
		if got.status != 200 || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
		check(t, got.body, "paths", path, "get", "responses", "200", "content", "application/json", "schema")
	}
	for _, got := range []answer{s.get(out, "/api/suggestions"), s.postJSON(out, "/api/login", `{"password":"x"}`), s.postJSON(in, "/api/chat", `{}`)} {
		check(t, got.body, "components", "responses", "Refused", "content", "application/json", "schema")
	}
	check(t, `{"message":"q","history":[{"who":"user","text":"a"},{"who":"brain","text":"b"}]}`, "components", "schemas", "Question")
}
