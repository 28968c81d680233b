package ingest

import (
	"bytes"
	"context"
	"fmt"

	"bor/db"
	"bor/internal/registry"
	"bor/internal/source"
)

// Files are looked up in batches, each bounded by its number and its bytes of
// text, because they are in memory until it is known which have changed.
const (
	deltaFiles = 256
	deltaBytes = 8 << 20
)

// delta passes on the files that changed. It isn't safe for concurrent use.
type delta struct {
	*run
	*walk
	put   func(file) error
	batch []file
	bytes int
}

// take adds a file to the batch.
func (d *delta) take(ctx context.Context, f source.File) error {
	d.revision = f.Revision
	next := file{File: f}
	if f.Image != nil {
		var err error
		if next.image, err = newImage(f.Path, f.Image); err != nil {
			d.skip(source.Skip{Path: f.Path, Kind: source.KindNotImage, Reason: err.Error()})
			return nil
		}
		next.Image = nil
		d.bytes += len(next.image.bytes)
	}
	d.batch = append(d.batch, next)
	d.bytes += len(f.Text)
	if len(d.batch) < deltaFiles && d.bytes < deltaBytes {
		return nil
	}
	return d.flush(ctx)
}

// skip notes what the walk left out.
func (d *delta) skip(s source.Skip) {
	d.skips[s.Path] = s.Reason
	switch {
	case s.Kind.Transient():
		d.stays = append(d.stays, s.Path)
	case s.Kind == source.KindSecret:
		d.secret = append(d.secret, s.Path)
	}
	d.Log.Info("import: skipped", "source", d.Name, "path", s.Path, "reason", s.Reason)
	d.progress.tell(func(p *Progress) {
		p.Source, p.Current = d.Name, s.Path
		d.counts.Skipped++
		p.Skipped++
		if !counted(s) {
			p.byName++
		}
	})
}

// counted tells whether the walk's count of files has one that it leaves out: it
// judges by names alone.
func counted(s source.Skip) bool {
	switch s.Kind {
	case source.KindSecret:
		_, byName := source.Secret(s.Path, "")
		return !byName
	case source.KindBadName, source.KindLongPath, source.KindSymlink, source.KindSpecial:
		return false
	}
	return true
}

// flush looks the batch up: what is indexed with the same bytes is done with.
func (d *delta) flush(ctx context.Context) error {
	batch := d.batch
	d.batch, d.bytes = nil, 0
	if len(batch) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	paths := make([]string, len(batch))
	for i, f := range batch {
		paths[i] = f.Path
	}
	rows, err := d.DB.KnownDocuments(ctx, db.KnownDocumentsParams{SourceID: d.ID, Paths: paths})
	if err != nil {
		return fatal("looking up what is indexed", err)
	}
	known := make(map[string]db.KnownDocumentsRow, len(rows))
	for _, row := range rows {
		known[row.Path] = row
		d.seen.add(row.ID)
	}
	recipe := d.recipe(d.Source)
	var changed, unknown []file
	for _, f := range batch {
		d.count(func(r *Report) { r.Formats[formatOf(f.Path)]++ })
		row, found := known[f.Path]
		same := bytes.Equal(row.FileSha256, f.SHA256[:])
		switch {
		case !found:
			unknown = append(unknown, f)
		case same && row.Recipe == recipe:
			d.unchanged(f.File)
		case same:
			f.id, f.summary, f.edited = row.ID, row.Summary, row.SummaryEdited
			changed = append(changed, f)
		default:
			f.id = row.ID
			changed = append(changed, f)
		}
	}
	fresh, err := d.fresh(ctx, unknown)
	if err != nil {
		return err
	}
	for _, f := range append(changed, fresh...) {
		if err := d.put(f); err != nil {
			return err
		}
	}
	return nil
}

// fresh gives the files that are new. One with the content of a document whose
// file wasn't met yet may be that file under another name: it waits for the end
// of the walk, without its text, which the database has.
func (d *delta) fresh(ctx context.Context, unknown []file) (fresh []file, err error) {
	if len(unknown) == 0 {
		return nil, nil
	}
	sums := make([][]byte, len(unknown))
	for i, f := range unknown {
		sums[i] = f.SHA256[:]
	}
	rows, err := d.DB.DocumentsOfFiles(ctx, db.DocumentsOfFilesParams{SourceID: d.ID, Sums: sums})
	if err != nil {
		return nil, fatal("looking for moved files", err)
	}
	waiting := map[[32]byte]bool{}
	for _, row := range rows {
		if !d.seen.has(row.ID) {
			waiting[[32]byte(row.FileSha256)] = true
		}
	}
	for _, f := range unknown {
		if waiting[f.SHA256] {
			f.Text = ""
			if f.image != nil {
				f.image.bytes = nil
			}
			d.later = append(d.later, f)
		} else {
			fresh = append(fresh, f)
		}
	}
	return fresh, nil
}

func (d *delta) unchanged(f source.File) {
	d.Log.Debug("import: unchanged", "source", d.Name, "path", f.Path)
	d.event(d.walk, f.Path, func(c *Counts) { c.Unchanged++ })
}

// recipe tells how a source's documents are cut, tokenised and named: one that
// was made by another recipe is indexed anew.
func (im *Importer) recipe(p registry.Source) string {
	return fmt.Sprintf("%s, source %s", im.method, p.Name)
}

// settleMoves goes on with the files that waited. The first document with the
// same content whose file is gone moves, and keeps its id, so that links to it
// stay valid (ING3). Without one the file is a copy.
func (r *run) settleMoves(ctx context.Context, w *walk) error {
	if len(w.later) == 0 {
		return nil
	}
	if err := r.seeTransient(ctx, w); err != nil {
		return err
	}
	return r.pipeline(ctx, w, func(ctx context.Context, put func(file) error) error {
		for _, f := range w.later {
			rows, err := r.DB.DocumentsOfFiles(ctx, db.DocumentsOfFilesParams{SourceID: w.ID, Sums: [][]byte{f.SHA256[:]}})
			if err != nil {
				return fatal("looking for moved files", err)
			}
			if len(rows) == 0 {
				return fatal("looking for moved files", fmt.Errorf("the documents that %s may come from are gone", f.Path))
			}
			from := rows[0]
			for _, row := range rows {
				if !w.seen.has(row.ID) {
					from = row
					break
				}
			}
			known, err := r.DB.DocumentText(ctx, from.ID)
			if err == nil && f.image != nil {
				f.image.bytes, err = r.DB.DocumentImage(ctx, from.ID)
			}
			if err != nil {
				return fatal("reading a moved document", err)
			}
			f.Text = known.Content
			if !w.seen.has(from.ID) {
				f.id = from.ID
				if known.SummaryEdited {
					f.summary, f.edited = known.Summary, true
				}
				w.seen.add(from.ID)
			}
			if err := put(f); err != nil {
				return err
			}
		}
		return nil
	})
}
