package app

import (
	"github.com/jackc/pgx/v5/pgxpool"

	"bor/internal/config"
	"bor/internal/kb"
	"bor/internal/source"
	"bor/internal/source/git"
)

// GitHelper does what the git program started bor for, if it did; main exits with
// the code then.
func GitHelper() (code int, ok bool) { return git.Helper() }

// GitOptions is how git sources are read, by the settings; the scope's ignored
// paths are each source's own.
func GitOptions(c config.Config, scope source.Scope) git.Options {
	return git.Options{
		CacheDir: c.SourcesDir,
		Scope:    scope,
		Access: git.Access{Tokens: c.Git.Tokens, KeyFile: c.Git.SSHKeyFile, KnownHostsFile: c.Git.SSHKnownHosts,
			CAFile: c.Git.CAFile, AllowLocal: c.Git.AllowLocal},
		Limits: git.Limits{MaxBytes: c.Git.MaxBytes, Timeout: c.Git.Timeout, Idle: c.Git.Idle},
	}
}

// newStore reads documents, with links to the forges that the settings name.
func newStore(c config.Config, pool *pgxpool.Pool) *kb.Store {
	store := kb.NewStore(pool)
	store.Forges = c.Forges
	return store
}
