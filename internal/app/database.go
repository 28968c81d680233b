package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"bor/db"
	"bor/db/localpg"
	"bor/internal/config"
)

// Database is an open database, and the private server behind it when the
// settings name none.
type Database struct {
	*db.DB
	local *localpg.Server
	stop  context.CancelFunc
}

// DatabaseURL gives the database's address, starting the private server when
// DATABASE_URL is empty. release stops what was started.
func DatabaseURL(ctx context.Context, c config.Config) (url string, release func(), err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, func() {}, nil
	}
	local, err := startLocal(ctx, c)
	if err != nil {
		return "", nil, err
	}
	return local.URL(), func() { stopLocal(local) }, nil
}

// OpenDatabase gives an open database with the schema of this binary. Several
// processes may do so at once.
func OpenDatabase(ctx context.Context, c config.Config) (*Database, error) {
	var d Database
	url := c.DatabaseURL
	if url == "" {
		local, err := startLocal(ctx, c)
		if err != nil {
			return nil, err
		}
		watch, stop := context.WithCancel(context.WithoutCancel(ctx))
		d.local, d.stop = local, stop
		go local.Watch(watch)
		url = local.URL()
	}
	var err error
	if d.DB, err = db.Open(ctx, url); errors.Is(err, db.ErrSchemaOlder) {
		if err = db.Migrate(ctx, url); err == nil {
			d.DB, err = db.Open(ctx, url)
		}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return &d, nil
}

// Close closes the pool and stops the private server, unless another process
// uses it too.
func (d *Database) Close() {
	if d.DB != nil {
		d.DB.Close()
	}
	if d.local != nil {
		d.stop()
		stopLocal(d.local)
	}
}

func startLocal(ctx context.Context, c config.Config) (*localpg.Server, error) {
	dir, err := filepath.Abs(filepath.Join(c.DataDir, "postgres"))
	if err != nil {
		return nil, fmt.Errorf("setting BOR_DATA_DIR: %w", err)
	}
	return localpg.Start(ctx, localpg.Options{Dir: dir, BinDir: c.PGBinDir, Mirror: c.PGMirror, User: c.PGUser,
		Log: func(line string) { slog.Info(line) }})
}

func stopLocal(s *localpg.Server) {
	if err := s.Stop(); err != nil {
		slog.Warn("the private database didn't stop cleanly", "error", err)
	}
}
