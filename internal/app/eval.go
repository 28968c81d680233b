package app

import (
	"context"
	"fmt"
	"io"

	"bor/internal/config"
	"bor/internal/retrieval"
)

// EvalOptions are what `bor eval` was told.
type EvalOptions struct {
	Question, Set string
	JSON          bool
	Out           io.Writer
}

// Eval shows how one question is retrieved.
func Eval(ctx context.Context, c config.Config, o EvalOptions) error {
	d, err := OpenDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer d.Close()
	search := retrieval.New(d.DB, NewModels(c).Embedder, retrieval.Options{TopDocs: c.TopDocs, Threshold: c.RelevanceThreshold})
	r, err := search.Search(ctx, o.Question)
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.Out, r)
	}
	fmt.Fprintln(o.Out, r)
	return nil
}
