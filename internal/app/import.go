package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"bor/db"
	"bor/internal/chunk"
	"bor/internal/config"
	"bor/internal/ingest"
	"bor/internal/source"
	"bor/sample"
)

// ImportOptions are what `bor import` was told.
type ImportOptions struct {
	Dirs        []string // none: every registered source that this host can read
	Names       []string // of the first folders, in the same order; the others have their own
	Ignore      []string // beginnings of paths to leave out
	Prune, JSON bool
	Out         io.Writer // the report
	Progress    io.Writer // a progress bar when it is a terminal
}

// Import indexes folders and prints what came of it.
func Import(ctx context.Context, c config.Config, o ImportOptions) error {
	var sources []ingest.Source
	for i, dir := range o.Dirs {
		s := ingest.Source{Dir: dir, Ignore: o.Ignore}
		if i < len(o.Names) {
			s.Name = o.Names[i]
		}
		sources = append(sources, s)
	}
	if err := errors.Join(gitFiles(c)...); err != nil {
		return err
	}
	database, err := OpenDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer database.Close()
	importer, err := newImporter(c, database.DB, NewModels(c))
	if err != nil {
		return err
	}
	bar := newProgressBar(o.Progress)
	report, err := importer.Run(ctx, sources, ingest.Options{Prune: o.Prune, Progress: bar.show})
	bar.clear()
	if report.State == "" {
		return err
	}
	if o.JSON {
		if e := writeJSON(o.Out, report); e != nil {
			return e
		}
	} else {
		for _, p := range report.Problems {
			fmt.Fprintf(o.Out, "%s/%s: %s\n", printable(p.Source), printable(p.Path), printable(p.Reason))
		}
		for _, n := range report.Notes {
			fmt.Fprintln(o.Out, printable(n))
		}
		fmt.Fprintln(o.Out, report.Line())
	}
	return err
}

// newImporter makes an importer and its registry as the settings say. The
// extensions were checked when they were read.
func newImporter(c config.Config, d *db.DB, m Models) (*ingest.Importer, error) {
	sources, err := newRegistry(c, d)
	if err != nil {
		return nil, err
	}
	extensions, names, _ := source.ParseExtensions(c.ImportExtensions)
	return ingest.New(ingest.Config{DB: d, Workers: c.EmbedConcurrency, Embedder: m.Embedder, Completer: m.Completer, Registry: sources, Open: opener(c, sources),
		Chunks: chunk.Options{TargetChars: c.ChunkTargetChars, OverlapChars: c.ChunkOverlap, MaxChars: c.ChunkMaxChars},
		Scope:  source.Scope{Extensions: extensions, Names: names, MaxFileBytes: c.MaxFileBytes, Images: c.AnswerImages}}), nil
}

// sampleName is the sample's source.
const sampleName = "homelab"

// importSample fills a knowledge base that has no source yet. Its failure isn't
// the end: the product is there, and the log says why it is empty.
func importSample(ctx context.Context, c config.Config, d *db.DB, m Models) error {
	sources, err := d.ListSources(ctx)
	if err != nil {
		return err
	}
	dir := filepath.Join(c.DataDir, "sample", sampleName)
	if len(sources) > 1 || len(sources) == 1 && sources[0].Name != sampleName {
		return nil
	}
	state, err := d.KBState(ctx)
	if err != nil {
		return err
	}
	if len(sources) == 1 && !state.Dirty && state.Generation > 0 {
		return nil
	}
	if err := sample.Write(dir); err != nil {
		return fmt.Errorf("the sample knowledge base can't be written: %w. Make BOR_DATA_DIR writable", err)
	}
	importer, err := newImporter(c, d, m)
	if err != nil {
		return err
	}
	importer.Log = slog.New(slog.DiscardHandler) // a line for each file would hide the address to open
	report, err := importer.Run(ctx, []ingest.Source{{Dir: dir, Name: sampleName}}, ingest.Options{})
	var running *ingest.RunningError
	switch {
	case errors.As(err, &running):
		slog.Info("another process is importing; the sample is left to it")
	case err != nil && ctx.Err() == nil:
		slog.Error("the sample knowledge base was not imported whole", "error", err)
	case err == nil:
		slog.Info("the sample knowledge base is in: " + strings.TrimPrefix(report.Line(), "import: "))
	}
	return ctx.Err()
}
