package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bor/internal/config"
)

// passwordFile holds the made admin password, readable by its owner only.
const passwordFile = "admin-password"

// AdminPassword is the configured password, or the one that was made for this
// data folder; made says that it was made just now, so that it is shown once
// (DEC29).
func AdminPassword(c config.Config) (password string, made bool, err error) {
	if c.AdminPassword != "" {
		return c.AdminPassword, false, nil
	}
	name := filepath.Join(c.DataDir, passwordFile)
	raw, err := os.ReadFile(name)
	switch {
	case err == nil && strings.TrimSpace(string(raw)) != "":
		return strings.TrimSpace(string(raw)), false, nil
	case err == nil:
		return "", false, fmt.Errorf("%s is empty: remove it to get a new password, or set BOR_ADMIN_PASSWORD", name)
	case !errors.Is(err, fs.ErrNotExist):
		return "", false, fmt.Errorf("the admin password can't be read: %w. Make the file readable, or set BOR_ADMIN_PASSWORD", err)
	}
	if err := os.MkdirAll(c.DataDir, 0o755); err != nil {
		return "", false, fmt.Errorf("setting BOR_DATA_DIR: %w", err)
	}
	password = strings.ToLower(rand.Text()[:20])
	if err := writePrivate(name, password+"\n"); err != nil {
		return "", false, fmt.Errorf("the admin password can't be kept: %w. Make BOR_DATA_DIR writable, or set BOR_ADMIN_PASSWORD", err)
	}
	return password, true, nil
}

// writePrivate makes a file that only its owner can read, complete or not at all.
func writePrivate(name, content string) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(content)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
