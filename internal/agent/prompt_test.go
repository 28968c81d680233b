package agent

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bor/internal/kb"
	"bor/internal/llm"
	"bor/internal/verbatim"
)

// described is a tool with nothing but a description.
type described struct {
	Tool
	name string
}

func (d described) Spec() llm.Tool {
	return llm.Tool{Name: d.name, Description: "`" + d.name + "(path)` does it.\n\nDetails.", Parameters: json.RawMessage("{}")}
}

var opening = regexp.MustCompile(`(?m)^<(\w+)>|^(DEFLECT_MODE)$`)

// sections are the names of the prompt's sections in their order.
func sections(prompt string) (names []string) {
	for _, m := range opening.FindAllStringSubmatch(prompt, -1) {
		names = append(names, m[1]+m[2])
	}
	return names
}

func TestPromptSectionsStandInOrderAndOnlyWhenTheyHaveContent(t *testing.T) {
	doc := Document{Document: kb.Document{Source: "s", Path: "p", Content: "text\n"}}
	answer := verbatim.Resolver{}.Answer(false)
	tools := []Tool{described{name: "read"}, described{name: "show_text"}}
	for name, c := range map[string]struct {
		turn  Turn
		tools []Tool
		want  []string
	}{
		"all": {Turn{Relevance: High, Overview: "o", Tuning: []string{"n"}, Documents: []Document{doc}, Answer: answer}, tools,
			[]string{"relevance", "knowledge_base", "tuning", "documents", "verbatim", "tools"}},
		"least":       {Turn{Relevance: High}, nil, []string{"relevance"}},
		"blank texts": {Turn{Relevance: High, Overview: " \n", Documents: []Document{doc}}, tools[:1], []string{"relevance", "documents", "tools"}},
		"low": {Turn{Relevance: Low, Overview: "o", Tuning: []string{"n"}, WeakTitles: []string{"t"}, Documents: []Document{doc}, Answer: answer}, nil,
			[]string{"relevance", "knowledge_base", "tuning", "DEFLECT_MODE"}},
	} {
		prompt := promptOf(c.turn).text(c.tools)
		if got := sections(prompt); !slices.Equal(got, c.want) {
			t.Errorf("%s: sections %v, want %v", name, got, c.want)
		}
		if c.turn.Relevance == Low && strings.Contains(prompt, "text\n") {
			t.Errorf("%s: a deflecting prompt holds a document", name)
		}
		if c.turn.Answer == nil && strings.Contains(prompt, "```bor") {
			t.Errorf("%s: blocks are taught though they are off", name)
		}
		if got := strings.Contains(prompt, "Use show_text"); got != (len(c.tools) == 2) {
			t.Errorf("%s: the clause on show_text is there: %v", name, got)
		}
	}
}

func TestPromptNamesThePersona(t *testing.T) {
	prompt := promptOf(Turn{Relevance: High, Settings: Settings{Name: "Brain\nof Reese"}}).text(nil)
	if !strings.HasPrefix(prompt, "You are Brain of Reese. ") || strings.Contains(prompt, "{name}") {
		t.Errorf("%.80q", prompt)
	}
}

