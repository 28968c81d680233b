package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// States of a run and of a source in it.
const (
	Done    = "done"
	Failed  = "failed"
	Stopped = "stopped"
	Removed = "removed" // a source that was taken out of the registry
)

// maxProblems bounds the lists of a report: files with what went wrong, and
// notes. All are logged.
const maxProblems = 200

// Report says what a run did.
type Report struct {
	Run     int64          `json:"run"`
	Reembed bool           `json:"reembed,omitempty"` // it made vectors anew and read no source
	State   string         `json:"state"`
	Error   string         `json:"error,omitempty"` // what ended it early
	Sources []SourceReport `json:"sources"`
	Counts
	EmbedBatches  int            `json:"embed_batches"` // requests to the embedding model
	Summaries     int            `json:"summaries"`
	SummaryErrors int            `json:"summary_errors"`
	Formats       map[string]int `json:"formats"`    // files by extension
	Generation    int64          `json:"generation"` // of the knowledge base, after the run
	Problems      []Problem      `json:"problems,omitempty"`
	Notes         []string       `json:"notes,omitempty"`
}

// SourceReport says what a run did with one source.
type SourceReport struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Error string `json:"error,omitempty"`
	Counts
}

// Counts of files. Files is the sum of added, updated, unchanged and errors; what
// was skipped comes on top.
type Counts struct {
	Files     int `json:"files"`
	Added     int `json:"added"`
	Updated   int `json:"updated"` // changed or moved
	Unchanged int `json:"unchanged"`
	Pruned    int `json:"pruned"`
	Skipped   int `json:"skipped"` // see the list of skipped files for the reasons
	Errors    int `json:"errors"`
	Chunks    int `json:"chunks"` // written
}

// Problem is a file that couldn't be indexed although it was read.
type Problem struct {
	Source string `json:"source"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// AfterFailure says what the failure of a source means for its documents, and what
// to do.
func (c Counts) AfterFailure() string {
	stay := "Its documents stay as they are"
	if c.Added+c.Updated+c.Pruned > 0 {
		stay = "What was indexed before that stays, and its other documents stay as they are"
	}
	return stay + ". Put right what is wrong; the next sync tries it again."
}

func (c *Counts) add(o Counts) {
	c.Files += o.Files
	c.Added += o.Added
	c.Updated += o.Updated
	c.Unchanged += o.Unchanged
	c.Pruned += o.Pruned
	c.Skipped += o.Skipped
	c.Errors += o.Errors
	c.Chunks += o.Chunks
}

func (r *Report) problem(source, path, reason string) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{source, path, reason})
	}
}

// settle gives the run its state.
func (r *Report) settle(err error) {
	switch {
	case errors.Is(err, context.Canceled):
		r.State = Stopped
	case err != nil:
		r.State, r.Error = Failed, err.Error()
	case r.Errors > 0 || slices.ContainsFunc(r.Sources, func(s SourceReport) bool { return s.State == Failed }):
		r.State = Failed
	default:
		r.State = Done
	}
}

// failure says what failed in a run that went to its end.
func (r *Report) failure() string {
	var parts []string
	for _, s := range r.Sources {
		if s.State == Failed {
			parts = append(parts, fmt.Sprintf("The source %q failed: %s. %s", s.Name, strings.TrimSuffix(s.Error, "."), s.AfterFailure()))
		}
	}
	if r.Errors > 0 {
		p := r.Problems[0]
		parts = append(parts, fmt.Sprintf("%d files couldn't be indexed; the first is %s/%s: %s. The next import tries them again.", r.Errors, p.Source, p.Path, strings.TrimSuffix(p.Reason, ".")))
	}
	return strings.Join(parts, " ")
}

// errors counts what a log should tell as errors: files that couldn't be indexed,
// sources that failed, and a failure of the run that is no source's.
func (r *Report) errors() int {
	n := r.Errors
	for _, s := range r.Sources {
		if s.State == Failed {
			n++
		}
	}
	if n == 0 && r.Error != "" {
		n = 1
	}
	return n
}

// Line is the run's one line for a log (ING7).
func (r *Report) Line() string {
	return fmt.Sprintf("import: summary files=%d added=%d updated=%d unchanged=%d pruned=%d skipped=%d errors=%d chunks=%d embed_batches=%d summaries=%d summary_errors=%d formats=%s",
		r.Files, r.Added, r.Updated, r.Unchanged, r.Pruned, r.Skipped, r.errors(), r.Chunks, r.EmbedBatches, r.Summaries, r.SummaryErrors, r.formats())
}

// formats lists the formats by falling count, then by name.
func (r *Report) formats() string {
	names := slices.SortedFunc(maps.Keys(r.Formats), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Formats[b], r.Formats[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s:%d", name, r.Formats[name])
	}
	return strings.Join(names, ",")
}

// formatOf is a file's extension in small letters, or its name without one.
func formatOf(file string) string {
	base := strings.ToLower(path.Base(file))
	return cmp.Or(strings.TrimPrefix(path.Ext(base), "."), base)
}
