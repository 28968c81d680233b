package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"bor/db"
	"bor/internal/fault"
)

// Add registers a git or local source. What is wrong comes as FieldErrors.
func (r *Registry) Add(ctx context.Context, d Draft) (Source, error) {
	if err := r.check(&d); err != nil {
		return Source{}, err
	}
	host := ""
	if d.Kind == Local {
		host = r.Host
	}
	var added db.Source
	err := r.DB.Tx(ctx, func(q *db.Queries) error {
		if err := r.checkNew(ctx, q, d); err != nil {
			return err
		}
		var err error
		added, err = q.InsertSource(ctx, db.InsertSourceParams{Kind: string(d.Kind), Name: d.Name, Location: d.Location, Host: host,
			Branch: d.Branch, IgnorePaths: d.Ignore, AllowSecrets: d.AllowSecrets})
		return clash(err)
	})
	return sourceOf(added), wrap("registering a source", err)
}

// checkNew refuses a place that is a source already, and a name that is taken.
func (r *Registry) checkNew(ctx context.Context, q *db.Queries, d Draft) error {
	var have db.Source
	var err error
	if d.Kind == Local {
		have, err = q.LocalSource(ctx, db.LocalSourceParams{Host: r.Host, Location: d.Location})
	} else {
		have, err = q.GitSource(ctx, db.GitSourceParams{Location: d.Location, Branch: d.Branch})
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return checkFree(ctx, q, d.Name, 0)
	case err != nil:
		return err
	case have.RemovedAt != nil:
		return field("location", fmt.Sprintf("This is the source %q, which the next sync removes. Keep it instead, or sync first.", have.Name))
	case have.FromSettings:
		return field("location", fmt.Sprintf("This is the source %q already, by BOR_GIT_SOURCES. Take those sources into the registry to change them here.", have.Name))
	}
	return field("location", fmt.Sprintf("This is the source %q already.", have.Name))
}

// Edit changes a source's name, branch, ignored and allowed paths. They count from
// the next sync on.
func (r *Registry) Edit(ctx context.Context, id int64, d Draft) (Source, error) {
	var edited db.Source
	err := r.DB.Tx(ctx, func(q *db.Queries) error {
		have, err := row(ctx, q, id)
		if err != nil {
			return err
		}
		if have.FromSettings {
			return errFromSettings
		}
		if Kind(have.Kind) != Git {
			d.Branch = ""
		}
		if err := r.checkEdit(d, Kind(have.Kind)); err != nil {
			return err
		}
		if err := checkFree(ctx, q, d.Name, id); err != nil {
			return err
		}
		edited, err = q.UpdateSource(ctx, db.UpdateSourceParams{ID: id, Name: d.Name, Branch: d.Branch, IgnorePaths: d.Ignore, AllowSecrets: d.AllowSecrets})
		return clash(err)
	})
	return sourceOf(edited), wrap("changing a source", err)
}

// checkEdit looks at the fields that an edit has.
func (r *Registry) checkEdit(d Draft, kind Kind) error {
	wrong := FieldErrors{}
	var f FieldErrors
	if err := CheckName(d.Name); errors.As(err, &f) {
		wrong["name"] = f["name"]
	}
	for name, err := range map[string]error{"branch": r.checkBranch(d.Branch), "ignore": checkPaths(d.Ignore), "allow": checkPaths(d.AllowSecrets)} {
		if err != nil {
			wrong[name] = sentence(err.Error())
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

var errFromSettings = fault.New(fault.Conflict, "This source comes from BOR_GIT_SOURCES. Change it there, or take those sources into the registry first.")

// Remove marks a source: the next sync takes its documents away, and then it.
func (r *Registry) Remove(ctx context.Context, id int64) error {
	return wrap("removing a source", r.DB.Tx(ctx, func(q *db.Queries) error {
		have, err := row(ctx, q, id)
		if err != nil {
			return err
		}
		if have.FromSettings {
			return errFromSettings
		}
		_, err = q.MarkSourceRemoved(ctx, id)
		return err
	}))
}

// Keep takes a removal back, while no sync has carried it out.
func (r *Registry) Keep(ctx context.Context, id int64) error {
	n, err := r.DB.KeepSource(ctx, id)
	if err == nil && n == 0 {
		return errGone
	}
	return wrap("keeping a source", err)
}

// Adopt makes the sources that BOR_GIT_SOURCES names, while it serves, rows of the
// admin's own, so that more can be added beside them.
func (r *Registry) Adopt(ctx context.Context) error {
	return wrap("taking sources over", r.DB.Tx(ctx, func(q *db.Queries) error {
		list, err := r.fromSettings(ctx, q)
		if err != nil {
			return err
		}
		for _, s := range list {
			if err := q.AdoptGitSource(ctx, s.ID); err != nil {
				return err
			}
		}
		return nil
	}))
}

// clash explains what the database refused when another entry came first.
func clash(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23505" {
		if pg.ConstraintName == "sources_name_key" {
			return field("name", "Another source has just got this name. Choose another one.")
		}
		return field("location", "This place is a source already.")
	}
	return err
}

// wrap says what was being done when the database failed; faults stay as they are.
func wrap(doing string, err error) error {
	if err == nil || fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}
