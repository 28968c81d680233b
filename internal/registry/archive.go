package registry

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"bor/db"
	"bor/internal/fault"
)

const (
	partBytes  = 1 << 20 // of a row of an archive
	sniffBytes = 4 << 10 // of a file's start that judge what it is
	keptParts  = 8       // that a reader has in memory
)

// File is an archive that is being uploaded.
type File struct {
	Source int64     // whose file it replaces; 0: a new source
	Name   string    // of the new source; empty: the file's own
	File   string    // its file name, of which only the last part counts
	Body   io.Reader // read once, never whole in memory
}

// Upload stores an archive and registers it; the next sync reads it. A file that
// is too large, empty or no archive comes back as FieldErrors, and nothing of it
// stays; neither does it when reading Body fails.
func (r *Registry) Upload(ctx context.Context, f File) (Source, error) {
	f.File = strings.ToValidUTF8(filepath.Base(strings.ReplaceAll(f.File, `\`, "/")), "�")
	if f.Name == "" && f.Source == 0 {
		f.Name = archiveName(f.File)
	}
	if err := r.checkUpload(ctx, r.DB.Queries, f); err != nil {
		return Source{}, err
	}
	body := bufio.NewReaderSize(whole{f.Body}, sniffBytes)
	start, err := body.Peek(sniffBytes)
	switch {
	case len(start) == 0 && errors.Is(err, io.EOF):
		return Source{}, field("file", "Choose a file: this one is empty, or none was chosen.")
	case err != nil && !errors.Is(err, io.EOF):
		return Source{}, errCut(err)
	}
	if r.CheckArchive != nil {
		if err := r.CheckArchive(start); err != nil {
			return Source{}, field("file", sentence(err.Error()))
		}
	}
	// Of its own: a slow upload holds a connection for long.
	conn, err := r.DB.Connect(ctx)
	if err != nil {
		return Source{}, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var stored db.Source
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		stored, err = r.store(ctx, db.New(tx), f, body)
		return err
	})
	return sourceOf(stored), wrap("storing an archive", err)
}

// checkUpload looks at all but the bytes.
func (r *Registry) checkUpload(ctx context.Context, q *db.Queries, f File) error {
	if f.Source == 0 {
		if err := CheckName(f.Name); err != nil {
			return err
		}
		return checkFree(ctx, q, f.Name, 0)
	}
	have, err := row(ctx, q, f.Source)
	if err == nil && Kind(have.Kind) != Archive {
		return fault.New(fault.Invalid, fmt.Sprintf("The source %q isn't an archive, so no file can take its place.", have.Name))
	}
	return err
}

// store writes the parts first and the names last, so that nobody waits for a
// name as long as the bytes take.
func (r *Registry) store(ctx context.Context, q *db.Queries, f File, body io.Reader) (stored db.Source, err error) {
	version, err := q.NextArchiveVersion(ctx)
	if err != nil {
		return stored, err
	}
	size, sum := int64(0), sha256.New()
	part := make([]byte, partBytes)
	for number := int32(0); ; number++ {
		n, err := io.ReadFull(body, part)
		if size += int64(n); r.MaxUpload > 0 && size > r.MaxUpload {
			return stored, field("file", fmt.Sprintf("The file is larger than %d MB, which is the limit (BOR_UPLOAD_MAX_MB). Nothing of it was kept.", r.MaxUpload>>20))
		}
		if n > 0 {
			sum.Write(part[:n])
			if err := q.PutArchivePart(ctx, db.PutArchivePartParams{Version: version, Number: number, Bytes: part[:n]}); err != nil {
				return stored, err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return stored, errCut(err)
		}
	}
	if err := r.checkUpload(ctx, q, f); err != nil {
		return stored, err
	}
	if f.Source == 0 {
		stored, err = q.InsertSource(ctx, db.InsertSourceParams{Kind: string(Archive), Name: f.Name, Location: f.File})
	} else if stored, err = q.MoveArchive(ctx, db.MoveArchiveParams{ID: f.Source, Location: f.File}); err == nil {
		err = q.DeleteArchive(ctx, f.Source)
	}
	if err != nil {
		return stored, clash(err)
	}
	return stored, q.PutArchive(ctx, db.PutArchiveParams{SourceID: stored.ID, Version: version, FileName: f.File, Bytes: size, Sha256: sum.Sum(nil)})
}

// whole tells a form that ends within the file from the file's end: io.ReadFull
// has the same error for both.
type whole struct{ io.Reader }

var errTruncated = errors.New("the form ends within the file")

func (w whole) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errTruncated
	}
	return n, err
}

// errCut is an upload that didn't arrive.
func errCut(err error) error {
	return fault.Wrap(fault.Invalid, "The upload was cut off before its end, so nothing of it was kept. Send it again.", err)
}

// Reader reads an archive's bytes where they lie. It is safe for one goroutine.
type Reader struct {
	Upload
	ctx     context.Context // of the sync that reads
	db      *db.DB
	version int64
	parts   []keptPart // the latest last
}

type keptPart struct {
	number int64
	bytes  []byte
}

// OpenArchive reads the archive of a source. ctx holds for all reads. When another
// file takes its place meanwhile, reads fail.
func (r *Registry) OpenArchive(ctx context.Context, id int64) (*Reader, error) {
	row, err := r.DB.ArchiveOf(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "The archive's file isn't there. Upload it again.")
	}
	if err != nil {
		return nil, fmt.Errorf("opening an archive: %w", err)
	}
	return &Reader{Upload: Upload{FileName: row.FileName, Bytes: row.Bytes, SHA256: row.Sha256, At: row.UploadedAt},
		ctx: ctx, db: r.DB, version: row.Version}, nil
}

// Size is the number of bytes.
func (a *Reader) Size() int64 { return a.Bytes }

// ReadAt implements io.ReaderAt.
func (a *Reader) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("reading an archive before its start")
	}
	for n < len(p) {
		if off >= a.Bytes {
			return n, io.EOF
		}
		part, err := a.part(off / partBytes)
		if err != nil {
			return n, err
		}
		within := off % partBytes
		if within >= int64(len(part)) {
			return n, io.ErrUnexpectedEOF
		}
		got := copy(p[n:], part[within:])
		n += got
		off += int64(got)
	}
	return n, nil
}

func (a *Reader) part(number int64) ([]byte, error) {
	for i, k := range a.parts {
		if k.number == number {
			a.parts = append(append(a.parts[:i:i], a.parts[i+1:]...), k)
			return k.bytes, nil
		}
	}
	bytes, err := a.db.ArchivePart(a.ctx, db.ArchivePartParams{Version: a.version, Number: int32(number)})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errors.New("another file has taken the archive's place while it was read; the next sync reads that")
	}
	if err != nil {
		return nil, fmt.Errorf("reading an archive: %w", err)
	}
	if len(a.parts) == keptParts {
		a.parts = a.parts[1:]
	}
	a.parts = append(a.parts, keptPart{number, bytes})
	return bytes, nil
}
