package tools

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/kb/kbtest"
	"bor/internal/testkit"
	"bor/internal/verbatim"

	"github.com/jackc/pgx/v5/pgxpool"
)

func doc(identity, content string) kb.Document {
	source, path, _ := kb.SplitIdentity(identity)
	return kb.Document{Source: source, Path: path, Title: "About " + path, Content: content}
}

func newStore(t *testing.T, docs ...kb.Document) (*kb.Store, *pgxpool.Pool) {
	t.Helper()
	pool := testkit.DB(t).Pool
	kbtest.Add(t, pool, docs...)
	return kb.NewStore(pool), pool
}

func noLang(string) string { return "" }

// call runs one call, which has to be accepted.
func call(t *testing.T, tool agent.Tool, arguments string) agent.Result {
	t.Helper()
	ready, err := tool.Prepare(t.Context(), arguments)
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	result, err := ready.Run(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return result
}

// refused gives the words in which a call is refused.
func refused(t *testing.T, tool agent.Tool, arguments string) string {
	t.Helper()
	_, err := tool.Prepare(t.Context(), arguments)
	var refusal agent.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("%s was not refused: %v", arguments, err)
	}
	return string(refusal)
}

func TestToolsetFollowsTheTurn(t *testing.T) {
	for name, c := range map[string]struct {
		turn agent.Turn
		want []string
	}{
		"display off": {agent.Turn{}, []string{"ls", "read", "grep"}},
		"display on":  {agent.Turn{Answer: verbatim.Resolver{}.Answer(false)}, []string{"ls", "read", "grep", "show_text"}},
		"images on":   {agent.Turn{Images: true}, []string{"ls", "read", "grep", "show_image"}},
	} {
		var names []string
		for _, tool := range New(nil, noLang)(c.turn) {
			names = append(names, tool.Spec().Name)
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%s: %v, want %v", name, names, c.want)
		}
	}
}

