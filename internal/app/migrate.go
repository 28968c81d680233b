package app

import (
	"context"
	"fmt"
	"io"
	"time"

	"bor/db"
	"bor/internal/config"
)

// MigrateUp brings the schema to this version.
func MigrateUp(ctx context.Context, c config.Config, out io.Writer) error {
	return withURL(ctx, c, func(url string) error {
		if err := db.Migrate(ctx, url); err != nil {
			return err
		}
		fmt.Fprintln(out, "The schema is at this version.")
		return nil
	})
}

// MigrateDown takes the newest step back.
func MigrateDown(ctx context.Context, c config.Config, out io.Writer) error {
	return withURL(ctx, c, func(url string) error {
		if err := db.MigrateDown(ctx, url); err != nil {
			return err
		}
		fmt.Fprintln(out, "The newest step of the schema was taken back.")
		return nil
	})
}

// MigrateStatus lists the steps, oldest first.
func MigrateStatus(ctx context.Context, c config.Config, out io.Writer, asJSON bool) error {
	return withURL(ctx, c, func(url string) error {
		steps, err := db.Status(ctx, url)
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(out, steps)
		}
		for _, s := range steps {
			applied := "pending"
			if !s.Applied.IsZero() {
				applied = s.Applied.UTC().Format(time.DateTime)
			}
			fmt.Fprintf(out, "%-20s %s\n", applied, s.Name)
		}
		return nil
	})
}

func withURL(ctx context.Context, c config.Config, do func(url string) error) error {
	url, release, err := DatabaseURL(ctx, c)
	if err != nil {
		return err
	}
	defer release()
	return do(url)
}
