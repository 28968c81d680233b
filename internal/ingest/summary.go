package ingest

import (
	"context"
	_ "embed"
	"fmt"
	"html"
	"strings"
	"time"

	"bor/internal/kb"
	"bor/internal/llm"
	"bor/internal/registry"
)

//go:embed prompts/document.txt
var documentPrompt string

//go:embed prompts/folder.txt
var folderPrompt string

//go:embed prompts/overview.txt
var overviewPrompt string

// Bounds of one summary.
const (
	summaryInput  = 12000 // characters of a document that the model reads
	summaryTokens = 400
	summaryTime   = time.Minute
)

// summarise describes a document. A failure leaves it without a summary; it is
// indexed all the same (ING5).
func (r *run) summarise(ctx context.Context, p registry.Source, f file, title string) string {
	text := f.Text
	if kb.Chars(text) > summaryInput {
		text = kb.FirstChars(text, summaryInput) + "\n" + kb.TruncationMark
	}
	// The text can't close its own block.
	text = strings.NewReplacer("</document", "&lt;/document", "<document", "&lt;document").Replace(text)
	return r.complete(ctx, documentPrompt, fmt.Sprintf("<document source=\"%s\" path=\"%s\" title=\"%s\">\n%s\n</document>",
		html.EscapeString(p.Name), html.EscapeString(f.Path), html.EscapeString(title), text), p.Name, f.Path)
}

// complete asks for one summary, of a document, a folder or a source (path
// empty), or all (source empty). Empty: the model failed, which is counted.
func (r *run) complete(ctx context.Context, instruction, input, source, path string) string {
	ctx, cancel := context.WithTimeout(ctx, summaryTime)
	defer cancel()
	reply, err := r.Completer.Complete(ctx, llm.Request{
		Messages:  []llm.Message{{Role: llm.System, Content: strings.TrimSpace(instruction)}, {Role: llm.User, Content: input}},
		MaxTokens: summaryTokens,
	})
	summary := strings.Join(strings.Fields(kb.Storable(reply)), " ")
	if err == nil && summary == "" {
		err = fmt.Errorf("the model answered with nothing")
	}
	if err != nil {
		r.count(func(report *Report) { report.SummaryErrors++ })
		r.Log.Warn("import: no summary", "source", source, "path", path, "error", err)
		return ""
	}
	r.count(func(report *Report) { report.Summaries++ })
	r.Log.Info("import: summary", "source", source, "path", path, "chars", kb.Chars(summary))
	return summary
}
