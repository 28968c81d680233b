// Package localpg is bor's own private PostgreSQL 17 with pgvector, for the
// machine that has no DATABASE_URL: no root, no compiler and no container is
// needed, and nothing on the system changes.
//
// Start finds a server that will do (PostgreSQL 15 or newer with pgvector 0.8
// and pg_trgm), or fetches Debian 13's packages once with apt, which checks the
// archive's signature, and unpacks them side by side. It makes a cluster, runs
// it, creates the role and database "bor" with the extensions, and takes a
// lease. Watch brings a killed server back. Stop gives the lease up; the last
// holder stops the server.
//
// # What it owns
//
// Everything lives in one folder, Options.Dir:
//
//	data/         the cluster (mode 0700, the server's account)
//	run/          the unix socket (mode 0700)
//	dist/         the fetched binaries, unless Options.DistDir names a shared place
//	bor.conf      settings, rewritten at every start; use ALTER SYSTEM for others
//	postgres.log  the server's log; over 16 MiB it becomes postgres.log.1 at a start
//	ctl.lock      held while the server is being started or stopped
//	users.lock    held, shared, by every process that uses the server
//
// Three things can stand elsewhere. A folder that the server's account cannot
// reach (/root is mode 0700), that we may not write, or whose name the server's
// programs cannot cope with is replaced by /var/lib/bor-pg/<hash> (root) or
// $XDG_STATE_HOME/bor-pg/<hash>, and the log says so. A socket path over 107
// bytes is replaced by /tmp/bor-pg-<uid>-<hash>, removed at the stop. apt's
// scratch files go to the temporary folder when apt could not cope with the
// path, for the duration of the fetch.
//
// # Invariants
//
//   - The server never runs as root: root drops to BOR_PG_USER, the owner of the
//     cluster, the owner of the folder, postgres, or nobody, in this order. It
//     runs in a session of its own, so Ctrl-C reaches the application only.
//   - dist and data are complete or absent: both are built beside their place and
//     renamed.
//   - It listens on the private socket and nowhere else; whoever may open the
//     socket is trusted.
//   - Leases are kernel file locks, so a killed process loses its own. What it
//     left running is adopted by the next Start and stopped by the last Stop.
//   - The settings of whoever starts the server count; later processes share it
//     as it is.
//   - An existing cluster is never replaced by an empty one because its folder
//     has become unreachable: that is an error.
//   - PG* variables describe other servers. Start removes them from the process's
//     environment, because a URL cannot override all of them (PGSERVICE).
//
// # What was rejected
//
// Compiling pgvector (needs root and a compiler), pinning a newer release into
// the system (replaces its C library), npm's embedded binaries (three sources
// mixed), PGlite behind a socket (COPY and NOTIFY fail), TCP with a password
// (other local users can reach it), and a process that outlives the application
// to stop the server (one more thing to go wrong; adoption is enough).
//
// Linux only, because process identity comes from /proc and exits are awaited
// through pidfds; elsewhere Start says what to do instead.
package localpg
