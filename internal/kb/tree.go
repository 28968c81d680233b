package kb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bor/db"

	"github.com/jackc/pgx/v5"
)

// Source is a source as ls shows it.
type Source struct {
	Name      string
	Summary   string
	Documents int
}

// Folder is a folder with the number of documents in it and below it.
type Folder struct {
	Path      string // inside the source, ends in a slash
	Documents int
}

// Entry is a document as a listing shows it.
type Entry struct {
	Path  string // inside the source
	Title string
}

// Listing is what a source or folder holds: its folders, then its documents,
// both by name.
type Listing struct {
	Folders   []Folder
	Documents []Entry // the first ones
	Total     int     // of the documents
}

// Sources lists all sources by name, empty ones too.
func (s *Store) Sources(ctx context.Context) ([]Source, error) {
	rows, err := s.q.TreeSources(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing sources: %w", err)
	}
	sources := make([]Source, len(rows))
	for i, row := range rows {
		sources[i] = Source{Name: row.Name, Summary: row.Summary, Documents: int(row.Documents)}
	}
	return sources, nil
}

// List gives a source's top (folder "") or one of its folders, with up to limit
// documents. ErrNotFound: there is no such source, or the folder holds nothing.
func (s *Store) List(ctx context.Context, source, folder string, limit int) (Listing, error) {
	id, folder, err := s.folder(ctx, source, folder)
	if err != nil {
		return Listing{}, err
	}
	folders, err := s.q.TreeFolders(ctx, db.TreeFoldersParams{SourceID: id, Folder: folder})
	if err != nil {
		return Listing{}, fmt.Errorf("listing folders: %w", err)
	}
	documents, err := s.q.TreeDocuments(ctx, db.TreeDocumentsParams{SourceID: id, Folder: folder, HowMany: int32(limit)})
	if err != nil {
		return Listing{}, fmt.Errorf("listing documents: %w", err)
	}
	var list Listing
	for _, row := range folders {
		list.Folders = append(list.Folders, Folder{Path: folder + row.Name + "/", Documents: int(row.Documents)})
	}
	for _, row := range documents {
		list.Documents = append(list.Documents, Entry{Path: row.Path, Title: row.Title})
		list.Total = int(row.Total)
	}
	return list, nil
}

// folder finds a source and a folder in it, and gives the folder's prefix: empty
// for the source's top, else with a slash at its end.
func (s *Store) folder(ctx context.Context, source, folder string) (id int64, prefix string, err error) {
	if Storable(source) != source || Storable(folder) != folder {
		return 0, "", ErrNotFound
	}
	id, err = s.q.SourceID(ctx, source)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, "", ErrNotFound
	}
	if err != nil {
		return 0, "", fmt.Errorf("looking for a source: %w", err)
	}
	prefix = strings.Trim(folder, "/")
	if prefix == "" {
		return id, "", nil
	}
	prefix += "/"
	exists, err := s.q.FolderExists(ctx, db.FolderExistsParams{SourceID: id, Folder: prefix})
	if err != nil {
		return 0, "", fmt.Errorf("looking for a folder: %w", err)
	}
	if !exists {
		return 0, "", ErrNotFound
	}
	return id, prefix, nil
}
