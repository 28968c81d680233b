package git

import (
	"os"
	"testing"
)

// The test's own program is what git starts for credentials and ssh.
func TestMain(m *testing.M) {
	if code, ok := Helper(); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