func TestDocumentsAreWholeOrNamed(t *testing.T) {
	doc := func(path, content string, first, last int) Document {
		return Document{kb.Document{Source: "s", Path: path, Title: "T", Content: content}, first, last}
	}
	documents := []Document{doc("a", "äöü\n", 0, 0), doc("b", strings.Repeat("x\n", 50), 7, 9), doc("c", "123", 1, 1), doc("d", "4", 0, 0)}
	for name, c := range map[string]struct {
		max  int
		want string
	}{
		"no budget":       {0, "a b c d"},
		"room for all":    {108, "a b c d"},
		"one too many":    {107, "a b c"},
		"the big one out": {8, "a c d"},
		"nearly nothing":  {3, "c"},
	} {
		text, whole := documentBlocks(documents, c.max)
		var names []string
		for _, d := range whole {
			names = append(names, d.Path)
			if !strings.Contains(text, `path="`+d.Path+`" title="T">`+"\n"+d.Content+"\n</document>\n") {
				t.Errorf("%s: %s isn't whole in\n%s", name, d.Path, text)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: whole are %q, want %q", name, got, c.want)
		}
		if strings.Contains(c.want, "b") {
			continue
		}
		if !strings.Contains(text, `<document source="s" path="b" title="T" lines="50" best="7-9"/>`) || strings.Contains(text, "x\n") {
			t.Errorf("%s: b isn't only named in\n%s", name, text)
		}
	}
	if text, _ := documentBlocks(documents[:1], 1); text != `<document source="s" path="a" title="T" lines="1"/>`+"\n" {
		t.Errorf("a document without best lines is %q", text)
	}
}

// What a document says can't end its block, and is otherwise as it was.
func FuzzDocumentBlock(f *testing.F) {
	for _, s := range []string{"</document>", "<DOCUMENT x>\n</Documents>", "&lt;/document>", "a < b && c > d", "</docum\u200bent>", "\"'<>&\r\n", "</document"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, title, content string) {
		text, _ := documentBlocks([]Document{{Document: kb.Document{Source: "s", Path: title, Title: title, Content: content}}}, 0)
		head, rest, _ := strings.Cut(text, ">\n")
		body, ok := strings.CutSuffix(rest, "\n</document>\n")
		if !ok || documentTag.MatchString(body) || strings.ContainsAny(head, "\n\r") || strings.Count(head, `"`) != 6 || strings.Count(head, "<") != 1 {
			t.Fatalf("not one block:\n%s", text)
		}
		if attribute := strings.Split(head, `"`)[5]; html.UnescapeString(attribute) != html.UnescapeString(html.EscapeString(title)) {
			t.Fatalf("title %q became %q", title, attribute)
		}
		if !strings.Contains(content, "&lt;") && strings.ReplaceAll(body, "&lt;", "<") != content {
			t.Fatalf("%q became %q", content, body)
		}
	})
}

func TestOverviewAndNotesHaveBudgets(t *testing.T) {
	turn := Turn{Relevance: High, Overview: strings.Repeat("ä", 10), Tuning: []string{" first ", "second"},
		Settings: Settings{OverviewMaxChars: 10, TuningMaxChars: 9}}
	prompt := promptOf(turn).text(nil)
	if !strings.Contains(prompt, "<knowledge_base>\nääääääääää\n</knowledge_base>") {
		t.Errorf("an overview of exactly the budget is cut:\n%s", prompt)
	}
	if !strings.Contains(prompt, "<tuning>\n- first\n-\n[…truncated…]\n</tuning>") {
		t.Errorf("notes:\n%s", prompt)
	}
	turn.Settings.OverviewMaxChars, turn.Settings.TuningMaxChars = 3, 0
	prompt = promptOf(turn).text(nil)
	if !strings.Contains(prompt, "<knowledge_base>\näää\n[…truncated…]\n</knowledge_base>") || !strings.Contains(prompt, "- first\n- second\n</tuning>") {
		t.Errorf("budget of three, notes without one:\n%s", prompt)
	}
}

func TestImagesInThePrompt(t *testing.T) {
	image := Document{Document: kb.Document{Source: "s", Path: "a.png", Title: "T", Kind: kb.KindImage, Summary: "said</document> of it"}}
	p := promptOf(Turn{Relevance: High, Documents: []Document{image}, Settings: Settings{DocumentsMaxChars: 1}})
	want := "<documents>\n<document source=\"s\" path=\"a.png\" title=\"T\" kind=\"image\">\nsaid&lt;/document> of it\n</document>\n</documents>"
	if got := p.text(nil); !strings.Contains(got, want) || len(p.whole) != 0 {
		t.Errorf("%s\n%d whole", got, len(p.whole))
	}
	for _, offered := range []bool{true, false} {
		tools := []Tool{described{name: "read"}}
		if offered {
			tools = append(tools, described{name: "show_image"})
		}
		if got := strings.Contains(p.text(tools), "show_image"); got != offered {
			t.Errorf("offered %v, taught %v", offered, got)
		}
	}
}
