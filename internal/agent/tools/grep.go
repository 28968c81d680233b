package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/llm"
)

//go:embed grep.md
var grepText string

// maxMatches is how many lines one grep gives (AG4).
const maxMatches = 20

var grepSignature = signature{"grep", []parameter{
	{"pattern", text, true, "The text to find, literally; case doesn't matter.", `"some text"`},
	{"path", text, false, "Where to look: a source, source/folder, or source/path. Left out: everywhere.", `"source/folder"`},
}}

// grep finds text.
type grep struct{ store Store }

func (grep) Spec() llm.Tool {
	return llm.Tool{Name: "grep", Description: grepText, Parameters: grepSignature.schema()}
}

func (g grep) Prepare(ctx context.Context, raw string) (agent.Call, error) {
	args, err := grepSignature.parse(raw)
	if err != nil {
		return agent.Call{}, err
	}
	pattern, path := args.text("pattern"), args.text("path")
	switch {
	case pattern == "":
		return agent.Call{}, agent.Refusal("The pattern is empty. Give the text to find.")
	case strings.Contains(pattern, "\n"):
		return agent.Call{}, agent.Refusal("The pattern holds a line end, and grep looks inside single lines. Give a text from one line.")
	case kb.Chars(pattern) < kb.MinGrepChars && bare(path) == "":
		return agent.Call{}, agent.Refusal(fmt.Sprintf("A pattern under %d characters needs a path: a source, source/folder, or source/path. Or give a longer pattern.", kb.MinGrepChars))
	}
	scope, err := g.store.Scope(ctx, path)
	if errors.Is(err, kb.ErrNotFound) {
		path = bare(path)
		scope, err = g.store.Scope(ctx, path)
	}
	if errors.Is(err, kb.ErrNotFound) {
		return agent.Call{}, noDocument(ctx, g.store, path, "A path is a source, a folder as source/folder, or a document as source/path; without a path grep looks everywhere.")
	}
	if errors.Is(err, kb.ErrImage) {
		return agent.Call{}, agent.Refusal(path + " is an image: there is no text to search in it. To find what is written about it, grep for its file's name.")
	}
	if err != nil {
		return agent.Call{}, err
	}
	return agent.Call{Argument: &pattern, Run: func(ctx context.Context) (agent.Result, error) {
		found, err := g.store.Grep(ctx, pattern, scope, maxMatches)
		return matchResult(pattern, found), err
	}}, nil
}

func matchResult(pattern string, found kb.Matches) agent.Result {
	structure := agent.GrepCard{Pattern: pattern, Matches: []agent.GrepMatch{}, Total: found.Total, More: found.More}
	var b strings.Builder
	for _, m := range found.Lines {
		fmt.Fprintf(&b, "%s:%d: %s\n", m.Identity(), m.Line, m.Text)
		structure.Matches = append(structure.Matches, agent.GrepMatch{Path: m.Identity(), Number: m.Line, Text: m.Text})
	}
	total := fmt.Sprint(found.Total)
	if found.More {
		total += "+"
	}
	note := counted(found.Total, "match", "matches")
	fmt.Fprintf(&b, "%d of %s", len(found.Lines), total)
	switch {
	case found.Total == 0:
		note = "no matches"
		b.WriteString(". No line contains this text; try a shorter or other one.\n")
	case found.Total > len(found.Lines):
		note = fmt.Sprintf("%d of %s matches", len(found.Lines), total)
		b.WriteString(". To see others, give a longer pattern or a path.\n")
	default:
		b.WriteString(".\n")
	}
	return agent.Result{Text: b.String(), Note: note, Card: card(structure)}
}
