package app

import (
	"context"
	"fmt"
	"io"

	"bor/internal/config"
)

// Reembed makes new vectors with the configured embedder; searches use the old
// ones until the last is there (DEC21).
func Reembed(ctx context.Context, c config.Config, out, progress io.Writer) error {
	d, err := OpenDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer d.Close()
	m := NewModels(c)
	importer, err := newImporter(c, d.DB, m)
	if err != nil {
		return err
	}
	bar := newProgressBar(progress)
	err = importer.Reembed(ctx, bar.showVectors)
	bar.clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Every chunk has a vector of %s with %d numbers, and searches use them.\n", printable(m.Embedder.Model()), m.Embedder.Dimension())
	return nil
}
