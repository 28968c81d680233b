package app

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"testing"

	"bor/db"
	"bor/internal/config"
	"bor/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// settings are the defaults, with a data folder of the test's own and a database
// when there is one.
func settings(t *testing.T, d *db.DB) config.Config {
	t.Helper()
	c, err := config.Load(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	c.DataDir, c.Addr = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0"
	if d != nil {
		c.DatabaseURL = d.URL()
	}
	return c
}

// captureLog keeps what is logged, as the settings say, until the test's end.
func captureLog(t *testing.T, c config.Config) *bytes.Buffer {
	log := new(bytes.Buffer)
	before := slog.Default()
	SetLog(log, c)
	t.Cleanup(func() { slog.SetDefault(before) })
	return log
}
