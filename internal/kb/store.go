package kb

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"bor/db"
	"bor/internal/forge"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNotFound says that no document, folder or source has the name.
var ErrNotFound = errors.New("not in the knowledge base")

// ErrImage says that a document has no text, because it is an image.
var ErrImage = errors.New("an image, not text")

// Store reads the knowledge base. It writes nothing and is safe for concurrent
// use. Secrets need no filter here: import never stores them (SEC3).
type Store struct {
	Forges forge.Hosts // what hosts of git sources run, where their names don't tell

	pool *pgxpool.Pool
	q    *db.Queries
}

// NewStore makes a store over the pool.
func NewStore(pool *pgxpool.Pool) *Store {
	return &Store{pool: pool, q: db.New(pool)}
}

// ByIdentity is the document named source/path, or ErrNotFound.
func (s *Store) ByIdentity(ctx context.Context, identity string) (Document, error) {
	source, path, ok := SplitIdentity(identity)
	if !ok {
		return Document{}, ErrNotFound
	}
	return s.ByPath(ctx, source, path)
}

// ByPath is the document at path in source, or ErrNotFound. Both have to match
// exactly: a name that PostgreSQL can't hold names nothing.
func (s *Store) ByPath(ctx context.Context, source, path string) (Document, error) {
	if Storable(source) != source || Storable(path) != path {
		return Document{}, ErrNotFound
	}
	row, err := s.q.DocumentByPath(ctx, db.DocumentByPathParams{Source: source, Path: path})
	if errors.Is(err, pgx.ErrNoRows) {
		return Document{}, ErrNotFound
	}
	if err != nil {
		return Document{}, fmt.Errorf("reading a document: %w", err)
	}
	return s.document(db.DocumentsByIDsRow(row)), nil
}

// ByIDs gives the documents in the order of ids; ids that don't exist are left
// out.
func (s *Store) ByIDs(ctx context.Context, ids []int64) ([]Document, error) {
	rows, err := s.q.DocumentsByIDs(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("reading documents: %w", err)
	}
	byID := make(map[int64]Document, len(rows))
	for _, row := range rows {
		byID[row.ID] = s.document(row)
	}
	docs := make([]Document, 0, len(rows))
	for _, id := range ids {
		if d, ok := byID[id]; ok {
			docs = append(docs, d)
		}
	}
	return docs, nil
}

// ImageBytes are the bytes of an image that a document or a record refers to, and
// their media type; ErrNotFound when they aren't kept.
func (s *Store) ImageBytes(ctx context.Context, sha256 string) (bytes []byte, mediaType string, err error) {
	sum, err := hex.DecodeString(sha256)
	if err != nil {
		return nil, "", ErrNotFound
	}
	row, err := s.q.GetImage(ctx, sum)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, "", ErrNotFound
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading an image: %w", err)
	}
	return row.Bytes, row.MediaType, nil
}

// Closest is up to n identities that look like the wanted one, the likeliest
// first: for a bare or mistyped path. It can be empty.
func (s *Store) Closest(ctx context.Context, wanted string, n int) ([]string, error) {
	wanted = strings.Trim(FirstChars(Storable(wanted), maxIdentity), "/ ")
	if wanted == "" {
		return nil, nil
	}
	names, err := s.q.ClosestIdentities(ctx, db.ClosestIdentitiesParams{
		Wanted: wanted, HowMany: int32(n),
		Rest: wanted[strings.IndexByte(wanted, '/')+1:], Base: wanted[strings.LastIndexByte(wanted, '/')+1:],
	})
	if err != nil {
		return nil, fmt.Errorf("looking for similar documents: %w", err)
	}
	return names, nil
}

// maxIdentity is the length of the longest identity in characters: a source's
// name of 120, a slash, and a path of 1000 (SEC4).
const maxIdentity = 120 + 1 + 1000

func (s *Store) document(row db.DocumentsByIDsRow) Document {
	var date time.Time
	if row.DocumentDate != nil {
		date = *row.DocumentDate
	}
	return Document{
		ID: row.ID, Source: row.Source, Path: row.Path, Kind: row.Kind, Title: row.Title,
		Content: row.Content, Encoding: row.Encoding, Revision: row.Revision, Remote: row.Remote, Date: date, forges: s.Forges,
		Summary: row.Summary, SummaryEdited: row.SummaryEdited, Lines: int(row.LineCount), Chars: int(row.CharCount), Indexed: row.IndexedAt,
		Image: Image{SHA256: hex.EncodeToString(row.ImageSha256), Type: row.ImageType, Width: int(row.ImageWidth), Height: int(row.ImageHeight)},
	}
}
