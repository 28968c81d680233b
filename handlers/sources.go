package handlers

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/fault"
	"bor/internal/kb"
	"bor/internal/registry"
	"bor/views"
)

const (
	documentRows = 50
	skippedRows  = 200
)

// showSources is the page of what the knowledge base holds; htmx gets the table
// alone.
func (s *Server) showSources(c echo.Context) error {
	ctx, now := c.Request().Context(), time.Now()
	list, err := s.Sources.List(ctx)
	if err != nil {
		return err
	}
	table, err := s.documentTable(c, list, now)
	if err != nil {
		return err
	}
	if isPartial(c) {
		return s.render(c, http.StatusOK, views.Documents(table))
	}
	status, err := s.Syncs.Status(ctx)
	if err != nil {
		return err
	}
	page := views.SourcesPage{Shell: s.signedInShell(c, "Sources"), Sync: syncView(status, now), Table: table}
	if page.Stats, err = s.sourceStats(ctx, list, now); err != nil {
		return err
	}
	for _, source := range list {
		if source.Skipped > 0 {
			page.Skipped = append(page.Skipped, views.SkippedCount{Source: source.Name, Files: source.Skipped, URL: skippedURL(source.ID, 1)})
		}
	}
	if status.Busy() {
		page.Shell.Refresh = refreshEvery
	}
	return s.render(c, http.StatusOK, views.Sources(page))
}

func (s *Server) sourceStats(ctx context.Context, list []registry.Source, now time.Time) (views.SourceStats, error) {
	stats, err := s.Documents.Stats(ctx)
	v := views.SourceStats{Documents: stats.Documents, Chunks: stats.Chunks, Last: moment(stats.LastImport, now)}
	for _, source := range list {
		v.Skipped += source.Skipped
	}
	return v, err
}

// columns are the table's heads, by the orders that they sort by.
var columns = []struct {
	label, order string
	num          bool
}{{"Source", kb.BySource, false}, {"Path", kb.ByPath, false}, {"Title", kb.ByTitle, false}, {"Lines", kb.ByLines, true}, {"Chunks", kb.ByChunks, true}, {"Indexed", kb.ByIndexed, false}}

// documentTable is the table as the address asks: q, source, sort, dir, page.
func (s *Server) documentTable(c echo.Context, list []registry.Source, now time.Time) (views.DocumentTable, error) {
	page := pageNumber(c)
	q := kb.Query{Text: c.QueryParam("q"), Source: c.QueryParam("source"), Order: c.QueryParam("sort"), Down: c.QueryParam("dir") == "down",
		Skip: (page - 1) * documentRows, Limit: documentRows}
	rows, total, err := s.Documents.Documents(c.Request().Context(), q)
	if err != nil {
		return views.DocumentTable{}, err
	}
	t := views.DocumentTable{Text: q.Text, Source: q.Source, Order: kb.BySource, Down: q.Down, Total: total, First: q.Skip + 1}
	address := func(change url.Values) string {
		v := url.Values{}
		for _, name := range []string{"q", "source", "sort", "dir"} {
			if value := c.QueryParam(name); value != "" {
				v.Set(name, value)
			}
		}
		for name, values := range change {
			v[name] = values
		}
		return "/sources?" + v.Encode()
	}
	for _, col := range columns {
		head := views.Column{Label: col.label, Num: col.num, URL: address(url.Values{"sort": {col.order}, "dir": {""}})}
		if q.Order == col.order || q.Order == "" && col.order == kb.BySource {
			t.Order, head.Sort = col.order, "ascending"
			if q.Down {
				head.Sort = "descending"
			} else {
				head.URL = address(url.Values{"sort": {col.order}, "dir": {"down"}})
			}
		}
		t.Columns = append(t.Columns, head)
	}
	for _, row := range rows {
		doc := kb.Document{Source: row.Source, Path: row.Path}
		t.Rows = append(t.Rows, views.DocumentRow{Source: row.Source, Path: row.Path, Title: row.Title, Lines: row.Lines, Chunks: row.Chunks,
			Indexed: moment(row.Indexed, now), URL: documentURL("/document", doc, nil), SummaryURL: documentURL("/sources/summary", doc, nil), Edited: row.Edited})
	}
	for _, source := range list {
		t.Sources = append(t.Sources, source.Name)
	}
	if page > 1 {
		t.PreviousURL = address(url.Values{"page": {strconv.Itoa(page - 1)}})
	}
	if q.Skip+len(rows) < total {
		t.NextURL = address(url.Values{"page": {strconv.Itoa(page + 1)}})
	}
	return t, nil
}

