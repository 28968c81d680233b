package ingest

import (
	"context"
	"crypto/sha256"
	"path"
	"strings"

	"bor/db"
	"bor/internal/kb"
	"bor/internal/picture"
	"bor/internal/source"
)

// imageFile is what is kept of an image's file: its bytes without metadata (DEC28).
type imageFile struct {
	picture.Info
	sha256 [32]byte
	bytes  []byte
}

// newImage judges a file; the error says for people why it isn't indexed.
func newImage(name string, content []byte) (*imageFile, error) {
	info, err := picture.CheckNamed(name, content)
	if err != nil {
		return nil, err
	}
	bytes, err := picture.Strip(content)
	if err != nil {
		return nil, err
	}
	return &imageFile{info, sha256.Sum256(bytes), bytes}, nil
}

// imageTitle is a file's name without its extension.
func imageTitle(file string) string {
	base := path.Base(file)
	return kb.FirstChars(strings.TrimSuffix(base, path.Ext(base)), source.MaxTitleChars)
}

// putImage stores an image's bytes, which may be there already, for a document.
func putImage(ctx context.Context, q *db.Queries, document int64, i *imageFile) error {
	if err := q.PutImage(ctx, db.PutImageParams{Sha256: i.sha256[:], MediaType: string(i.Type),
		Width: int32(i.Width), Height: int32(i.Height), Bytes: i.bytes}); err != nil {
		return err
	}
	return q.SetDocumentImage(ctx, db.SetDocumentImageParams{ID: document, ImageSha256: i.sha256[:]})
}
