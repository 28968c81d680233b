package testkit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"bor/db/localpg"
)

// server is the private PostgreSQL of the tests, when DATABASE_URL names none.
// Test binaries that run at the same time share one; the last to leave stops it.
var server struct {
	sync.Mutex
	lease *localpg.Server
	users int  // tests that are using it
	keep  bool // Main stops it
}

// Main runs a package's tests and stops the private database after the last
// one, instead of after each test that needed it:
//
//	func TestMain(m *testing.M) { testkit.Main(m) }
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main for a package that has more to clean up: it returns the exit code.
func Run(m *testing.M) int {
	server.keep = true
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// serverURL is the address of a PostgreSQL server where databases can be made,
// valid until the end of the test.
func serverURL(t testing.TB) string {
	t.Helper()
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return url
	}
	server.Lock()
	defer server.Unlock()
	if server.lease == nil {
		lease, err := startServer()
		if err != nil {
			t.Fatalf("no PostgreSQL for the tests: %v", err)
		}
		server.lease = lease
	}
	server.users++
	t.Cleanup(release)
	return server.lease.URL()
}

func startServer() (*localpg.Server, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	return localpg.Start(context.Background(), localpg.Options{
		Dir:     filepath.Join(root, "data", "test-postgres"),
		DistDir: filepath.Join(root, "data", "postgres", "dist"), // where the product has it, too
		BinDir:  os.Getenv("BOR_PG_BINDIR"),
		Mirror:  os.Getenv("BOR_PG_MIRROR"),
		User:    os.Getenv("BOR_PG_USER"),
		Fast:    true,
		Log:     func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
}

func release() {
	server.Lock()
	defer server.Unlock()
	if server.users--; server.users == 0 && !server.keep {
		if err := stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// stop gives up the lease; server is locked or nobody else is left.
func stop() error {
	if server.lease == nil {
		return nil
	}
	err := server.lease.Stop()
	server.lease = nil
	return err
}

// moduleRoot is the folder of go.mod: tests run in their package's folder.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("the tests run outside the module: set DATABASE_URL")
		}
		dir = up
	}
}
