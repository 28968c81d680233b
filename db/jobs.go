package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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
	engine, err := jobMigrations(pool)
	if err != nil {
		return err
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

// jobMigrations are the job library's, to be applied to pool; to be looked at alone
// it may be nil.
func jobMigrations(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	engine, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("reading the job library's migrations: %w", err)
	}
	return engine, nil
}

// checkJobs refuses job tables that are older than this binary's job library, as
// ErrSchemaOlder. The library reads newer ones.
func checkJobs(ctx context.Context, conn *pgx.Conn) error {
	engine, err := jobMigrations(nil)
	if err != nil {
		return err
	}
	var have int
	err = conn.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM river_migration WHERE line = 'main'").Scan(&have)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "42P01" { // undefined table: a migration was killed before the library's
		err = nil
	}
	if err != nil {
		return fmt.Errorf("reading the version of the job library's tables: %w", err)
	}
	all := engine.AllVersions()
	if want := all[len(all)-1].Version; have < want {
		return fmt.Errorf("%w (the job library's tables are at %d, this binary needs %d); run: bor migrate", ErrSchemaOlder, have, want)
	}
	return nil
}

// DiscardLostJobs gives up jobs of a kind whose process died while it worked them:
// they say running although nobody holds the lock that their work takes within
// grace. The library itself waits for an hour, and for ever where a job has no
// time limit.
func (d *DB) DiscardLostJobs(ctx context.Context, kind string, lock int64, grace time.Duration) error {
	held, err := d.LockHeld(ctx, lock)
	if err != nil || held {
		return err
	}
	_, err = d.Pool.Exec(ctx, `UPDATE river_job SET state = 'discarded', finalized_at = now()
		WHERE kind = $1 AND state = 'running' AND attempted_at < now() - $2::interval`, kind, grace)
	if err != nil {
		return fmt.Errorf("giving up lost jobs: %w", err)
	}
	return nil
}

// JobWaits tells whether a job of a kind is about to be worked, or has been begun
// within grace.
func (d *DB) JobWaits(ctx context.Context, kind string, grace time.Duration) (waits bool, err error) {
	err = d.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM river_job WHERE kind = $1
		AND (state IN ('available', 'pending', 'scheduled', 'retryable') OR state = 'running' AND attempted_at > now() - $2::interval))`, kind, grace).Scan(&waits)
	if err != nil {
		return false, fmt.Errorf("asking for waiting jobs: %w", err)
	}
	return waits, nil
}
