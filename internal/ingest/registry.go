package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"bor/db"
	"bor/internal/fault"

	"github.com/jackc/pgx/v5"
)

// maxSourceName is the longest name of a source, in characters (SEC4).
const maxSourceName = 120

// Source is a local directory to import.
type Source struct {
	Dir    string   // absolute or relative to the working directory
	Name   string   // empty: what it is registered as, else the directory's own
	Ignore []string // prefixes of paths to leave out; nil keeps the registered ones
}

// place is a registered source.
type place struct {
	id     int64
	name   string
	dir    string
	ignore []string
}

// register finds or makes the rows of sources, all or none.
func (r *run) register(ctx context.Context, sources []Source) ([]place, error) {
	var places []place
	err := r.DB.Tx(ctx, func(q *db.Queries) error {
		if len(sources) == 0 {
			registered, err := r.registered(ctx, q)
			places = registered
			return err
		}
		for _, s := range sources {
			p, err := r.upsert(ctx, q, s)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(places, func(other place) bool { return other.id == p.id }) {
				return fault.New(fault.Invalid, fmt.Sprintf("The directory %q is named twice.", p.dir))
			}
			places = append(places, p)
		}
		return nil
	})
	return places, err
}

// registered are the local sources that this host can read.
func (r *run) registered(ctx context.Context, q *db.Queries) (places []place, err error) {
	rows, err := q.ListSources(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing sources: %w", err)
	}
	for _, row := range rows {
		if row.Kind == "local" && row.Host == r.Host {
			places = append(places, place{row.ID, row.Name, row.Location, row.IgnorePaths})
		}
	}
	return places, nil
}

// upsert makes a directory a source of this host (DEC17). A directory is one
// source, whatever its name: another name renames it. A name that another
// place has is refused.
func (r *run) upsert(ctx context.Context, q *db.Queries, s Source) (place, error) {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return place{}, fmt.Errorf("finding the directory %q: %w", s.Dir, err)
	}
	if !utf8.ValidString(dir) || strings.ContainsRune(dir, 0) {
		return place{}, fault.New(fault.Invalid, fmt.Sprintf("The directory's name %q isn't UTF-8. Rename it, or point a symbolic link with another name at it.", dir))
	}
	have, err := q.LocalSource(ctx, db.LocalSourceParams{Host: r.Host, Location: dir})
	known := err == nil
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return place{}, fmt.Errorf("looking for the source of %q: %w", dir, err)
	}
	p := place{have.ID, have.Name, dir, have.IgnorePaths}
	if !known || s.Name != "" {
		if p.name, err = chooseName(ctx, q, s.Name, dir, have.ID); err != nil {
			return place{}, err
		}
	}
	if s.Ignore != nil {
		p.ignore = s.Ignore
	}
	if !known {
		p.id, err = q.InsertSource(ctx, db.InsertSourceParams{Kind: "local", Name: p.name, Location: dir, Host: r.Host, IgnorePaths: orEmpty(p.ignore)})
	} else if p.name != have.Name || !slices.Equal(p.ignore, have.IgnorePaths) {
		err = q.UpdateSource(ctx, db.UpdateSourceParams{ID: p.id, Name: p.name, IgnorePaths: orEmpty(p.ignore)})
	}
	if err != nil {
		return place{}, fmt.Errorf("registering the source %q: %w", p.name, err)
	}
	return p, nil
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// chooseName checks the wanted name, or takes the directory's own. A source with
// id own may keep its name.
func chooseName(ctx context.Context, q *db.Queries, wanted, dir string, own int64) (string, error) {
	name := wanted
	if name == "" {
		name = filepath.Base(dir)
	}
	if err := CheckName(name); err != nil {
		return "", err
	}
	taken := func(name string) (bool, error) {
		row, err := q.SourceByName(ctx, name)
		if errors.Is(err, pgx.ErrNoRows) {
			return false, nil
		}
		return err == nil && row.ID != own, err
	}
	clash, err := taken(name)
	if err != nil || !clash {
		return name, err
	}
	suggestion := name
	for n := 2; clash && n < 100; n++ {
		suggestion = fmt.Sprintf("%s-%d", name, n)
		if clash, err = taken(suggestion); err != nil {
			return "", err
		}
	}
	return "", fault.New(fault.Conflict, fmt.Sprintf("Another place is already a source with the name %q, and two sources never share one. Choose another name, such as --name %s.", name, suggestion))
}

// CheckName says what is wrong with a source's name: it is the first part of
// every document's identity, so it has no slash.
func CheckName(name string) error {
	problem := ""
	switch n := utf8.RuneCountInString(name); {
	case name == "":
		problem = "it is empty"
	case n > maxSourceName:
		problem = fmt.Sprintf("it has %d characters, and %d is the limit", n, maxSourceName)
	case !utf8.ValidString(name):
		problem = "it isn't UTF-8"
	case strings.Contains(name, "/"):
		problem = "it has a slash"
	case strings.ContainsFunc(name, unicode.IsControl):
		problem = "it has a control character"
	case name != strings.TrimSpace(name):
		problem = "it begins or ends with white space"
	case name == "." || name == "..":
		problem = "it stands for a directory"
	default:
		return nil
	}
	return fault.New(fault.Invalid, fmt.Sprintf("%q can't be the name of a source: %s. Give one with --name.", name, problem))
}
