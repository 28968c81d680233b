//go:build linux

package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// apt fetches packages with the system's apt-get, which checks the archive's
// signature and every hash, but with lists and a cache of its own below dir, so
// that neither root nor any change to the system is needed.
type apt struct {
	dir     string // a plain path: apt's files cannot quote every character
	keyring string // the archive's keys; fetched when the system has none
}

var plainPath = regexp.MustCompile(`^[A-Za-z0-9/._+-]+$`)

// plain tells whether apt's configuration and source lists can hold path.
func plain(path string) bool { return plainPath.MatchString(path) }

// download leaves all packages in dir/debs, from the first mirror that has them.
func (a *apt) download(ctx context.Context, mirrors []mirror) error {
	for _, sub := range []string{"lists/partial", "cache/archives/partial", "debs"} {
		if err := os.MkdirAll(filepath.Join(a.dir, sub), 0o755); err != nil {
			return err
		}
	}
	// Read after the system's apt.conf, so a configured proxy still counts.
	if err := os.WriteFile(a.path("apt.conf"), []byte(a.conf()), 0o644); err != nil {
		return err
	}
	if err := a.findKeyring(ctx); err != nil {
		return err
	}
	var failed error
	for _, m := range mirrors {
		err := a.from(ctx, m)
		if err == nil || ctx.Err() != nil {
			return err
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// from downloads from one mirror. Not every mirror has the security updates
// beside it; the release alone is better than nothing.
func (a *apt) from(ctx context.Context, m mirror) error {
	err := a.update(ctx, a.line(m.main, suite)+a.line(m.main, suite+"-updates")+a.line(m.security, suite+"-security"))
	if err != nil && strings.Contains(err.Error(), "does not have a Release file") {
		err = a.update(ctx, a.line(m.main, suite))
	}
	if err != nil {
		return err
	}
	return a.get(ctx, append([]string{"download"}, packages...)...)
}

func (a *apt) update(ctx context.Context, sources string) error {
	if err := os.WriteFile(a.path("sources.list"), []byte(sources), 0o644); err != nil {
		return err
	}
	return a.get(ctx, "update")
}

func (a *apt) get(ctx context.Context, args ...string) error {
	return run(ctx, a.path("debs"), "apt-get", append([]string{"-c", a.path("apt.conf")}, args...)...)
}

func (a *apt) path(name string) string { return filepath.Join(a.dir, name) }

func (a *apt) line(uri, suite string) string {
	return fmt.Sprintf("deb [signed-by=%s] %s %s main\n", a.keyring, uri, suite)
}

// conf is apt's configuration: our own places, none of the system's hooks, pins
// and sources, and no indexes that are not needed.
func (a *apt) conf() string {
	return fmt.Sprintf(`#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Default-Release;
#clear Acquire::IndexTargets::deb::DEP-11;
#clear Acquire::IndexTargets::deb::CNF;
#clear Acquire::IndexTargets::deb::Contents-deb;
Dir::State "%[1]s";
Dir::State::lists "%[1]s/lists";
Dir::State::status "/dev/null";
Dir::Cache "%[1]s/cache";
Dir::Etc::sourcelist "%[1]s/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
APT::Get::List-Cleanup "false";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
`, a.dir)
}

// findKeyring fetches Debian's keys from the system's own archive, which
// Ubuntu's has too, when they are not installed.
func (a *apt) findKeyring(ctx context.Context) error {
	if _, err := os.Stat(a.keyring); err == nil {
		return nil
	}
	lists := a.path("keylists")
	if err := os.MkdirAll(filepath.Join(lists, "partial"), 0o755); err != nil {
		return err
	}
	opts := []string{"-o", "Dir::State=" + a.dir, "-o", "Dir::State::lists=" + lists, "-o", "Dir::Cache=" + a.path("cache"), "-o", "APT::Sandbox::User=root"}
	keys := a.path("keys")
	if err := os.MkdirAll(keys, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{{"update"}, {"download", "debian-archive-keyring"}} {
		if err := run(ctx, keys, "apt-get", append(opts, args...)...); err != nil {
			return fmt.Errorf("the keys of Debian's archive are not installed and could not be fetched: %w", err)
		}
	}
	debs, err := filepath.Glob(keys + "/debian-archive-keyring_*.deb") // a plain path
	if err != nil || len(debs) != 1 {
		return fmt.Errorf("apt-get brought %d packages with the keys of Debian's archive (%v)", len(debs), err)
	}
	if err := run(ctx, keys, "dpkg-deb", "-x", debs[0], keys); err != nil {
		return err
	}
	a.keyring = keys + keyring
	return nil
}
