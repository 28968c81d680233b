package main

import (
	"context"
	"fmt"

	"bor/internal/app"
)

type importCmd struct {
	Source []string `placeholder:"DIR" help:"Folder to index; may be given several times. None: every registered source that this host can read."`
	Name   []string `placeholder:"NAME" help:"What to call the folder, in the same order; the folder's own name by default."`
	Ignore []string `placeholder:"PREFIX" help:"Leave out paths that begin so, relative to the folder; may be given several times."`
	Prune  bool     `help:"Remove documents whose files are gone, out of scope or ignored."`
	JSON   bool     `help:"Print the report as JSON."`
}

// Validate finds names without a folder.
func (c *importCmd) Validate() error {
	if len(c.Name) > len(c.Source) {
		return fmt.Errorf("there are %d --name but %d --source: each name belongs to the folder in the same place", len(c.Name), len(c.Source))
	}
	return nil
}

// Run imports and prints what came of it.
func (c *importCmd) Run(ctx context.Context, e *env) error {
	return app.Import(ctx, e.config, app.ImportOptions{
		Dirs: c.Source, Names: c.Name, Ignore: c.Ignore, Prune: c.Prune, JSON: c.JSON, Out: e.out, Progress: e.err})
}
