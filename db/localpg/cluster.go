//go:build linux

package localpg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// initCluster makes the cluster unless there is one, complete or not at all.
func (s *Server) initCluster(ctx context.Context) error {
	if s.clusterMajor() != "" {
		return nil
	}
	s.opts.logf("creating the private database in %q", s.home)
	tmp, err := fresh(s.data) // mode 0700, as PostgreSQL demands
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if s.acct.drop {
		if err := os.Lchown(tmp, s.acct.uid, s.acct.gid); err != nil {
			return err
		}
	}
	args := []string{"-D", tmp, "-U", "postgres", "-E", "UTF8", "--auth-local=trust", "--auth-host=reject",
		"--lc-collate=C", "--lc-ctype=C.UTF-8", "--lc-messages=C", "--lc-monetary=C", "--lc-numeric=C", "--lc-time=C"}
	if compareVersions(s.acct.serverMajor(ctx, s.bin), "17") >= 0 { // folds case beyond ASCII, the same with every C library
		args = append(args, "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
	}
	if s.opts.Fast {
		args = append(args, "--no-sync")
	}
	if out, err := s.acct.command(ctx, filepath.Join(s.bin, "initdb"), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("creating the private database failed: initdb: %w\n%s", err, tail(out))
	}
	conf, err := os.OpenFile(filepath.Join(tmp, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = conf.WriteString("\ninclude_if_exists = '../bor.conf'\n")
	if e := conf.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp, s.data)
}

// writeConf writes bor.conf, readable by the server's account.
func (s *Server) writeConf() error {
	f, err := s.acct.openFile(s.file("bor.conf"), os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(serverConf(s.run, s.opts.Fast))
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// serverConf is the server's configuration; run has no quotes in it (see odd).
// A fast server still survives a kill -9, but not a crash of the machine.
// Parallel maintenance is off because parallel HNSW builds of pgvector before
// 0.8.2 overflow a buffer (CVE-2026-3172); it also spares a small /dev/shm.
func serverConf(run string, fast bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# written at every start; to change a setting use ALTER SYSTEM
listen_addresses = ''
port = %s
unix_socket_directories = '"%s"'
unix_socket_permissions = 0700
cluster_name = '%s'
shared_buffers = 256MB
maintenance_work_mem = 256MB
max_parallel_maintenance_workers = 0
wal_level = minimal
max_wal_senders = 0
log_checkpoints = off
jit = off
`, port, run, appName)
	if fast {
		b.WriteString("max_connections = 300\nmax_wal_size = 512MB\nfsync = off\nfull_page_writes = off\n")
	} else {
		b.WriteString("max_connections = 100\nmax_wal_size = 2GB\n")
	}
	return b.String()
}
