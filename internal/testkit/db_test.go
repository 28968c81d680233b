package testkit

import (
	"testing"

	"bor/db"
)

func TestMain(m *testing.M) { Main(m) }

func TestEveryTestHasItsOwnDatabase(t *testing.T) {
	a, b := DB(t), DB(t)
	if _, err := a.Pool.Exec(t.Context(), "INSERT INTO sources (kind, name, location) VALUES ('local', 'notes', '/notes')"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		db   *db.DB
		want int
	}{{a, 1}, {b, 0}} {
		var n int
		if err := c.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM sources").Scan(&n); err != nil || n != c.want {
			t.Errorf("%d sources, %v; want %d", n, err, c.want)
		}
	}
}