// The words begin with how to call the tool, in a paragraph of their own, which
// stands in the prompt; the schema is what the arguments are checked by.
func TestSpecs(t *testing.T) {
	schemas := map[string]string{
		"ls":         `{"additionalProperties":false,"properties":{"path":"string"},"required":[],"type":"object"}`,
		"read":       `{"additionalProperties":false,"properties":{"limit":"integer","offset":"integer","path":"string"},"required":["path"],"type":"object"}`,
		"grep":       `{"additionalProperties":false,"properties":{"path":"string","pattern":"string"},"required":["pattern"],"type":"object"}`,
		"show_image": `{"additionalProperties":false,"properties":{"path":"string"},"required":["path"],"type":"object"}`,
		"show_text":  `{"additionalProperties":false,"properties":{"limit":"integer","offset":"integer","path":"string"},"required":["path"],"type":"object"}`,
	}
	for _, tool := range New(nil, noLang)(agent.Turn{Answer: verbatim.Resolver{}.Answer(false), Images: true}) {
		spec := tool.Spec()
		if first, _, ok := strings.Cut(spec.Description, "\n\n"); !ok || !strings.HasPrefix(first, "`"+spec.Name+"(") || strings.Contains(spec.Description, "{") {
			t.Errorf("%s begins with %q", spec.Name, first)
		}
		var schema map[string]any
		if err := json.Unmarshal(spec.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		properties := schema["properties"].(map[string]any)
		for name, p := range properties {
			property := p.(map[string]any)
			if property["description"] == "" {
				t.Errorf("%s: %s has no description", spec.Name, name)
			}
			properties[name] = property["type"]
		}
		if got, _ := json.Marshal(schema); string(got) != schemas[spec.Name] {
			t.Errorf("%s takes %s", spec.Name, got)
		}
	}
}

func TestReadTeachesItsCap(t *testing.T) {
	for maxChars, want := range map[int]bool{0: false, 128_000: true} {
		text := newRead(nil, noLang, maxChars, nil).Spec().Description
		if strings.Contains(text, "At most 128000 characters") != want || strings.Contains(text, "TRUNCATED") != want {
			t.Errorf("cap %d: %s", maxChars, text)
		}
	}
}

// away is a store that can't be reached; after says which calls still work.
type away struct {
	Store
	documents bool // ByIdentity finds nothing, instead of failing
	lists     bool // List and Scope find nothing
}

var errAway = errors.New("connection lost")

func (a away) missing(works bool) error {
	if works {
		return kb.ErrNotFound
	}
	return errAway
}

func (a away) ByIdentity(context.Context, string) (kb.Document, error) {
	return kb.Document{}, a.missing(a.documents)
}
func (away) Closest(context.Context, string, int) ([]string, error)        { return nil, errAway }
func (away) ClosestFolders(context.Context, string, int) ([]string, error) { return nil, errAway }
func (away) Sources(context.Context) ([]kb.Source, error)                  { return nil, errAway }
func (a away) List(context.Context, string, string, int) (kb.Listing, error) {
	return kb.Listing{}, a.missing(a.lists)
}
func (a away) Scope(_ context.Context, path string) (kb.Scope, error) {
	if path == "" {
		return kb.Scope{}, nil
	}
	return kb.Scope{}, a.missing(a.lists)
}
func (away) Grep(context.Context, string, kb.Scope, int) (kb.Matches, error) {
	return kb.Matches{}, errAway
}

func TestStoreFailuresAreNotRefusals(t *testing.T) {
	for _, store := range []away{{}, {documents: true}, {lists: true}, {documents: true, lists: true}} {
		turn := agent.Turn{Answer: verbatim.Resolver{Store: store}.Answer(false), Images: true}
		for _, tool := range New(store, noLang)(turn) {
			arguments := []string{`{"path":"s/p"}`, `{}`}
			switch tool.Spec().Name {
			case "grep":
				arguments = []string{`{"pattern":"text","path":"s/p"}`, `{"pattern":"text"}`}
			case "read", "show_text", "show_image":
				arguments = arguments[:1]
			}
			for _, a := range arguments {
				ready, err := tool.Prepare(t.Context(), a)
				if err == nil {
					_, err = ready.Run(t.Context())
				}
				if !errors.Is(err, errAway) {
					t.Errorf("%s %s with %+v: %v", tool.Spec().Name, a, store, err)
				}
			}
		}
	}
}

func TestCardsHoldTheResultsStructure(t *testing.T) {
	t.Parallel()
	text := "[Unit]\r\n\n\u2028x\tÄ</pre>\nend"
	store, pool := newStore(t, doc("s/a.container", text), doc("s/sub/b", "x"))
	kbtest.Source(t, pool, "t", "Other\nnotes.")
	answer := verbatim.Resolver{Store: store}.Answer(false)
	offered := New(store, func(path string) string { return "lang of " + path })(agent.Turn{Answer: answer})
	for i, c := range []struct{ arguments, want string }{
		{`{}`, `{"path":"","rows":[{"path":"s/","documents":2},{"path":"t/","summary":"Other notes."}]}`},
		{`{"path":"s/a.container","offset":2}`, `{"path":"s/a.container","offset":2,"lines":[{"number":2,"text":""},{"number":3,"text":"\u2028x\tÄ\u003c/pre\u003e"},{"number":4,"text":"end"}],"totalLines":4,"lang":"lang of a.container"}`},
		{`{"pattern":"UNIT"}`, `{"pattern":"UNIT","matches":[{"path":"s/a.container","number":1,"text":"[Unit]"}],"total":1}`},
		{`{"path":"s/a.container:4"}`, `{"locator":"s/a.container#4-4"}`},
	} {
		if got := call(t, offered[i], c.arguments).Card; string(got) != c.want {
			t.Errorf("%s %s:\n%s\nwant\n%s", offered[i].Spec().Name, c.arguments, got, c.want)
		}
	}
	card, ok := agent.ParseReadCard(call(t, offered[1], `{"path":"s/a.container","limit":1}`).Card)
	if want := []agent.CardLine{{Number: 1, Text: "[Unit]\r"}}; !ok || !reflect.DeepEqual(card.Lines, want) {
		t.Errorf("read card %+v, %v", card, ok)
	}
	if rows := call(t, offered[0], `{}`).Text; rows != "source: s | documents: 2\nsource: t | documents: 0 | summary: Other notes.\n" {
		t.Errorf("ls: %q", rows)
	}
}
