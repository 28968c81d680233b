package app

import (
	"context"
	"fmt"
	"io"
	"os"

	"bor/internal/config"
	"bor/internal/retrieval"
)

// EvalOptions are what `bor eval` was told.
type EvalOptions struct {
	Question  string   // a question, or
	Set       string   // a file of labelled ones
	Threshold *float64 // of a second configuration to compare the set with
	Weight    *float64 // likewise
	JSON      bool
	Out       io.Writer
}

// evaluation is what an evaluation gives: text for people, or JSON.
type evaluation interface{ WriteText(io.Writer) error }

// Eval shows how one question is retrieved, or measures a set of them and, when
// told another threshold or weight, sets the two beside each other (RET3).
func Eval(ctx context.Context, c config.Config, o EvalOptions) error {
	d, err := OpenDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer d.Close()
	options := retrieval.Options{TopDocs: c.TopDocs, Threshold: c.RelevanceThreshold}
	embedder := NewModels(c).Embedder
	var result evaluation
	if o.Question != "" {
		result, err = retrieval.New(d.DB, embedder, options).Search(ctx, o.Question)
	} else {
		result, err = evalSet(ctx, o, options, func(options retrieval.Options) *retrieval.Searcher {
			return retrieval.New(d.DB, embedder, options)
		})
	}
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.Out, result)
	}
	return result.WriteText(o.Out)
}

func evalSet(ctx context.Context, o EvalOptions, options retrieval.Options, searcher func(retrieval.Options) *retrieval.Searcher) (evaluation, error) {
	run := func(options retrieval.Options) (retrieval.Report, error) {
		f, err := os.Open(o.Set)
		if err != nil {
			return retrieval.Report{}, fmt.Errorf("the set of questions can't be read: %w", err)
		}
		defer f.Close()
		return searcher(options).EvalSet(ctx, f)
	}
	report, err := run(options)
	if err != nil || o.Threshold == nil && o.Weight == nil {
		return report, err
	}
	if o.Threshold != nil {
		options.Threshold = *o.Threshold
	}
	if o.Weight != nil {
		options.DenseWeight = *o.Weight
	}
	other, err := run(options)
	return retrieval.Compare(report, other), err
}
