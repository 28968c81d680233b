package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"strings"

	"bor/db"
	"bor/internal/registry"
)

// maxListed bounds how much of a folder its summary is made of.
const maxListed = 100

// listing is what a folder holds, as a list for the model.
type listing struct {
	path      string // ends in a slash; empty for a source
	rows      []string
	entries   int
	documents int // in it and below it
}

func (l *listing) add(row string) {
	l.entries++
	if len(l.rows) < maxListed {
		l.rows = append(l.rows, "- "+row)
	}
}

// text is the list, headed by what it is a list of.
func (l *listing) text(head string) string {
	rows := strings.Join(l.rows, "\n")
	if more := l.entries - len(l.rows); more > 0 {
		rows += fmt.Sprintf("\n\nand %d more", more)
	}
	return head + "\n\n" + rows
}

// folders calls emit with each folder of a source, inner ones first, and at last
// with the source itself. Only the folders on the way to one document are in
// memory.
func (r *run) folders(ctx context.Context, p registry.Source, emit func(*listing) error) error {
	open := []*listing{{}}
	closeTo := func(file string) error { // the folders that file isn't in
		for len(open) > 1 && !strings.HasPrefix(file, open[len(open)-1].path) {
			inner, outer := open[len(open)-1], open[len(open)-2]
			outer.documents += inner.documents
			outer.add(fmt.Sprintf("%s (%s)", strings.TrimPrefix(inner.path, outer.path), documents(inner.documents)))
			open = open[:len(open)-1]
			if err := emit(inner); err != nil {
				return err
			}
		}
		return nil
	}
	for after := ""; ; {
		rows, err := r.DB.TitlesPage(ctx, db.TitlesPageParams{SourceID: p.ID, After: after, HowMany: titlesPage})
		if err != nil {
			return fatal("listing documents", err)
		}
		for _, row := range rows {
			after = row.Path
			if err := closeTo(row.Path); err != nil {
				return err
			}
			for {
				top := open[len(open)-1]
				name, _, deeper := strings.Cut(strings.TrimPrefix(row.Path, top.path), "/")
				if !deeper {
					break
				}
				open = append(open, &listing{path: top.path + name + "/"})
			}
			top := open[len(open)-1]
			top.documents++
			top.add(titled(row.Path, row.Title))
		}
		if len(rows) < titlesPage {
			break
		}
	}
	if err := closeTo("/"); err != nil { // no path begins so
		return err
	}
	return emit(open[0])
}

// titlesPage is larger than page because each page sorts the source anew.
const titlesPage = 10000

// titled names a document by its file's name, and its title where that says more.
func titled(file, title string) string {
	base := path.Base(file)
	if title == strings.TrimSuffix(base, path.Ext(base)) {
		return base
	}
	return fmt.Sprintf("%s (%s)", title, base)
}

func documents(n int) string {
	if n == 1 {
		return "1 document"
	}
	return fmt.Sprintf("%d documents", n)
}

// summariseFolders brings the summaries of a source and its folders up to date.
// Each is remembered with a hash of what it was made from, so that a killed run
// goes on where it was, and an edited one stays until its folder changes.
func (r *run) summariseFolders(ctx context.Context, p registry.Source) error {
	rows, err := r.DB.ListFolderSummaries(ctx, p.ID)
	if err != nil {
		return fatal("reading summaries", err)
	}
	made := make(map[string][]byte, len(rows))
	for _, row := range rows {
		made[row.Path] = row.SummaryOf
	}
	err = r.folders(ctx, p, func(l *listing) error {
		if l.path == "" {
			return r.summariseSource(ctx, p, l)
		}
		input := l.text(fmt.Sprintf("The folder %s of the source %s, %s:", l.path, p.Name, documents(l.documents)))
		sum := sha256.Sum256([]byte(input))
		same := bytes.Equal(made[l.path], sum[:])
		delete(made, l.path)
		if same {
			return nil
		}
		summary := r.complete(ctx, folderPrompt, input, p.Name, l.path)
		if summary == "" {
			return ctx.Err()
		}
		return fatal("storing a summary", r.DB.PutFolderSummary(ctx, db.PutFolderSummaryParams{SourceID: p.ID, Path: l.path, Summary: summary, SummaryOf: sum[:]}))
	})
	if err != nil || len(made) == 0 {
		return err
	}
	var gone []string
	for path := range made {
		gone = append(gone, path)
	}
	return fatal("dropping summaries", r.DB.DeleteFolderSummaries(ctx, db.DeleteFolderSummariesParams{SourceID: p.ID, Paths: gone}))
}

func (r *run) summariseSource(ctx context.Context, p registry.Source, l *listing) error {
	input := l.text(fmt.Sprintf("The source %s, %s:", p.Name, documents(l.documents)))
	sum := sha256.Sum256([]byte(input))
	have, err := r.DB.SourceSummary(ctx, p.ID)
	if err != nil {
		return fatal("reading a summary", err)
	}
	if bytes.Equal(have.SummaryOf, sum[:]) {
		return nil
	}
	summary := r.complete(ctx, folderPrompt, input, p.Name, "")
	if summary == "" {
		return ctx.Err()
	}
	return fatal("storing a summary", r.DB.SetSourceSummary(ctx, db.SetSourceSummaryParams{ID: p.ID, Summary: summary, SummaryOf: sum[:]}))
}

// overview describes the whole knowledge base; the old one stays when the model fails.
func (r *run) overview(ctx context.Context, old string) (string, error) {
	sources, err := r.DB.TreeSources(ctx)
	if err != nil {
		return "", fatal("listing sources", err)
	}
	var l listing
	for _, s := range sources {
		l.add(fmt.Sprintf("%s (%s): %s", s.Name, documents(int(s.Documents)), strings.TrimSuffix(s.Summary, ".")))
	}
	if l.entries == 0 {
		return "", nil
	}
	if made := r.complete(ctx, overviewPrompt, l.text("The sources:"), "", ""); made != "" {
		return made, nil
	}
	return old, ctx.Err()
}
