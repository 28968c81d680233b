package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strings"

	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/llm"
)

//go:embed read.md
var readText string

var readSignature = signature{"read", []parameter{
	{"path", text, true, "The whole identity of a document, source/path.", `"source/path"`},
	{"offset", number, false, "The first line, counted from 1.", "12"},
	{"limit", number, false, "How many lines.", "29"},
}}

// read remembers what of each document the model has, so that nothing comes
// into the context twice.
type read struct {
	store    Store
	lang     func(path string) string
	maxChars int
	inPrompt map[string]bool
	seen     map[string]spans
}

func newRead(store Store, lang func(string) string, maxChars int, whole []agent.Document) *read {
	r := &read{store: store, lang: lang, maxChars: maxChars, inPrompt: map[string]bool{}, seen: map[string]spans{}}
	for _, d := range whole {
		r.inPrompt[d.Identity()] = true
	}
	return r
}

func (r *read) Spec() llm.Tool {
	limit := ""
	if r.maxChars > 0 {
		limit = fmt.Sprintf("At most %d characters come back: a longer text is cut and says TRUNCATED; grep searches the rest. ", r.maxChars)
	}
	return llm.Tool{Name: "read", Description: strings.ReplaceAll(readText, "{cap}", limit), Parameters: readSignature.schema()}
}

func (r *read) Prepare(ctx context.Context, raw string) (agent.Call, error) {
	args, err := readSignature.parse(raw)
	if err != nil {
		return agent.Call{}, err
	}
	path := args.text("path")
	if bare(path) == "" {
		return agent.Call{}, agent.Refusal("No path was given. read takes the whole identity of a document, source/path, as ls and grep write it.")
	}
	doc, err := r.store.ByIdentity(ctx, path)
	if errors.Is(err, kb.ErrNotFound) {
		path = bare(path)
		doc, err = r.store.ByIdentity(ctx, path)
	}
	if errors.Is(err, kb.ErrNotFound) {
		return agent.Call{}, noDocument(ctx, r.store, path, "read takes the whole identity of a document, source/path.")
	}
	if err != nil {
		return agent.Call{}, err
	}
	lines := kb.SplitLines(doc.Content)
	first, last, err := r.window(doc, lines.Count(), args.number("offset"), args.number("limit"))
	if err != nil {
		return agent.Call{}, err
	}
	return agent.Call{Argument: &path, Run: func(context.Context) (agent.Result, error) {
		return r.result(doc, lines, first, last), nil
	}}, nil
}

// window is the range that a call asks for, clamped to the document, unless it
// can't be read or the model has it already.
func (r *read) window(doc kb.Document, total int, offset, limit *int) (first, last int, err error) {
	name := doc.Identity()
	if doc.Kind == kb.KindImage {
		return 0, 0, agent.Refusal(name + " is an image: there is no text to read in it. What is written about it stands in the documents that link to it; grep for its file's name.")
	}
	first, last = 1, math.MaxInt
	if offset != nil {
		first = *offset
	}
	if limit != nil {
		last = first + *limit - 1
	}
	if first < 1 || last < first {
		return 0, 0, agent.Refusal(fmt.Sprintf("That is not a range of lines: offset counts from 1, and limit is at least 1. %s has %s.",
			name, counted(total, "line", "lines")))
	}
	if first > max(total, 1) {
		return 0, 0, agent.Refusal(fmt.Sprintf("%s has only %s, so nothing starts at line %d.", name, counted(total, "line", "lines"), first))
	}
	last = min(last, total)
	if r.inPrompt[name] {
		return 0, 0, agent.Refusal(fmt.Sprintf("You have the whole text of %s: it stands in <documents>, in the first message.", name))
	}
	if seen := r.seen[name]; seen.cover(first, last) {
		return 0, 0, agent.Refusal(fmt.Sprintf("You have these lines of %s from your earlier reads in this conversation (lines %s). Look there.", name, seen))
	}
	return first, last, nil
}

// result reads lines first to last, cut at the cap.
func (r *read) result(doc kb.Document, lines kb.Lines, first, last int) agent.Result {
	asked := ""
	if lines.Count() > 0 {
		asked = lines.Slice(first, last)
	}
	got, cut := asked, false
	if r.maxChars > 0 {
		got = kb.FirstChars(asked, r.maxChars)
		cut = got != asked
	}
	whole := last // the last line that is there to its end
	if cut {
		whole = first + strings.Count(got, "\n") - 1
		last = first + kb.SplitLines(got).Count() - 1
	}
	r.seen[doc.Identity()] = r.seen[doc.Identity()].add(first, whole)

	origin, _ := doc.Origin(first, last)
	result := agent.Result{
		Text: header(doc.Identity(), day(doc), doc.Revision, origin.URL, min(first, lines.Count()), last, lines.Count()) + got,
		Note: lineNote(first, last, lines.Count()),
		Read: &agent.Source{Source: doc.Source, Path: doc.Path, Title: doc.Title},
		Card: card(r.card(doc, lines, got, first)),
	}
	if first > 1 || last < lines.Count() {
		result.Read.StartLine, result.Read.EndLine = first, last
	}
	if cut {
		result.Truncated, result.CharsShown, result.CharsTotal = true, r.maxChars, kb.Chars(asked)
		result.Text = marked(result.Text) + fmt.Sprintf(
			"TRUNCATED: %d of %d characters are shown. The rest is NOT shown: don't guess it. grep searches the whole document", result.CharsShown, result.CharsTotal)
		if next := max(whole, first) + 1; next <= lines.Count() {
			result.Text += fmt.Sprintf("; to read on, use offset=%d", next)
		}
		result.Text += ".\n"
	}
	return result
}

func (r *read) card(doc kb.Document, lines kb.Lines, got string, first int) agent.ReadCard {
	c := agent.ReadCard{Path: doc.Identity(), Offset: first, Lines: []agent.CardLine{}, TotalLines: lines.Count(), Lang: r.lang(doc.Path)}
	shown := kb.SplitLines(got)
	for n := 1; n <= shown.Count(); n++ {
		c.Lines = append(c.Lines, agent.CardLine{Number: first + n - 1, Text: strings.TrimSuffix(shown.Line(n), "\n")})
	}
	return c
}
