// Package tools holds the tools that the agent offers a model: one file a tool,
// beside the words that describe it. They read the knowledge base and nothing
// else; no tool writes, calls a model, or touches a file.
//
// What a tool is given is checked in one place (args.go); what it refuses, it
// refuses with words that say what to do instead. A place has one form in all
// tools: the whole identity, source/path, and lines by number (V2).
package tools

import (
	"context"

	"bor/internal/agent"
	"bor/internal/kb"
)

// Store is what the tools need of the knowledge base; *kb.Store is one.
type Store interface {
	ByIdentity(ctx context.Context, identity string) (kb.Document, error)
	Closest(ctx context.Context, wanted string, n int) ([]string, error)
	ClosestFolders(ctx context.Context, wanted string, n int) ([]string, error)
	Sources(ctx context.Context) ([]kb.Source, error)
	List(ctx context.Context, source, folder string, limit int) (kb.Listing, error)
	Scope(ctx context.Context, path string) (kb.Scope, error)
	Grep(ctx context.Context, pattern string, scope kb.Scope, limit int) (kb.Matches, error)
}

// New gives the toolset of a store. lang names the language of a path's text,
// for colours in read cards, or nothing. show_text is offered to turns that
// have an Answer, show_image to those that may show images.
func New(store Store, lang func(path string) string) agent.Toolset {
	return func(t agent.Turn) []agent.Tool {
		offered := []agent.Tool{
			list{store},
			newRead(store, lang, t.Settings.ReadMaxChars, t.Documents),
			grep{store},
		}
		if t.Answer != nil {
			offered = append(offered, showText{t.Answer})
		}
		if t.Images {
			offered = append(offered, newShowImage(store))
		}
		return offered
	}
}
