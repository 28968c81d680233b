package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"bor/db"
	"bor/internal/testkit"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestOpenExplainsWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ url, want string }{
		"nobody listens":  {"postgres://bor:hunter2@127.0.0.1:1/bor?connect_timeout=2", "check that PostgreSQL is running"},
		"not an address":  {"postgres://bor:hunter2@127.0.0.1:port/bor", "the database address is wrong"},
		"bad setting":     {"postgres://bor:hunter2@127.0.0.1/bor?sslmode=perhaps", "sslmode is invalid"},
		"unknown pool":    {"postgres://bor:hunter2@127.0.0.1/bor?pool_max_conns=many", "parsing \"many\""},
		"no such address": {"postgres://bor:hunter2@/bor?host=%2Fnowhere", "can't reach the database"},
	} {
		_, err := db.Open(t.Context(), c.url)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the password shows: %v", name, err)
		}
	}
}

func TestOpenRefusesAnEmptyDatabase(t *testing.T) {
	_, err := db.Open(t.Context(), testkit.EmptyDB(t))
	if !errors.Is(err, db.ErrSchemaOlder) || !strings.Contains(err.Error(), "bor migrate") {
		t.Errorf("%v, want ErrSchemaOlder and what to run", err)
	}
}

func TestAnOlderBinaryRefusesANewerSchema(t *testing.T) {
	d := testkit.DB(t)
	if _, err := d.Pool.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)"); err != nil {
		t.Fatal(err)
	}
	_, openErr := db.Open(t.Context(), d.URL())
	for what, err := range map[string]error{"Open": openErr, "Migrate": db.Migrate(t.Context(), d.URL()), "MigrateDown": db.MigrateDown(t.Context(), d.URL())} {
		if !errors.Is(err, db.ErrSchemaNewer) {
			t.Errorf("%s: %v, want ErrSchemaNewer", what, err)
		}
	}
}

// Our schema may be complete and the job library's tables not: a process was killed
// between the two, or the library is newer than they are.
func TestOpenRefusesOlderJobTables(t *testing.T) {
	url, ctx := testkit.DB(t).URL(), t.Context()
	refused := func(when string) {
		t.Helper()
		d, err := db.Open(ctx, url)
		if err == nil {
			d.Close()
		}
		if !errors.Is(err, db.ErrSchemaOlder) || !strings.Contains(err.Error(), "job library") {
			t.Errorf("%s: %v, want ErrSchemaOlder of the job library", when, err)
		}
	}
	if err := db.DropJobs(ctx, url); err != nil {
		t.Fatal(err)
	}
	refused("without job tables")
	if err := db.Migrate(ctx, url); err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Pool.Exec(ctx, "DELETE FROM river_migration WHERE version = (SELECT max(version) FROM river_migration)"); err != nil {
		t.Fatal(err)
	}
	refused("with older job tables")
}

// schema describes every column, index and constraint of the public schema.
func schema(t *testing.T, url string) string {
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), `
		SELECT format('%s.%s %s %s', table_name, column_name, udt_name, column_default) FROM information_schema.columns WHERE table_schema = 'public'
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT p.oid::regprocedure::text FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
			AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
		ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func TestMigrationsGoUpAndDownAndUpAgain(t *testing.T) {
	url := testkit.EmptyDB(t)
	ctx := t.Context()
	if err := db.Migrate(ctx, url); err != nil {
		t.Fatal(err)
	}
	up := schema(t, url)
	all, err := db.Status(ctx, url)
	if err != nil || len(all) < 2 || all[0].Version != 1 || all[0].Applied.IsZero() {
		t.Fatalf("status %+v, %v", all, err)
	}
	d, err := db.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.EnsureGeneration(ctx, "some model", 8); err != nil { // a table made at run time goes, too
		t.Fatal(err)
	}
	d.Close()
	for range all {
		if err := db.MigrateDown(ctx, url); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.MigrateDown(ctx, url); err != nil {
		t.Errorf("nothing left to take back: %v", err)
	}
	for line := range strings.SplitSeq(schema(t, url), "\n") {
		if !strings.Contains(line, "goose_db_version") {
			t.Errorf("left after going down: %s", line)
		}
	}
	if err := db.Migrate(ctx, url); err != nil {
		t.Fatal(err)
	}
	if again := schema(t, url); again != up {
		t.Errorf("the schema differs after down and up:\n%s\n--- first:\n%s", again, up)
	}
}

func TestProcessesThatStartTogetherMigrateOnce(t *testing.T) {
	url := testkit.EmptyDB(t)
	errs := make(chan error)
	for range 4 {
		go func() { errs <- db.Migrate(t.Context(), url) }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

func TestTxIsAllOrNothing(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	insert := func(q *db.Queries) error {
		_, err := q.InsertSource(ctx, db.InsertSourceParams{Kind: "local", Name: "notes", Location: "/notes", Host: "h", IgnorePaths: []string{}})
		return err
	}
	boom := errors.New("boom")
	if err := d.Tx(ctx, func(q *db.Queries) error { return errors.Join(insert(q), boom) }); !errors.Is(err, boom) {
		t.Errorf("%v, want boom", err)
	}
	if list, err := d.ListSources(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v after a rollback", list, err)
	}
	if err := d.Tx(ctx, insert); err != nil {
		t.Error(err)
	}
	if list, err := d.ListSources(ctx); err != nil || len(list) != 1 {
		t.Errorf("%v, %v after a commit", list, err)
	}
}

func TestConnectListens(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	conn, err := d.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(ctx, "LISTEN turns"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Pool.Exec(ctx, "NOTIFY turns, '7'"); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.WaitForNotification(ctx); err != nil || n.Payload != "7" {
		t.Errorf("%+v, %v", n, err)
	}
}
