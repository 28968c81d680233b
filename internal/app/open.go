package app

import (
	"context"
	"fmt"
	"log/slog"

	"bor/db"
	"bor/internal/config"
	"bor/internal/fault"
	"bor/internal/ingest"
	"bor/internal/registry"
	"bor/internal/source"
	"bor/internal/source/archive"
	"bor/internal/source/git"
)

// newRegistry makes the list of sources as the settings say.
func newRegistry(c config.Config, d *db.DB) (*registry.Registry, error) {
	return registry.New(registry.Config{DB: d, GitSources: c.GitSources, MaxUpload: c.UploadMaxBytes,
		CheckGitURL:    func(url string) error { return git.CheckURL(url, c.Git.AllowLocal) },
		CheckGitBranch: git.CheckBranch,
		CheckArchive: func(start []byte) error {
			_, err := archive.Sniff(start[:min(len(start), archive.SniffBytes)])
			return err
		}})
}

// opener opens registered sources as the settings say.
func opener(c config.Config, sources *registry.Registry) ingest.Opener {
	return func(ctx context.Context, s registry.Source, scope source.Scope) (source.Tree, error) {
		switch s.Kind {
		case registry.Local:
			return source.Local(s.Location, scope)
		case registry.Git:
			return git.Open(ctx, git.Remote{URL: s.Location, Branch: s.Branch}, GitOptions(c, scope))
		case registry.Archive:
			file, err := sources.OpenArchive(ctx, s.ID)
			if err != nil {
				return nil, err
			}
			return archive.Open(ctx, file, file.Size(), scope, archive.DefaultLimits(c.UploadMaxBytes))
		}
		return nil, fault.New(fault.Invalid, fmt.Sprintf("Sources of the kind %q can't be read by this version.", s.Kind))
	}
}

// sweepCopies removes the copies of repositories that are no sources any more, as
// far as nobody reads them. That it fails costs disk space only.
func sweepCopies(ctx context.Context, c config.Config, sources *registry.Registry) {
	list, err := sources.List(ctx)
	if err == nil {
		var keep []git.Remote
		for _, s := range list {
			if s.Kind == registry.Git {
				keep = append(keep, git.Remote{URL: s.Location, Branch: s.Branch})
			}
		}
		err = git.Sweep(c.SourcesDir, keep)
	}
	if err != nil && ctx.Err() == nil {
		slog.Warn("copies of repositories that are no sources any more weren't removed", "error", err)
	}
}
