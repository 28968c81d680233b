package db

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// What the server must offer: generated columns, MERGE and halfvec with
// iterative scans.
const (
	minServer     = 15
	minVector     = "0.8"
	installVector = "install it (Debian 13: apt-get install postgresql-17-pgvector; Fedora: dnf install pgvector; or use an image that has it, such as pgvector/pgvector:pg17)"
	installTrgm   = "install PostgreSQL's contrib modules (Debian: they come with postgresql-NN; Fedora: dnf install postgresql-contrib)"
)

// ErrServer marks a server that can't serve this product as it is.
var ErrServer = errors.New("unsuitable database server")

// serverFacts is what checkServer judges.
type serverFacts struct {
	version   int    // server_version_num / 10000
	encoding  string // of the database
	vector    string // newest installable version; empty: none, or nobody needed to know
	installed string // version in this database; empty: none
	trgm      bool
}

// checkServer reads the facts and judges them. What could be installed is asked
// only when something is missing: the server reads a folder of files for that.
func checkServer(ctx context.Context, conn *pgx.Conn) error {
	var f serverFacts
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000,
		(SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()),
		coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), ''),
		EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')`).
		Scan(&f.version, &f.encoding, &f.installed, &f.trgm)
	if err == nil && (!f.trgm || versionLess(f.installed, minVector)) {
		err = conn.QueryRow(ctx, `SELECT coalesce((SELECT default_version FROM pg_available_extensions WHERE name = 'vector'), ''),
			EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')`).Scan(&f.vector, &f.trgm)
	}
	if err != nil {
		return fmt.Errorf("asking the database server what it offers: %w", err)
	}
	return f.judge()
}

func (f serverFacts) judge() error {
	switch {
	case f.version < minServer:
		return fmt.Errorf("%w: it is PostgreSQL %d, and %d or newer is needed; upgrade it, or point DATABASE_URL at a newer one", ErrServer, f.version, minServer)
	case f.encoding != "UTF8":
		return fmt.Errorf("%w: the database's encoding is %s, which can't hold every file's text; make one with CREATE DATABASE bor ENCODING 'UTF8' TEMPLATE template0", ErrServer, f.encoding)
	case f.vector == "" && f.installed == "":
		return fmt.Errorf("%w: it has no pgvector; %s", ErrServer, installVector)
	case f.installed != "" && versionLess(f.installed, minVector) && !versionLess(f.vector, minVector):
		return fmt.Errorf("%w: this database uses pgvector %s although %s is there; run ALTER EXTENSION vector UPDATE in it", ErrServer, f.installed, f.vector)
	case f.installed != "" && versionLess(f.installed, minVector), f.installed == "" && versionLess(f.vector, minVector):
		return fmt.Errorf("%w: its pgvector is %s, and %s or newer is needed; %s", ErrServer, max(f.installed, f.vector), minVector, installVector)
	case !f.trgm:
		return fmt.Errorf("%w: it has no pg_trgm; %s", ErrServer, installTrgm)
	}
	return nil
}

// versionLess compares dotted versions number by number.
func versionLess(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := 0; i < len(x) && i < len(y); i++ {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m < n
		}
	}
	return len(x) < len(y)
}

// missingRight turns "permission denied to create extension" into what the
// server's administrator has to do.
func missingRight(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "42501" && strings.Contains(pg.Message, "extension") {
		return fmt.Errorf("%w: this role may not install extensions; let a superuser run, in this database: CREATE EXTENSION vector; CREATE EXTENSION pg_trgm; (%s)", ErrServer, pg.Message)
	}
	return err
}
