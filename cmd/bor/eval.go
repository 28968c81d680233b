package main

import (
	"context"
	"errors"

	"bor/internal/app"
)

type evalCmd struct {
	Question string `arg:"" optional:"" help:"A question: prints the documents it finds, with both scores and ranks."`
	Set      string `placeholder:"FILE" help:"A file of questions, one JSON object a line: question, expect (answer or deflect), paths."`
	JSON     bool   `help:"Print JSON."`
}

// Run evaluates a question or a set.
func (c *evalCmd) Run(ctx context.Context, e *env) error {
	if (c.Question == "") == (c.Set == "") {
		return errors.New("give a question, or --set FILE")
	}
	return app.Eval(ctx, e.config, app.EvalOptions{Question: c.Question, Set: c.Set, JSON: c.JSON, Out: e.out})
}
