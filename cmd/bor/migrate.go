package main

import (
	"context"

	"bor/internal/app"
)

type migrateCmd struct {
	Up     migrateUpCmd     `cmd:"" default:"1" help:"Bring the schema to this version. Serve and import do so by themselves."`
	Down   migrateDownCmd   `cmd:"" help:"Take back the newest step of the schema, with the data that only it holds."`
	Status migrateStatusCmd `cmd:"" help:"Show the steps and which are applied."`
}

type migrateUpCmd struct{}

// Run applies what is missing.
func (migrateUpCmd) Run(ctx context.Context, e *env) error {
	return app.MigrateUp(ctx, e.config, e.out)
}

type migrateDownCmd struct{}

// Run takes one step back.
func (migrateDownCmd) Run(ctx context.Context, e *env) error {
	return app.MigrateDown(ctx, e.config, e.out)
}

type migrateStatusCmd struct {
	JSON bool `help:"Print JSON."`
}

// Run lists the steps.
func (c *migrateStatusCmd) Run(ctx context.Context, e *env) error {
	return app.MigrateStatus(ctx, e.config, e.out, c.JSON)
}
