//go:build linux

package localpg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// privateBin is the folder of the server's programs in the fetched copy.
func privateBin(dist string) string {
	return filepath.Join(dist, "usr/lib/postgresql", pgMajor, "bin")
}

// findBinaries sets s.bin: the forced folder, else the system's server if it
// will do, else the private copy, fetched when it is not there yet.
func (s *Server) findBinaries(ctx context.Context) error {
	if s.opts.BinDir != "" {
		for _, prog := range []string{"postgres", "initdb"} {
			if !s.acct.runs(ctx, filepath.Join(s.opts.BinDir, prog)) {
				return fmt.Errorf("BOR_PG_BINDIR=%q has no %s that user id %d can run", s.opts.BinDir, prog, s.acct.uid)
			}
		}
		s.bin = s.opts.BinDir
		return nil
	}
	want := s.clusterMajor()
	if s.bin = s.acct.systemServer(ctx, s.acct.systemDirs(ctx), want); s.bin != "" {
		return nil
	}
	if want != "" && want != pgMajor {
		return needDatabase(fmt.Errorf("%q was made by PostgreSQL %s, which is no longer installed here with pgvector; install it again, or move that folder away to start afresh", s.data, want))
	}
	if err := s.ensureDist(ctx); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return needDatabase(err)
	}
	s.bin = privateBin(s.dist)
	return nil
}

// ensureDist fetches the private copy unless it is there. Its lock stands
// beside it, as several clusters may share it.
func (s *Server) ensureDist(ctx context.Context) error {
	have := func() bool {
		_, err := os.Stat(filepath.Join(privateBin(s.dist), "postgres"))
		return err == nil
	}
	if have() {
		return nil
	}
	if err := s.acct.makeDirs(filepath.Dir(s.dist)); err != nil {
		return err
	}
	lock, err := s.lock(ctx, s.dist+".lock", syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer unlock(lock)
	if have() {
		return nil
	}
	return s.fetch(ctx)
}

// clusterMajor is the major version that made the cluster, the only one that
// can open it; "" when there is no cluster yet.
func (s *Server) clusterMajor() string {
	b, _ := os.ReadFile(filepath.Join(s.data, "PG_VERSION"))
	return strings.TrimSpace(string(b))
}

// systemDirs lists where packages and pg_config say servers are, newest first.
func (a account) systemDirs(ctx context.Context) []string {
	var dirs []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*"} {
		found, _ := filepath.Glob(pattern) // the patterns are well formed
		slices.SortFunc(found, func(x, y string) int { return compareVersions(y, x) })
		dirs = append(dirs, found...)
	}
	if out, err := a.command(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	return dirs
}

// systemServer is the first of dirs whose server will do: new enough, with
// pgvector and pg_trgm, and of the major version want unless that is "".
func (a account) systemServer(ctx context.Context, dirs []string, want string) string {
	for _, dir := range dirs {
		vector := a.vectorVersion(ctx, dir)
		if vector == "" || compareVersions(vector, minVector) < 0 {
			continue
		}
		major := a.serverMajor(ctx, dir)
		if major == "" || compareVersions(major, minMajor) < 0 || want != "" && want != major {
			continue
		}
		return dir
	}
	return ""
}

// vectorVersion is the version of pgvector that the server in dir would create,
// or "" when it or pg_trgm is missing.
func (a account) vectorVersion(ctx context.Context, dir string) string {
	for _, prog := range []string{"postgres", "initdb", "pg_config"} {
		if _, err := os.Stat(filepath.Join(dir, prog)); err != nil {
			return ""
		}
	}
	share, err := a.command(ctx, filepath.Join(dir, "pg_config"), "--sharedir").Output()
	if err != nil {
		return ""
	}
	ext := filepath.Join(strings.TrimSpace(string(share)), "extension")
	if _, err := os.Stat(filepath.Join(ext, "pg_trgm.control")); err != nil {
		return ""
	}
	control, _ := os.ReadFile(filepath.Join(ext, "vector.control"))
	return submatch(extensionVer, control)
}

// serverMajor is the major version of the server in dir, or "".
func (a account) serverMajor(ctx context.Context, dir string) string {
	out, _ := a.command(ctx, filepath.Join(dir, "postgres"), "-V").Output()
	return submatch(serverMajor, out)
}
