package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAdminPasswordIsMadeOnce(t *testing.T) {
	c := settings(t, nil)
	first, made, err := AdminPassword(c)
	if err != nil || !made || len(first) != 20 || strings.Trim(first, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		t.Fatalf("%q, %v, %v", first, made, err)
	}
	file := filepath.Join(c.DataDir, passwordFile)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	again, made, err := AdminPassword(c)
	if err != nil || made || again != first {
		t.Errorf("then it is %q, %v, %v", again, made, err)
	}
	entries, err := os.ReadDir(c.DataDir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	other, _, err := AdminPassword(settings(t, nil))
	if err != nil || other == first {
		t.Errorf("another installation has %q, %v", other, err)
	}
	c.AdminPassword = "chosen"
	if chosen, made, err := AdminPassword(c); err != nil || made || chosen != "chosen" {
		t.Errorf("a configured one gives %q, %v, %v", chosen, made, err)
	}
}

func TestAdminPasswordSaysWhatIsWrong(t *testing.T) {
	for name, arrange := range map[string]struct {
		do   func(dir string) error
		says string
	}{
		"an empty file":             {func(dir string) error { return write(dir, passwordFile, " \n") }, "is empty: remove it to get a new password, or set BOR_ADMIN_PASSWORD"},
		"a folder in its place":     {func(dir string) error { return os.MkdirAll(filepath.Join(dir, passwordFile), 0o755) }, "can't be read"},
		"a file as the data folder": {func(dir string) error { return write(filepath.Dir(dir), filepath.Base(dir), "x") }, "BOR_"},
		"a file above it": {func(dir string) error {
			return write(filepath.Dir(filepath.Dir(dir)), filepath.Base(filepath.Dir(dir)), "x")
		}, "BOR_"},
	} {
		c := settings(t, nil)
		c.DataDir = filepath.Join(c.DataDir, "deep", "er")
		if err := arrange.do(c.DataDir); err != nil {
			t.Fatal(err)
		}
		password, made, err := AdminPassword(c)
		if err == nil || !strings.Contains(err.Error(), arrange.says) || password != "" || made {
			t.Errorf("%s: %q, %v, %v", name, password, made, err)
		}
	}
}

func write(dir, name, text string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
}
