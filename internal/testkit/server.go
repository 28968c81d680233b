package testkit

import (
	"os"
	"testing"
)

// serverURL is the address of the server that the tests use.
func serverURL(t testing.TB) string {
	t.Helper()
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return url
	}
	t.Fatal("no PostgreSQL for the tests: set DATABASE_URL")
	return ""
}
