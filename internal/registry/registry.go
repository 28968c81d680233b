// Package registry owns the list of sources: where the knowledge base's documents
// come from (ING1). Its rows are the truth that every sync follows; it validates
// what people enter, keeps the bytes of uploaded archives, and plans what a sync
// has to do. It reads no source and indexes nothing.
//
// Invariants:
//   - Two sources never share a name, nor a place.
//   - Removing a source only marks it; the next sync takes its documents away and
//     then the row, because they are counted in many places.
//   - An archive's bytes are all there or not at all, and never whole in memory.
//   - No credential is stored: an address that holds one is refused.
//   - BOR_GIT_SOURCES serves while the admin has registered no git source (DEC17).
//
// Rejected: files on disk for uploads (other processes couldn't read them), and
// large objects (no part of backups by table, and permissions of their own).
package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"bor/db"
	"bor/internal/fault"
)

// Kind is what a source is.
type Kind string

// The kinds that can be registered.
const (
	Git     Kind = "git"
	Local   Kind = "local"
	Archive Kind = "archive"
)

// Source is a registered source.
type Source struct {
	ID           int64 // 0: named by BOR_GIT_SOURCES and not synced yet
	Kind         Kind
	Name         string
	Location     string // a git address, a directory, or an archive's file name
	Host         string // that a local source lies on (DEC17)
	Branch       string // of a git source; empty: the remote's own
	Ignore       []string
	AllowSecrets []string // exact paths indexed although they are secrets (SEC3)
	FromSettings bool     // by BOR_GIT_SOURCES
	Removed      bool     // the next sync removes it with its documents
	Upload       *Upload  // of an archive

	Documents int
	Skipped   int       // files that the last sync left out
	Revision  string    // commit that was synced last
	Synced    time.Time // when a sync of it last succeeded; zero: never
	LastRun   time.Time // when a sync of it last ended, however; zero: never
	Last      Outcome   // of that
}

// Upload is an archive's file.
type Upload struct {
	FileName string
	Bytes    int64
	SHA256   []byte
	At       time.Time
}

// Outcome is what a sync did with a source, as its row keeps it.
type Outcome struct {
	State     string `json:"state,omitempty"` // done, failed, stopped; empty: never synced
	Error     string `json:"error,omitempty"`
	Files     int    `json:"files"`
	Added     int    `json:"added"`
	Updated   int    `json:"updated"`
	Unchanged int    `json:"unchanged"`
	Pruned    int    `json:"pruned"`
	Skipped   int    `json:"skipped"`
	Errors    int    `json:"errors"`
}

// Config is what a registry is made of.
type Config struct {
	DB             *db.DB
	Host           string                       // of local sources; empty: the machine's name
	GitSources     []string                     // BOR_GIT_SOURCES
	MaxUpload      int64                        // bytes of an archive's file; 0: no limit
	CheckGitURL    func(url string) error       // nil: only what every address must fulfil
	CheckGitBranch func(branch string) error    // likewise
	CheckArchive   func(fileStart []byte) error // judges the first bytes of an upload; nil: anything goes
}

// Registry is the list of sources. It is safe for concurrent use.
type Registry struct{ Config }

// New makes a registry. An address in BOR_GIT_SOURCES that can't be one is an error.
func New(c Config) (*Registry, error) {
	if c.Host == "" {
		c.Host, _ = os.Hostname() // without a name all hosts are one
	}
	r := &Registry{c}
	for _, url := range c.GitSources {
		if err := r.checkURL(url); err != nil {
			return nil, fmt.Errorf("setting BOR_GIT_SOURCES: an address can't be used: %w", err)
		}
	}
	return r, nil
}

// List gives all sources by name, those of BOR_GIT_SOURCES that wait for their
// first sync at the end.
func (r *Registry) List(ctx context.Context) ([]Source, error) {
	rows, err := r.DB.ListSources(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing sources: %w", err)
	}
	list := make([]Source, len(rows))
	for i, row := range rows {
		list[i] = sourceOf(row)
	}
	if err := r.addCounts(ctx, list); err != nil {
		return nil, err
	}
	if r.settingsServe(list) {
		for i := range list {
			if list[i].FromSettings && !slices.Contains(r.GitSources, list[i].Location) {
				list[i].Removed = true
			}
		}
		for _, url := range r.GitSources {
			if !slices.ContainsFunc(list, func(s Source) bool { return s.Kind == Git && s.Location == url }) {
				list = append(list, Source{Kind: Git, Name: nameOf(url), Location: url, FromSettings: true})
			}
		}
		return list, nil
	}
	for i := range list {
		list[i].Removed = list[i].Removed || list[i].FromSettings
	}
	return list, nil
}

