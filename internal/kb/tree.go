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

// Folder is a folder with the number of documents in it and below it. Folders
// that hold nothing but one other folder are passed over: it is the first that
// has something to choose from.
type Folder struct {
	Path      string // inside the source, ends in a slash
	Documents int
	Summary   string // may be empty
}

// Entry is a document as a listing shows it.
type Entry struct {
	Path  string // inside the source
	Title string
}

// Listing is what a source or folder holds itself: its folders, then its
// documents, both by name.
type Listing struct {
	Folders       []Folder // the first ones
	Documents     []Entry  // the first ones
	FolderCount   int
	DocumentCount int
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
// rows: folders go before documents. ErrNotFound: there is no such source, or the
// folder holds nothing. The database counts; what comes from it is bounded by
// limit.
func (s *Store) List(ctx context.Context, source, folder string, limit int) (Listing, error) {
	id, folder, err := s.folder(ctx, source, folder)
	if err != nil {
		return Listing{}, err
	}
	counts, err := s.q.TreeCounts(ctx, db.TreeCountsParams{SourceID: id, Folder: folder})
	if err != nil {
		return Listing{}, fmt.Errorf("counting a folder: %w", err)
	}
	list := Listing{FolderCount: int(counts.Folders), DocumentCount: int(counts.Documents)}
	if list.Folders, err = s.folders(ctx, id, folder, limit); err != nil {
		return Listing{}, fmt.Errorf("listing folders: %w", err)
	}
	documents, err := s.q.TreeDocuments(ctx, db.TreeDocumentsParams{SourceID: id, Folder: folder, HowMany: int32(limit - len(list.Folders))})
	if err != nil {
		return Listing{}, fmt.Errorf("listing documents: %w", err)
	}
	for _, row := range documents {
		list.Documents = append(list.Documents, Entry{Path: row.Path, Title: row.Title})
	}
	return list, nil
}

// folders are the first ones in a folder, with their summaries.
func (s *Store) folders(ctx context.Context, source int64, folder string, limit int) ([]Folder, error) {
	rows, err := s.q.TreeFolders(ctx, db.TreeFoldersParams{SourceID: source, Folder: folder, HowMany: int32(limit)})
	if err != nil {
		return nil, err
	}
	folders, paths := make([]Folder, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		folders[i] = Folder{Path: folder + commonFolder(row.FirstPath, row.LastPath), Documents: int(row.Documents)}
		paths[i] = folders[i].Path
	}
	summaries, err := s.q.FolderSummaries(ctx, db.FolderSummariesParams{SourceID: source, Paths: paths})
	if err != nil {
		return nil, err
	}
	byPath := make(map[string]string, len(summaries))
	for _, row := range summaries {
		byPath[row.Path] = row.Summary
	}
	for i := range folders {
		folders[i].Summary = byPath[folders[i].Path]
	}
	return folders, nil
}

// commonFolder is the deepest folder that both paths are in, with its slash.
func commonFolder(a, b string) string {
	end := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			end = i + 1
		}
	}
	return a[:end]
}

// ClosestFolders is up to n folders and sources that look like the wanted one,
// the likeliest first, each as source/folder/ with its slash. It can be empty.
func (s *Store) ClosestFolders(ctx context.Context, wanted string, n int) ([]string, error) {
	wanted = strings.Trim(FirstChars(Storable(wanted), maxIdentity), "/ ")
	if wanted == "" {
		return nil, nil
	}
	names, err := s.q.ClosestFolders(ctx, db.ClosestFoldersParams{
		Wanted: wanted, HowMany: int32(n),
		Rest: wanted[strings.IndexByte(wanted, '/')+1:], Base: wanted[strings.LastIndexByte(wanted, '/')+1:],
	})
	if err != nil {
		return nil, fmt.Errorf("looking for similar folders: %w", err)
	}
	return names, nil
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
