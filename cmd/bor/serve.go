package main

import (
	"context"

	"bor/internal/app"
)

type serveCmd struct {
	FirstRun bool `help:"For a first look: make an admin password when none is set, and import a sample knowledge base while there is none."`
}

// Run serves until a signal comes.
func (c *serveCmd) Run(ctx context.Context, e *env) error {
	return app.Serve(ctx, e.config, app.ServeOptions{Version: e.version, FirstRun: c.FirstRun, Out: e.out})
}
