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

//go:embed ls.md
var lsText string

// maxRows is how many rows one ls gives, so that a big folder doesn't flood the
// context (AG2).
const maxRows = 200

var lsSignature = signature{"ls", []parameter{
	{"path", text, false, "A source, or a folder as source/folder. Left out: all sources.", `"source/folder"`},
}}

// list is ls.
type list struct{ store Store }

func (list) Spec() llm.Tool {
	return llm.Tool{Name: "ls", Description: lsText, Parameters: lsSignature.schema()}
}

func (l list) Prepare(ctx context.Context, raw string) (agent.Call, error) {
	args, err := lsSignature.parse(raw)
	if err != nil {
		return agent.Call{}, err
	}
	path := bare(args.text("path"))
	if path == "" {
		return agent.Call{Run: l.sources}, nil
	}
	source, folder, _ := strings.Cut(path, "/")
	listing, err := l.store.List(ctx, source, folder, maxRows)
	if errors.Is(err, kb.ErrNotFound) {
		return agent.Call{}, l.refuse(ctx, path)
	}
	if err != nil {
		return agent.Call{}, err
	}
	return agent.Call{Argument: &path, Run: func(context.Context) (agent.Result, error) {
		return folderResult(source, path, listing), nil
	}}, nil
}

// refuse says what path is instead of a folder, or what it may have meant.
func (l list) refuse(ctx context.Context, path string) error {
	switch _, err := l.store.ByIdentity(ctx, path); {
	case err == nil:
		return agent.Refusal(fmt.Sprintf("%s is a document, not a folder: read it, or list the folder it is in.", path))
	case !errors.Is(err, kb.ErrNotFound):
		return err
	}
	return noDocument(ctx, l.store, path, "A path is a source, or a folder in one as source/folder; ls without a path lists the sources.")
}

func (l list) sources(ctx context.Context) (agent.Result, error) {
	sources, err := l.store.Sources(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	var out rows
	for _, s := range sources {
		line := fmt.Sprintf("source: %s | documents: %d", s.Name, s.Documents)
		if s.Summary != "" {
			line += " | summary: " + flat(s.Summary)
		}
		out.add(line, agent.ListRow{Path: s.Name + "/", Documents: s.Documents, Summary: s.Summary})
	}
	return out.result("", counted(len(sources), "source", "sources")), nil
}

func folderResult(source, path string, listing kb.Listing) agent.Result {
	var out rows
	for _, f := range listing.Folders {
		out.add(fmt.Sprintf("folder: %s/%s | documents: %d", source, f.Path, f.Documents),
			agent.ListRow{Path: source + "/" + f.Path, Documents: f.Documents})
	}
	for _, d := range listing.Documents {
		out.add(fmt.Sprintf("source: %s | path: %s | title: %s", source, d.Path, flat(d.Title)),
			agent.ListRow{Path: source + "/" + d.Path, Title: d.Title})
	}
	out.hidden += listing.Total - len(listing.Documents)
	var parts []string
	if n := len(listing.Folders); n > 0 {
		parts = append(parts, counted(n, "folder", "folders"))
	}
	if listing.Total > 0 || len(parts) == 0 {
		parts = append(parts, counted(listing.Total, "document", "documents"))
	}
	return out.result(path+"/", strings.Join(parts, ", "))
}

// rows are a listing's, up to maxRows of them.
type rows struct {
	text   strings.Builder
	cards  []agent.ListRow
	hidden int
}

func (r *rows) add(line string, row agent.ListRow) {
	if len(r.cards) == maxRows {
		r.hidden++
		return
	}
	r.text.WriteString(line + "\n")
	r.cards = append(r.cards, row)
}

func (r *rows) result(path, note string) agent.Result {
	if len(r.cards) == 0 {
		r.text.WriteString("Nothing is here.\n")
	}
	if r.hidden > 0 {
		fmt.Fprintf(&r.text, "%d more are not listed. To narrow, list a folder in it, or grep for a word with this path.\n", r.hidden)
	}
	return agent.Result{
		Text: r.text.String(), Note: note,
		Card: card(agent.ListCard{Path: path, Rows: append([]agent.ListRow{}, r.cards...), More: r.hidden}),
	}
}
