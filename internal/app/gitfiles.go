package app

import (
	"fmt"
	"os"

	"bor/internal/config"
)

// gitFiles says what is wrong with the files that git is to use. Nobody else opens
// them before the first sync, which may come long after the start.
func gitFiles(c config.Config) []error {
	var wrong []error
	for _, f := range []struct{ setting, name string }{
		{"BOR_GIT_SSH_KEY_FILE", c.Git.SSHKeyFile}, {"BOR_GIT_SSH_KNOWN_HOSTS_FILE", c.Git.SSHKnownHosts}, {"BOR_GIT_CA_FILE", c.Git.CAFile},
	} {
		if f.name == "" {
			continue
		}
		if content, err := os.ReadFile(f.name); err != nil {
			wrong = append(wrong, fmt.Errorf("setting %s: the file can't be read: %w", f.setting, err))
		} else if len(content) == 0 {
			wrong = append(wrong, fmt.Errorf("setting %s: the file %s is empty", f.setting, f.name))
		}
	}
	return wrong
}
