package db

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// jobsFrom is the migration from which on the schema has the job library's
// tables. The library keeps a history of its own beside ours; both move under the
// same lock (DEC20).
const jobsFrom = 4

// migrateJobs brings the job library's tables to where our schema is: to the
// newest they know from jobsFrom on, away below it.
func migrateJobs(ctx context.Context, url string, schema int64) error {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return badURL(err)
	}
	cfg.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return unreachable(url, err)
	}
	defer pool.Close()
	engine, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("reading the job library's migrations: %w", err)
	}
	if schema >= jobsFrom {
		_, err = engine.Migrate(ctx, rivermigrate.DirectionUp, nil)
	} else {
		_, err = engine.Migrate(ctx, rivermigrate.DirectionDown, &rivermigrate.MigrateOpts{TargetVersion: -1})
	}
	if err != nil {
		return fmt.Errorf("migrating the job library's tables: %w", missingRight(err))
	}
	return nil
}
