package registry

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"bor/db"
	"bor/internal/fault"
)

// Plan is what a sync of everything has to do.
type Plan struct {
	Sync      []Source
	Remove    []Source // with their documents
	Elsewhere []Source // local sources of other hosts: left out
}

// Plan makes the rows that BOR_GIT_SOURCES wants, if it serves, and says what to
// sync and what to remove.
func (r *Registry) Plan(ctx context.Context) (Plan, error) {
	var p Plan
	err := r.DB.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.ListSources(ctx)
		if err != nil {
			return err
		}
		list := make([]Source, len(rows))
		for i, row := range rows {
			list[i] = sourceOf(row)
		}
		serve := r.settingsServe(list)
		for _, s := range list {
			switch {
			case s.Removed, s.FromSettings && (!serve || !slices.Contains(r.GitSources, s.Location)):
				p.Remove = append(p.Remove, s)
			case s.Kind == Local && s.Host != r.Host:
				p.Elsewhere = append(p.Elsewhere, s)
			case !s.FromSettings:
				p.Sync = append(p.Sync, s)
			}
		}
		if serve {
			made, err := r.fromSettings(ctx, q)
			if err != nil {
				return err
			}
			p.Sync = append(p.Sync, made...)
			slices.SortFunc(p.Sync, byName)
		}
		return nil
	})
	return p, wrap("planning a sync", err)
}

// fromSettings finds or makes the rows of the addresses in BOR_GIT_SOURCES. Nobody
// is there to choose a name that is free, so one is chosen.
func (r *Registry) fromSettings(ctx context.Context, q *db.Queries) ([]Source, error) {
	var list []Source
	for _, url := range r.GitSources {
		have, err := q.GitSource(ctx, db.GitSourceParams{Location: url})
		if errors.Is(err, pgx.ErrNoRows) {
			var name string
			if name, err = freeName(ctx, q, nameOf(url)); err == nil {
				have, err = q.InsertSource(ctx, db.InsertSourceParams{Kind: string(Git), Name: name, Location: url, FromSettings: true})
			}
		}
		if err != nil {
			return nil, err
		}
		if have.RemovedAt == nil && !slices.ContainsFunc(list, func(s Source) bool { return s.ID == have.ID }) {
			list = append(list, sourceOf(have))
		}
	}
	return list, nil
}

// Folder is a local directory that a command names.
type Folder struct {
	Dir    string   // absolute or relative to the working directory
	Name   string   // empty: what it is registered as, else the directory's own
	Ignore []string // beginnings of paths to leave out; nil keeps the registered ones
}

// Folders finds or makes the sources of directories on this host, all or none
// (DEC17). A directory is one source, whatever its name: another name renames it.
// A fault.Invalid says what is wrong.
func (r *Registry) Folders(ctx context.Context, folders []Folder) ([]Source, error) {
	var list []Source
	err := r.DB.Tx(ctx, func(q *db.Queries) error {
		for _, f := range folders {
			s, err := r.folder(ctx, q, f)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(list, func(other Source) bool { return other.ID == s.ID }) {
				return fault.New(fault.Invalid, fmt.Sprintf("The directory %q is named twice.", s.Location))
			}
			list = append(list, s)
		}
		return nil
	})
	return list, wrap("registering directories", err)
}

func (r *Registry) folder(ctx context.Context, q *db.Queries, f Folder) (Source, error) {
	dir, err := filepath.Abs(f.Dir)
	if err != nil {
		return Source{}, fmt.Errorf("finding the directory %q: %w", f.Dir, err)
	}
	if !utf8.ValidString(dir) || strings.ContainsRune(dir, 0) {
		return Source{}, fault.New(fault.Invalid, fmt.Sprintf("The directory's name %q isn't UTF-8. Rename it, or point a symbolic link with another name at it.", dir))
	}
	have, err := q.LocalSource(ctx, db.LocalSourceParams{Host: r.Host, Location: dir})
	known := err == nil
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Source{}, err
	}
	if !known { // a mistyped one isn't kept
		if err := checkDirectory(dir); err != nil {
			return Source{}, fault.New(fault.Invalid, fmt.Sprintf("That can't be a source: %v.", err))
		}
	}
	name := have.Name
	if f.Name != "" {
		name = f.Name
	} else if !known {
		name = filepath.Base(dir)
	}
	if name != have.Name {
		if err := CheckName(name); err != nil {
			return Source{}, err
		}
		if err := checkFree(ctx, q, name, have.ID); err != nil {
			return Source{}, err
		}
	}
	ignore := have.IgnorePaths
	if f.Ignore != nil {
		ignore = f.Ignore
	}
	switch {
	case !known:
		have, err = q.InsertSource(ctx, db.InsertSourceParams{Kind: string(Local), Name: name, Location: dir, Host: r.Host, IgnorePaths: ignore})
	case name != have.Name || !slices.Equal(ignore, have.IgnorePaths):
		have, err = q.UpdateSource(ctx, db.UpdateSourceParams{ID: have.ID, Name: name, IgnorePaths: ignore, AllowSecrets: have.AllowSecrets})
	}
	if err == nil && have.RemovedAt != nil { // whoever imports it wants it
		_, err = q.KeepSource(ctx, have.ID)
		have.RemovedAt = nil
	}
	return sourceOf(have), clash(err)
}
