// Package testkit gives tests real dependencies: a database of their own, and
// models that follow a script.
package testkit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"testing"
	"time"

	"bor/db"

	"github.com/jackc/pgx/v5"
)

// templateLock serialises the making of the template database between the test
// binaries that run in parallel.
const templateLock int64 = 0x626f725f746d70 // "bor_tmp"

// DB gives the test a migrated database of its own on a real server, and drops
// it afterwards. Without a server the test fails: it is never skipped.
func DB(t testing.TB) *db.DB {
	t.Helper()
	server := serverURL(t)
	d, err := db.Open(t.Context(), clone(t, server, template(t, server)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// EmptyDB makes a database without our schema and returns its address; it is
// dropped after the test.
func EmptyDB(t testing.TB) string {
	t.Helper()
	return clone(t, serverURL(t), "template1")
}

// clone copies a database and returns the copy's address.
func clone(t testing.TB, server, template string) string {
	t.Helper()
	name := fmt.Sprintf("bor_test_%d_%s", time.Now().Unix(), strings.ToLower(rand.Text()[:10]))
	admin := connect(t, server)
	defer admin.Close(context.Background())
	exec(t, admin, "CREATE DATABASE "+name+" TEMPLATE "+template)
	t.Cleanup(func() {
		admin := connect(t, server)
		defer admin.Close(context.Background())
		drop(t, admin, name)
	})
	return inDatabase(t, server, name)
}

// template is the name of a migrated database to copy, made once for each state
// of the migrations. It gets its name only when it is complete, so that a killed
// test leaves nothing half-made that looks ready.
func template(t testing.TB, server string) string {
	t.Helper()
	name := "bor_template_" + migrationsHash(t)
	admin := connect(t, server)
	defer admin.Close(context.Background()) // and with it the lock
	exec(t, admin, "SELECT pg_advisory_lock($1)", templateLock)
	var ready bool
	if err := admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&ready); err != nil {
		t.Fatal(err)
	}
	if ready {
		return name
	}
	dropLeftovers(t, admin)
	raw := name + "_raw"
	drop(t, admin, raw)
	exec(t, admin, "CREATE DATABASE "+raw)
	if err := db.Migrate(t.Context(), inDatabase(t, server, raw)); err != nil {
		t.Fatal(err)
	}
	exec(t, admin, "ALTER DATABASE "+raw+" RENAME TO "+name)
	return name
}

// dropLeftovers removes the databases that killed tests left more than an hour ago.
func dropLeftovers(t testing.TB, admin *pgx.Conn) {
	rows, err := admin.Query(t.Context(), `SELECT datname FROM pg_database
		WHERE datname ~ '^bor_test_[0-9]+_' AND split_part(datname, '_', 3)::bigint < extract(epoch FROM now()) - 3600`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		drop(t, admin, name)
	}
}

// drop removes a database and ends our own sessions in it first. WITH (FORCE)
// won't do: it also wants to end an autovacuum worker, which only a superuser
// may, whereas a plain DROP makes the worker leave.
func drop(t testing.TB, admin *pgx.Conn, name string) {
	exec(t, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = current_user", name)
	exec(t, admin, "DROP DATABASE IF EXISTS "+name)
}

func migrationsHash(t testing.TB) string {
	files := db.Migrations()
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// connect opens a connection to the server's maintenance database; the caller
// closes it. It doesn't use the test's context, which ends before the cleanups.
func connect(t testing.TB, server string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), server)
	if err != nil {
		t.Fatalf("no PostgreSQL for the tests: %v", err)
	}
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// inDatabase is the address with another database's name.
func inDatabase(t testing.TB, address, name string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		t.Fatalf("DATABASE_URL has to be a postgres:// URL for the tests")
	}
	u.Path = "/" + name
	return u.String()
}
