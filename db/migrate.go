package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations are the embedded migration files, named NNNNN_what.sql.
func Migrations() fs.FS {
	sub, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	return sub
}

// migrationLock is the advisory lock under which schemas change, ours and the job
// library's (DEC20). The number is arbitrary but fixed for ever.
const migrationLock int64 = 0x626f725f6d6967 // "bor_mig"

// Errors of a schema that doesn't fit this binary.
var (
	ErrSchemaNewer = errors.New("the database was migrated by a newer version of this program")
	ErrSchemaOlder = errors.New("the database isn't migrated")
)

// Migrate brings the schema up to this binary's version. Processes that start
// together take turns: the first migrates, the others find nothing to do. A
// schema newer than the binary is refused with ErrSchemaNewer.
func Migrate(ctx context.Context, url string) error {
	return migrating(ctx, url, func(p *goose.Provider) error {
		if _, err := p.Up(ctx); err != nil {
			return err
		}
		return jobsToo(ctx, url, p)
	})
}

// MigrateDown takes the newest migration back, and all of its data with it.
// With nothing left it does nothing.
func MigrateDown(ctx context.Context, url string) error {
	return migrating(ctx, url, func(p *goose.Provider) error {
		if _, err := p.Down(ctx); errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		} else if err != nil {
			return err
		}
		return jobsToo(ctx, url, p)
	})
}

// jobsToo moves the job library's tables to where our schema is now.
func jobsToo(ctx context.Context, url string, p *goose.Provider) error {
	version, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("reading the schema's version: %w", err)
	}
	return migrateJobs(ctx, url, version)
}

// Migration is one step of the schema's history.
type Migration struct {
	Version int64     `json:"version"`
	Name    string    `json:"name"`             // of its file
	Applied time.Time `json:"applied,omitzero"` // zero: pending
}

// Status lists this binary's migrations, oldest first.
func Status(ctx context.Context, url string) ([]Migration, error) {
	var list []Migration
	err := migrating(ctx, url, func(p *goose.Provider) error {
		states, err := p.Status(ctx)
		for _, s := range states {
			list = append(list, Migration{Version: s.Source.Version, Name: s.Source.Path, Applied: s.AppliedAt})
		}
		return err
	})
	return list, err
}

// migrating runs do with a migration engine, on a checked server, under the lock.
func migrating(ctx context.Context, url string, do func(*goose.Provider) error) (err error) {
	conn, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) // releases the lock
	if err := checkServer(ctx, conn); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return fmt.Errorf("waiting for another process that migrates the database: %w", err)
	}
	if err := checkSchema(ctx, conn); err != nil && !errors.Is(err, ErrSchemaOlder) {
		return err
	}
	cfg, err := pgx.ParseConfig(poolless(url))
	if err != nil {
		return badURL(err)
	}
	std := stdlib.OpenDB(*cfg)
	defer func() { err = errors.Join(err, std.Close()) }()
	engine, err := goose.NewProvider(goose.DialectPostgres, std, Migrations())
	if err != nil {
		return fmt.Errorf("reading the embedded migrations: %w", err)
	}
	if err := do(engine); err != nil {
		return fmt.Errorf("migrating the database: %w", missingRight(err))
	}
	return nil
}

// checkSchema compares the database's version with this binary's.
func checkSchema(ctx context.Context, conn *pgx.Conn) error {
	have, err := schemaVersion(ctx, conn)
	if err != nil {
		return err
	}
	want := newestMigration()
	switch {
	case have > want:
		return fmt.Errorf("%w (its schema is at %d, this binary knows %d); run the newer binary, or restore a backup made before the upgrade", ErrSchemaNewer, have, want)
	case have < want:
		return fmt.Errorf("%w (its schema is at %d, this binary needs %d); run: bor migrate", ErrSchemaOlder, have, want)
	}
	return nil
}

// schemaVersion is the newest applied migration, 0 for an empty database.
func schemaVersion(ctx context.Context, conn *pgx.Conn) (version int64, err error) {
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL").Scan(&exists); err != nil {
		return 0, fmt.Errorf("reading the schema's version: %w", err)
	}
	if !exists {
		return 0, nil
	}
	if err := conn.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version").Scan(&version); err != nil {
		return 0, fmt.Errorf("reading the schema's version: %w", err)
	}
	return version, nil
}

// newestMigration is the number of the last embedded file.
func newestMigration() (newest int64) {
	files, err := fs.ReadDir(Migrations(), ".")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		if v, err := goose.NumericComponent(f.Name()); err == nil {
			newest = max(newest, v)
		}
	}
	return newest
}
