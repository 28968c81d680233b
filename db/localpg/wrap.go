//go:build linux

package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// wrapPrograms replaces each of the server's programs below root by a short
// script that starts it with the private C library's own loader. The programs
// find their files relative to the script's place, so the folder can be moved.
func wrapPrograms(ctx context.Context, root string) error {
	loaders, err := fs.Glob(os.DirFS(root), "usr/lib/*-linux-gnu*/ld-linux*.so.*")
	if err != nil {
		return err
	}
	if len(loaders) == 0 {
		return errors.New("the fetched C library has no loader")
	}
	bin := privateBin(root)
	elf := filepath.Join(filepath.Dir(bin), "elf")
	if err := os.Rename(bin, elf); err != nil {
		return err
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(bin, 0o755); err != nil { // whatever the umask
		return err
	}
	progs, err := os.ReadDir(elf)
	if err != nil {
		return err
	}
	for _, prog := range progs {
		path := filepath.Join(bin, prog.Name())
		if err := os.WriteFile(path, []byte(wrapper(loaders[0], prog.Name())), 0o755); err != nil {
			return err
		}
		if err := os.Chmod(path, 0o755); err != nil {
			return err
		}
	}
	return checkClosure(ctx, root, loaders[0])
}

// wrapper is the script that starts prog with loader, a path below the copy's
// root. It execs, so the process keeps its number.
func wrapper(loader, prog string) string {
	return fmt.Sprintf(`#!/bin/sh
r=$(cd "${0%%/*}/../../../../.." && pwd) || exit 1
LOCPATH=$r/usr/lib/locale exec "$r/%s" --inhibit-cache --library-path "$r/%s" --argv0 "$0" "$r/usr/lib/postgresql/%s/elf/%s" "$@"
`, loader, filepath.Dir(loader), pgMajor, prog)
}

// checkClosure makes sure that every library comes from the private copy, none
// from the system.
func checkClosure(ctx context.Context, root, loader string) error {
	ld := filepath.Join(root, loader)
	pg := filepath.Dir(privateBin(root))
	check := []string{pg + "/elf/postgres", pg + "/elf/initdb", pg + "/elf/psql", pg + "/elf/pg_dump"}
	for _, ext := range []string{"vector", "pg_trgm", "unaccent", "plpgsql", "dict_snowball"} {
		check = append(check, pg+"/lib/"+ext+".so")
	}
	for _, file := range check {
		out, err := sessionCommand(ctx, ld, "--inhibit-cache", "--library-path", filepath.Dir(ld), "--list", file).CombinedOutput()
		if err != nil {
			return fmt.Errorf("the fetched %s cannot be loaded: %w\n%s", filepath.Base(file), err, tail(out))
		}
		if stray := strayLibrary(string(out), root); stray != "" {
			return fmt.Errorf("the fetched %s needs a library that was not fetched: %s", filepath.Base(file), stray)
		}
	}
	return nil
}

// strayLibrary is the first line of the loader's list that names a library
// outside root, or "".
func strayLibrary(list, root string) string {
	for line := range strings.Lines(list) {
		if _, target, ok := strings.Cut(line, "=> "); ok && !strings.HasPrefix(target, root+"/") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
