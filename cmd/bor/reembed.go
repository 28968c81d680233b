package main

import (
	"context"

	"bor/internal/app"
)

type reembedCmd struct{}

// Run makes new vectors.
func (reembedCmd) Run(ctx context.Context, e *env) error {
	return app.Reembed(ctx, e.config, e.out, e.err)
}