// settingsServe tells whether BOR_GIT_SOURCES counts: while there is no git row of
// the admin's.
func (r *Registry) settingsServe(list []Source) bool {
	return !slices.ContainsFunc(list, func(s Source) bool { return s.Kind == Git && !s.FromSettings && !s.Removed })
}

func (r *Registry) addCounts(ctx context.Context, list []Source) error {
	documents, err := r.DB.CountDocuments(ctx)
	if err != nil {
		return fmt.Errorf("counting documents: %w", err)
	}
	skipped, err := r.DB.CountSkipped(ctx)
	if err != nil {
		return fmt.Errorf("counting skipped files: %w", err)
	}
	archives, err := r.DB.ListArchives(ctx)
	if err != nil {
		return fmt.Errorf("listing archives: %w", err)
	}
	byID := make(map[int64]*Source, len(list))
	for i := range list {
		byID[list[i].ID] = &list[i]
	}
	for _, row := range documents {
		if s := byID[row.SourceID]; s != nil {
			s.Documents = int(row.Documents)
		}
	}
	for _, row := range skipped {
		if s := byID[row.SourceID]; s != nil {
			s.Skipped = int(row.Files)
		}
	}
	for _, row := range archives {
		if s := byID[row.SourceID]; s != nil {
			s.Upload = &Upload{FileName: row.FileName, Bytes: row.Bytes, SHA256: row.Sha256, At: row.UploadedAt}
		}
	}
	return nil
}

// Get is one source, with what List tells of it, or a fault.NotFound.
func (r *Registry) Get(ctx context.Context, id int64) (Source, error) {
	list, err := r.List(ctx)
	if err != nil {
		return Source{}, err
	}
	for _, s := range list {
		if s.ID == id && id != 0 {
			return s, nil
		}
	}
	return Source{}, errGone
}

var errGone = fault.New(fault.NotFound, "There is no such source. It may have been removed meanwhile.")

func sourceOf(row db.Source) Source {
	s := Source{ID: row.ID, Kind: Kind(row.Kind), Name: row.Name, Location: row.Location, Host: row.Host, Branch: row.Branch,
		Ignore: row.IgnorePaths, AllowSecrets: row.AllowSecrets, FromSettings: row.FromSettings, Removed: row.RemovedAt != nil,
		Revision: row.Revision, Synced: timeOf(row.SyncedAt), LastRun: timeOf(row.LastRunAt)}
	json.Unmarshal(row.LastReport, &s.Last) // one that can't be read tells nothing
	return s
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// Skipped is a file that a sync left out.
type Skipped struct {
	Path, Reason string
}

// SkippedFiles lists what the syncs of a source left out and why, by path.
func (r *Registry) SkippedFiles(ctx context.Context, id int64) ([]Skipped, error) {
	rows, err := r.DB.ListSkippedFiles(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("listing skipped files: %w", err)
	}
	list := make([]Skipped, len(rows))
	for i, row := range rows {
		list[i] = Skipped(row)
	}
	return list, nil
}

// Record keeps what a sync did with a source; revision is the commit that it read.
func (r *Registry) Record(ctx context.Context, id int64, o Outcome, revision string) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return r.DB.RecordSync(ctx, db.RecordSyncParams{ID: id, Report: data, Done: o.State == "done", Revision: revision})
}

// row reads a source's row for a change.
func row(ctx context.Context, q *db.Queries, id int64) (db.Source, error) {
	have, err := q.SourceByID(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return have, errGone
	}
	if err != nil {
		return have, fmt.Errorf("reading a source: %w", err)
	}
	return have, nil
}

// byName orders sources as lists do.
func byName(a, b Source) int { return cmp.Compare(a.Name, b.Name) }
