package app

import (
	"context"
	"fmt"
	"io"
	"strings"

	"bor/db"
	"bor/internal/config"
)

// Failure ends a command that has already told what is wrong.
type Failure struct{ Reason string }

func (f *Failure) Error() string { return f.Reason }

// ProbeOptions are what `bor probe` was told.
type ProbeOptions struct {
	JSON    bool
	Version string
	Out     io.Writer
}

// probed is what the product stands on.
type probed struct {
	Version    string   `json:"version"`
	Database   string   `json:"database"`
	Server     string   `json:"server,omitempty"`
	Extensions []string `json:"extensions,omitempty"`
	Chat       string   `json:"chat"`
	Embeddings string   `json:"embeddings"`
	Summaries  string   `json:"summaries"`
	Models     []string `json:"models,omitempty"`
	Dimension  int      `json:"dimension"`
	Vectors    string   `json:"vectors,omitempty"`
	Problems   []string `json:"problems,omitempty"`
}

// Probe checks the database and the endpoints and prints what it finds. What is
// wrong makes it fail, after everything was looked at.
func Probe(ctx context.Context, c config.Config, o ProbeOptions) error {
	p := probed{Version: o.Version, Dimension: c.EmbeddingDim}
	p.endpoints(ctx, c)
	p.database(ctx, c)
	for _, err := range gitFiles(c) {
		p.problem(err)
	}
	if o.JSON {
		if err := writeJSON(o.Out, p); err != nil {
			return err
		}
	} else {
		p.print(o.Out)
	}
	if len(p.Problems) > 0 {
		return &Failure{Reason: "there are problems"}
	}
	return nil
}

func (p *probed) problem(err error) { p.Problems = append(p.Problems, err.Error()) }

func (p *probed) endpoints(ctx context.Context, c config.Config) {
	const own = "built-in librarian"
	p.Chat, p.Embeddings, p.Summaries = own, own, own
	m := NewModels(c)
	if m.Client == nil {
		return
	}
	found := m.Client.Probe(ctx)
	if c.LLM.BaseURL != "" {
		p.Chat, p.Summaries = c.LLM.ChatModel+" at "+c.LLM.BaseURL, c.LLM.LiteModel+" at "+c.LLM.BaseURL
		p.Models = found.Models
		if found.ModelsErr != nil {
			p.problem(found.ModelsErr)
		}
	}
	p.Embeddings = c.LLM.EmbedModel + " at " + c.LLM.EmbedBaseURL
	switch {
	case found.EmbedErr != nil:
		p.problem(found.EmbedErr)
	case found.Dimension != c.EmbeddingDim:
		p.problem(fmt.Errorf("the embedding model gives %d numbers, but BOR_EMBEDDING_DIM is %d: set it to %d", found.Dimension, c.EmbeddingDim, found.Dimension))
	}
}

func (p *probed) database(ctx context.Context, c config.Config) {
	p.Database = "private, in " + c.DataDir
	if c.DatabaseURL != "" {
		p.Database = db.Redact(c.DatabaseURL)
	}
	url, release, err := DatabaseURL(ctx, c)
	if err != nil {
		p.problem(err)
		return
	}
	defer release()
	d, err := db.Open(ctx, url) // as it is: looking migrates nothing
	if err != nil {
		p.problem(err)
		return
	}
	defer d.Close()
	facts, err := d.Facts(ctx)
	if err != nil {
		p.problem(err)
		return
	}
	p.Server, p.Extensions, p.Vectors = facts.Server, facts.Extensions, facts.Vectors
	if e := NewModels(c).Embedder; facts.Chunks > 0 && facts.Model != "" && (facts.Model != e.Model() || facts.Dimension != e.Dimension()) {
		p.problem(fmt.Errorf("the knowledge base's vectors are of %s, but the settings name %s with %d numbers: questions are answered by words alone until you run `bor reembed`", facts.Vectors, e.Model(), e.Dimension()))
	}
}

func (p *probed) print(out io.Writer) {
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(out, "%-12s %s\n", name, printable(value))
		}
	}
	row("bor", p.Version)
	row("database", p.Database)
	row("server", p.Server)
	row("extensions", strings.Join(p.Extensions, ", "))
	row("vectors", p.Vectors)
	row("chat", p.Chat)
	row("embeddings", fmt.Sprintf("%s, %d numbers", p.Embeddings, p.Dimension))
	row("summaries", p.Summaries)
	row("models", strings.Join(p.Models, ", "))
	for _, problem := range p.Problems {
		fmt.Fprintln(out, "\nproblem:", printable(problem))
	}
}
