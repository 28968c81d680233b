package main

import (
	"context"

	"bor/internal/app"
)

type healthCmd struct{}

// Run asks the running server.
func (healthCmd) Run(ctx context.Context, e *env) error { return app.Health(ctx, e.config, e.out) }
