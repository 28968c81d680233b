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

// Bounds of one ls, so that a big folder doesn't flood the context (AG2).
const (
	maxRows        = 200
	maxListBytes   = 32 << 10 // of all rows, where names are very long; about 8000 tokens
	maxRowSummary  = 120      // characters
	maxRowTitle    = 120
	closestFolders = 3
)

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
	closest, err := l.store.ClosestFolders(ctx, path, closestFolders)
	if err != nil {
		return err
	}
	return unknown(path, "A path is a source, or a folder in one as source/folder; ls without a path lists the sources.", closest)
}

func (l list) sources(ctx context.Context) (agent.Result, error) {
	sources, err := l.store.Sources(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	var out rows
	for _, s := range sources {
		out.add(fmt.Sprintf("source: %s | documents: %d", s.Name, s.Documents),
			agent.ListRow{Path: s.Name + "/", Documents: s.Documents, Summary: clipped(s.Summary, maxRowSummary)})
	}
	return out.result("", counted(len(sources), "source", "sources"), len(sources), "grep for a word to find what is in them"), nil
}

func folderResult(source, path string, listing kb.Listing) agent.Result {
	var out rows
	for _, f := range listing.Folders {
		out.add(fmt.Sprintf("folder: %s/%s | documents: %d", source, f.Path, f.Documents),
			agent.ListRow{Path: source + "/" + f.Path, Documents: f.Documents, Summary: clipped(f.Summary, maxRowSummary)})
	}
	for _, d := range listing.Documents {
		title := clipped(d.Title, maxRowTitle)
		out.add(fmt.Sprintf("source: %s | path: %s | title: %s", source, d.Path, title),
			agent.ListRow{Path: source + "/" + d.Path, Title: title})
	}
	var parts []string
	if listing.FolderCount > 0 {
		parts = append(parts, counted(listing.FolderCount, "folder", "folders"))
	}
	if listing.DocumentCount > 0 || len(parts) == 0 {
		parts = append(parts, counted(listing.DocumentCount, "document", "documents"))
	}
	narrow := fmt.Sprintf("grep for a word with the path %s/", path)
	if listing.FolderCount > 0 {
		narrow = "list one of the folders, or " + narrow
	}
	return out.result(path+"/", strings.Join(parts, ", "), listing.FolderCount+listing.DocumentCount, narrow)
}

// rows are a listing's, as many as its bounds hold.
type rows struct {
	text  strings.Builder
	cards []agent.ListRow
	full  bool
}

func (r *rows) add(line string, row agent.ListRow) {
	if row.Summary != "" {
		line += " | summary: " + row.Summary
	}
	if r.full = r.full || len(r.cards) == maxRows || r.text.Len()+len(line) > maxListBytes; r.full {
		return
	}
	r.text.WriteString(line + "\n")
	r.cards = append(r.cards, row)
}

// result is the listing of total rows; narrow says how to see those that have no
// room.
func (r *rows) result(path, note string, total int, narrow string) agent.Result {
	hidden := max(0, total-len(r.cards))
	if total == 0 {
		r.text.WriteString("Nothing is here.\n")
	}
	if hidden > 0 {
		fmt.Fprintf(&r.text, "%d more are not listed (%s in all). To narrow, %s.\n", hidden, note, narrow)
	}
	return agent.Result{
		Text: r.text.String(), Note: note,
		Card: card(agent.ListCard{Path: path, Rows: append([]agent.ListRow{}, r.cards...), More: hidden}),
	}
}
