package app

import (
	"context"
	"fmt"

	"bor/db"
	"bor/internal/config"
	"bor/internal/fault"
	"bor/internal/ingest"
	"bor/internal/registry"
	"bor/internal/source"
	"bor/internal/source/git"
)

// newRegistry makes the list of sources as the settings say.
func newRegistry(c config.Config, d *db.DB) (*registry.Registry, error) {
	return registry.New(registry.Config{DB: d, GitSources: c.GitSources, MaxUpload: c.UploadMaxBytes,
		CheckGitURL:    func(url string) error { return git.CheckURL(url, c.Git.AllowLocal) },
		CheckGitBranch: git.CheckBranch})
}

// opener opens registered sources as the settings say.
func opener(c config.Config) ingest.Opener {
	return func(ctx context.Context, s registry.Source, scope source.Scope) (source.Tree, error) {
		switch s.Kind {
		case registry.Local:
			return source.Local(s.Location, scope)
		case registry.Git:
			return git.Open(ctx, git.Remote{URL: s.Location, Branch: s.Branch}, GitOptions(c, scope))
		}
		return nil, fault.New(fault.Invalid, fmt.Sprintf("Sources of the kind %q can't be read by this version.", s.Kind))
	}
}
