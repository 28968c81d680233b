package localpg

import "fmt"

const (
	pgMajor   = "17"     // the major version that is fetched
	minMajor  = "15"     // the oldest server that is used when the system has one
	minVector = "0.8.0"  // halfvec came with 0.7, iterative index scans with 0.8
	suite     = "trixie" // the Debian release whose packages are fetched
	port      = "5432"   // only names the socket file; nothing listens on TCP
	appName   = "bor"    // the application's role and its database
)

// Options says where the private server lives and how it runs.
type Options struct {
	// Dir is the folder that everything lives in; it is made when missing.
	Dir string
	// DistDir is the folder of the fetched binaries; empty means Dir/dist.
	// Several Dirs may share one: it is filled once, under a lock beside it.
	DistDir string
	// BinDir forces the folder of the server's programs (BOR_PG_BINDIR).
	BinDir string
	// Mirror forces the Debian mirror to fetch from (BOR_PG_MIRROR); empty means
	// the one in this machine's apt sources.
	Mirror string
	// User forces the account that root runs the server as (BOR_PG_USER).
	User string
	// Fast gives up durability for speed (no fsync). Tests only: a crash of the
	// machine can lose the cluster; a kill -9 of the server cannot.
	Fast bool
	// Log receives progress lines without a line end, from several goroutines;
	// nil discards them.
	Log func(line string)
}

func (o Options) logf(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// needDatabase adds to err the other ways to give bor a database.
func needDatabase(err error) error {
	return fmt.Errorf(`%w
bor brings its own PostgreSQL when DATABASE_URL is not set, and could not do so here. Give it a database in one of these ways:
  - set DATABASE_URL=postgres://... to a PostgreSQL %s or newer with pgvector %s or newer
  - run "docker compose up -d" or "podman compose up -d", which brings a database too
  - install PostgreSQL and pgvector and start bor again: on Debian 13 or newer "apt-get install postgresql-17 postgresql-17-pgvector"
  - if they are installed in an unusual place, set BOR_PG_BINDIR to the folder that holds postgres, initdb and pg_config
  - on another system with apt, set BOR_PG_MIRROR to a Debian mirror`, err, minMajor, minVector)
}
