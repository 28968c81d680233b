package ingest

import (
	"context"
	"fmt"

	"bor/internal/fault"
	"bor/internal/registry"
	"bor/internal/source"
)

// Source is a local directory to import.
type Source = registry.Folder

// register finds or makes the rows of directories, all or none; with none it
// gives all that a sync reads, and what it removes.
func (r *run) register(ctx context.Context, folders []Source) (read, gone []registry.Source, err error) {
	if len(folders) > 0 {
		read, err = r.Registry.Folders(ctx, folders)
		return read, nil, err
	}
	plan, err := r.Registry.Plan(ctx)
	for _, s := range plan.Elsewhere {
		r.note("The source %q is the directory %s of the host %s, which only a process there can read; its documents stay as they are.", s.Name, s.Location, s.Host)
	}
	return plan.Sync, plan.Remove, err
}

// openLocal opens what needs no settings.
func openLocal(_ context.Context, s registry.Source, scope source.Scope) (source.Tree, error) {
	if s.Kind != registry.Local {
		return nil, fault.New(fault.Invalid, fmt.Sprintf("Sources of the kind %q can't be read here.", s.Kind))
	}
	return source.Local(s.Location, scope)
}