// pageNumber is the page that the address asks for, from 1.
func pageNumber(c echo.Context) int {
	page, err := strconv.Atoi(c.QueryParam("page"))
	if err != nil || page < 1 || page > 1e6 {
		return 1
	}
	return page
}

// showSkipped lists what the syncs of a source left out, with reasons.
func (s *Server) showSkipped(c echo.Context) error {
	source, err := s.source(c)
	if err != nil {
		return err
	}
	files, err := s.Sources.SkippedFiles(c.Request().Context(), source.ID)
	if err != nil {
		return err
	}
	page := pageNumber(c)
	from := min((page-1)*skippedRows, len(files))
	to := min(from+skippedRows, len(files))
	p := views.SkippedPage{Shell: s.signedInShell(c, "Left out of "+source.Name), Source: source.Name, Total: len(files), EditURL: editURL(source.ID)}
	for _, f := range files[from:to] {
		p.Files = append(p.Files, views.SkippedFile(f))
	}
	if page > 1 {
		p.Pager.PreviousURL = skippedURL(source.ID, page-1)
	}
	if to < len(files) {
		p.Pager.NextURL = skippedURL(source.ID, page+1)
	}
	return s.render(c, http.StatusOK, views.Skipped(p))
}

func skippedURL(id int64, page int) string {
	u := sourceURL(id) + "/skipped"
	if page > 1 {
		u += "?page=" + strconv.Itoa(page)
	}
	return u
}

// showSummary is the form for a document's summary.
func (s *Server) showSummary(c echo.Context) error {
	return s.showSummaryWith(c, http.StatusOK, c.QueryParam("source"), c.QueryParam("path"), nil, "", "")
}

// showSummaryWith shows the form; text is what a person has entered, nil for what
// is stored.
func (s *Server) showSummaryWith(c echo.Context, status int, source, path string, text *string, wrong, done string) error {
	doc, err := s.document(c.Request().Context(), source, path)
	if err != nil {
		return err
	}
	if text == nil {
		text = &doc.Summary
	}
	return s.render(c, status, views.Summary(views.SummaryPage{Shell: s.signedInShell(c, "Summary of "+doc.Title), Source: doc.Source, Path: doc.Path,
		Title: doc.Title, Edited: doc.SummaryEdited, Done: done, Document: documentURL("/document", doc, nil),
		Field: views.Field{ID: "summary", Name: "summary", Label: "What this document is", Value: *text, Rows: 6, Error: wrong,
			Hint: "Searches find the document by it, and models read it in lists. At most " + strconv.Itoa(s.Summaries.MaxSummary()) + " characters."}}))
}

// saveSummary takes a summary that a person wrote.
func (s *Server) saveSummary(c echo.Context) error {
	source, path, text := c.FormValue("source"), c.FormValue("path"), c.FormValue("summary")
	doc, err := s.document(c.Request().Context(), source, path)
	if err != nil {
		return err
	}
	if err := s.Summaries.EditSummary(c.Request().Context(), doc.ID, text); fault.CodeOf(err) == fault.Invalid {
		return s.showSummaryWith(c, http.StatusUnprocessableEntity, source, path, &text, fault.PublicOf(err), "")
	} else if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, documentURL("/sources/summary", doc, nil))
}

// remakeSummary lets the model write the summary anew.
func (s *Server) remakeSummary(c echo.Context) error {
	doc, err := s.document(c.Request().Context(), c.FormValue("source"), c.FormValue("path"))
	if err != nil {
		return err
	}
	if _, err := s.Summaries.RemakeSummary(c.Request().Context(), doc.ID); err != nil && !s.Away(err) && (fault.CodeOf(err) == fault.Unavailable || fault.CodeOf(err) == fault.Invalid) {
		text := c.FormValue("summary")
		return s.showSummaryWith(c, http.StatusUnprocessableEntity, doc.Source, doc.Path, &text, fault.PublicOf(err), "")
	} else if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, documentURL("/sources/summary", doc, nil))
}
