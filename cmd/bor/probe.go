package main

import (
	"context"

	"bor/internal/app"
)

type probeCmd struct {
	Settings bool `help:"List every setting with its value and what it does, instead."`
	JSON     bool `help:"Print JSON."`
}

// Run checks what the product stands on.
func (c *probeCmd) Run(ctx context.Context, e *env) error {
	if c.Settings {
		return app.Settings(e.out, e.getenv, c.JSON)
	}
	return app.Probe(ctx, e.config, app.ProbeOptions{JSON: c.JSON, Version: e.version, Out: e.out})
}
