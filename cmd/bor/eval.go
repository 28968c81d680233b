package main

import (
	"context"
	"errors"

	"bor/internal/app"
)

type evalCmd struct {
	Question  string   `arg:"" optional:"" help:"A question: prints the documents it finds, with both scores and ranks."`
	Set       string   `placeholder:"FILE" help:"A file of questions, one JSON object a line: question, expect (answer or deflect), paths. Proposes a threshold."`
	Threshold *float64 `placeholder:"COSINE" help:"With --set: compare with this relevance threshold."`
	Weight    *float64 `placeholder:"WEIGHT" help:"With --set: compare with this weight of embeddings in fusion."`
	JSON      bool     `help:"Print JSON."`
}

// Validate finds what doesn't go together.
func (c *evalCmd) Validate() error {
	switch {
	case (c.Question == "") == (c.Set == ""):
		return errors.New("give a question, or --set FILE")
	case c.Set == "" && (c.Threshold != nil || c.Weight != nil):
		return errors.New("--threshold and --weight compare sets: give --set FILE too")
	}
	return nil
}

// Run evaluates a question or a set.
func (c *evalCmd) Run(ctx context.Context, e *env) error {
	return app.Eval(ctx, e.config, app.EvalOptions{Question: c.Question, Set: c.Set, Threshold: c.Threshold, Weight: c.Weight, JSON: c.JSON, Out: e.out})
}
