package db

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestServersAreJudged(t *testing.T) {
	good := serverFacts{version: 17, encoding: "UTF8", vector: "0.8.0", trgm: true}
	for _, c := range []struct {
		name   string
		change func(*serverFacts)
		want   string // part of the message; empty: no error
	}{
		{"fine", func(*serverFacts) {}, ""},
		{"fine and installed", func(f *serverFacts) { f.installed = "0.8.1" }, ""},
		{"installed, and nothing else asked", func(f *serverFacts) { f.vector, f.installed = "", "0.8.0" }, ""},
		{"exactly the oldest server", func(f *serverFacts) { f.version = 15 }, ""},
		{"old server", func(f *serverFacts) { f.version = 14 }, "PostgreSQL 14, and 15 or newer"},
		{"encoding", func(f *serverFacts) { f.encoding = "SQL_ASCII" }, "ENCODING 'UTF8'"},
		{"no pgvector", func(f *serverFacts) { f.vector = "" }, "postgresql-17-pgvector"},
		{"old pgvector", func(f *serverFacts) { f.vector = "0.7.4" }, "its pgvector is 0.7.4, and 0.8 or newer"},
		{"old pgvector, installed", func(f *serverFacts) { f.vector, f.installed = "0.7.4", "0.7.4" }, "its pgvector is 0.7.4"},
		{"old in the database, new on disk", func(f *serverFacts) { f.installed = "0.5.1" }, "ALTER EXTENSION vector UPDATE"},
		{"ten is more than eight", func(f *serverFacts) { f.vector = "0.10.0" }, ""},
		{"no pg_trgm", func(f *serverFacts) { f.trgm = false }, "postgresql-contrib"},
	} {
		facts := good
		c.change(&facts)
		err := facts.judge()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.Is(err, ErrServer) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestAMissingRightSaysWhatASuperuserHasToDo(t *testing.T) {
	denied := fmt.Errorf("step 1: %w", &pgconn.PgError{Code: "42501", Message: "permission denied to create extension \"vector\""})
	if err := missingRight(denied); !errors.Is(err, ErrServer) || !strings.Contains(err.Error(), "CREATE EXTENSION vector; CREATE EXTENSION pg_trgm;") {
		t.Error(err)
	}
	for _, other := range []error{&pgconn.PgError{Code: "42501", Message: "permission denied for schema public"}, errors.New("else")} {
		if got := missingRight(other); got != other {
			t.Errorf("%v became %v", other, got)
		}
	}
}

func TestPasswordsAreRedacted(t *testing.T) {
	for raw, want := range map[string]string{
		"postgres://bor:hunter2@db.example:5432/bor":     "postgres://bor:xxxxx@db.example:5432/bor",
		"postgres://bor@db.example/bor?password=hunter2": "postgres://bor@db.example/bor?password=xxxxx",
		"host=db.example user=bor password=hunter2":      "(DATABASE_URL)",
		"postgres://bor:hunter2@db.example:notaport/bor": "(DATABASE_URL)",
		"postgres://bor@/bor?host=%2Fvar%2Frun":          "postgres://bor@/bor?host=%2Fvar%2Frun",
	} {
		if got := Redact(raw); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

func TestPoolSettingsStayOutOfPlainConnections(t *testing.T) {
	got := poolless("postgres://bor@db.example/bor?pool_max_conns=3&pool_min_conns=1&sslmode=disable")
	if want := "postgres://bor@db.example/bor?sslmode=disable"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestUnitVectors(t *testing.T) {
	unit, err := unitVector([]float32{3, 0, -4})
	if err != nil || unit[0] != 0.6 || unit[1] != 0 || unit[2] != -0.8 {
		t.Errorf("%v, %v", unit, err)
	}
	inf := float32(3.4e38)
	for name, v := range map[string][]float32{"zero": {0, 0}, "not a number": {inf * 0 * inf, (inf * 10) - (inf * 10)}, "empty": nil} {
		if got, err := unitVector(v); err == nil {
			t.Errorf("%s: %v, want an error", name, got)
		}
	}
}
