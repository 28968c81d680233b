package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"

	"bor/internal/fault"
)

// The oldest git that is taken: what a supported Debian brings.
const (
	leastMajor = 2
	leastMinor = 39
)

var versionForm = regexp.MustCompile(`^git version (\d+)\.(\d+)`)

// find is the git program of this machine.
func find(ctx context.Context) (string, error) {
	binary, err := exec.LookPath("git")
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, fmt.Sprintf("Git sources need the git program, and this machine has none where bor looks (PATH). Install git %d.%d or newer, such as with: apt install git.", leastMajor, leastMinor), err)
	}
	cmd := exec.CommandContext(ctx, binary, "version")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	out, err := cmd.Output()
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, fmt.Sprintf("The git program %s doesn't run.", binary), err)
	}
	if !recent(out) {
		return "", fault.New(fault.Unavailable, fmt.Sprintf("Git sources need git %d.%d or newer, and %s says %q.", leastMajor, leastMinor, binary, bytes.TrimSpace(out)))
	}
	return binary, nil
}

func recent(version []byte) bool {
	m := versionForm.FindSubmatch(version)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(string(m[1]))
	minor, _ := strconv.Atoi(string(m[2]))
	return major > leastMajor || major == leastMajor && minor >= leastMinor
}
