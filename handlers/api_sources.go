package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"bor/internal/ingest"
	"bor/internal/kb"
	"bor/internal/registry"
	"bor/internal/syncjob"
)

// wireRow is a document in a list.
type wireRow struct {
	Source  string `json:"source"`
	Path    string `json:"path"`
	Title   string `json:"title"`
	Lines   int    `json:"lines"`
	Chunks  int    `json:"chunks"`
	Indexed string `json:"indexed_at"`
	Edited  bool   `json:"summary_edited"`
}

type wireRows struct {
	Documents []wireRow `json:"documents"`
	Total     int       `json:"total"` // on all pages
	Page      int       `json:"page"`  // from 1
	PerPage   int       `json:"per_page"`
}

// apiDocuments lists documents by the table's parameters: q, source, sort, dir, page.
func (s *Server) apiDocuments(c echo.Context) error {
	page := pageNumber(c)
	rows, total, err := s.Documents.Documents(c.Request().Context(), kb.Query{Text: c.QueryParam("q"), Source: c.QueryParam("source"),
		Order: c.QueryParam("sort"), Down: c.QueryParam("dir") == "down", Skip: (page - 1) * documentRows, Limit: documentRows})
	if err != nil {
		return err
	}
	body := wireRows{Documents: []wireRow{}, Total: total, Page: page, PerPage: documentRows}
	for _, r := range rows {
		body.Documents = append(body.Documents, wireRow{r.Source, r.Path, r.Title, r.Lines, r.Chunks, wireTime(r.Indexed), r.Edited})
	}
	return sendJSON(c, http.StatusOK, body)
}

type wireSummary struct {
	Source  string `json:"source"`
	Path    string `json:"path"`
	Summary string `json:"summary"`
	Edited  bool   `json:"edited"` // a person wrote it
}

func (s *Server) apiSummary(c echo.Context) error {
	return s.sendSummary(c, c.QueryParam("source"), c.QueryParam("path"))
}

func (s *Server) sendSummary(c echo.Context, source, path string) error {
	doc, err := s.document(c.Request().Context(), source, path)
	if err != nil {
		return err
	}
	return sendJSON(c, http.StatusOK, wireSummary{doc.Source, doc.Path, doc.Summary, doc.SummaryEdited})
}

// apiEditSummary takes a summary; apiRemakeSummary lets the model write it.
func (s *Server) apiEditSummary(c echo.Context) error {
	var body struct{ Source, Path, Summary string }
	if err := decode(c, &body); err != nil {
		return err
	}
	doc, err := s.document(c.Request().Context(), body.Source, body.Path)
	if err == nil {
		err = s.Summaries.EditSummary(c.Request().Context(), doc.ID, body.Summary)
	}
	if err != nil {
		return err
	}
	return s.sendSummary(c, body.Source, body.Path)
}

func (s *Server) apiRemakeSummary(c echo.Context) error {
	var body struct{ Source, Path string }
	if err := decode(c, &body); err != nil {
		return err
	}
	doc, err := s.document(c.Request().Context(), body.Source, body.Path)
	if err == nil {
		_, err = s.Summaries.RemakeSummary(c.Request().Context(), doc.ID)
	}
	if err != nil {
		return err
	}
	return s.sendSummary(c, body.Source, body.Path)
}

// wireSource is a source on the wire.
type wireSource struct {
	ID           int64            `json:"id"` // 0: named by BOR_GIT_SOURCES and not synced yet
	Kind         string           `json:"kind"`
	Name         string           `json:"name"`
	Location     string           `json:"location"`
	Host         string           `json:"host,omitempty"`
	Branch       string           `json:"branch,omitempty"`
	Ignore       []string         `json:"ignore_paths"`
	AllowSecrets []string         `json:"allowed_secrets"`
	FromSettings bool             `json:"from_settings"`
	Removed      bool             `json:"removed"` // by the next sync
	Documents    int              `json:"documents"`
	Skipped      int              `json:"skipped"`
	Revision     string           `json:"revision,omitempty"`
	Synced       string           `json:"synced_at,omitempty"`
	LastRun      string           `json:"last_run_at,omitempty"`
	Last         registry.Outcome `json:"last"`
}

func toWire(s registry.Source) wireSource {
	return wireSource{s.ID, string(s.Kind), s.Name, s.Location, s.Host, s.Branch, append([]string{}, s.Ignore...), append([]string{}, s.AllowSecrets...),
		s.FromSettings, s.Removed, s.Documents, s.Skipped, s.Revision, wireTime(s.Synced), wireTime(s.LastRun), s.Last}
}

type wireSources struct {
	Sources []wireSource `json:"sources"`
	Sync    *wireSync    `json:"sync,omitempty"`
}

func (s *Server) apiSources(c echo.Context) error { return s.sendSources(c, nil) }

// apiSourcesStatus is the list with the sync that goes on, or the last one.
func (s *Server) apiSourcesStatus(c echo.Context) error {
	status, err := s.Syncs.Status(c.Request().Context())
	if err != nil {
		return err
	}
	sync := syncOnWire(status)
	return s.sendSources(c, &sync)
}

func (s *Server) sendSources(c echo.Context, sync *wireSync) error {
	list, err := s.Sources.List(c.Request().Context())
	if err != nil {
		return err
	}
	body := wireSources{Sources: []wireSource{}, Sync: sync}
	for _, source := range list {
		body.Sources = append(body.Sources, toWire(source))
	}
	return sendJSON(c, http.StatusOK, body)
}

// wireDraft is a source as a program enters it. An edit has neither kind nor location.
type wireDraft struct {
	Kind         string   `json:"kind"`
	Name         string   `json:"name"`
	Location     string   `json:"location"`
	Branch       string   `json:"branch"`
	Ignore       []string `json:"ignore_paths"`
	AllowSecrets []string `json:"allowed_secrets"`
}

func (d wireDraft) draft() registry.Draft {
	return registry.Draft{Kind: registry.Kind(d.Kind), Name: d.Name, Location: d.Location, Branch: d.Branch, Ignore: d.Ignore, AllowSecrets: d.AllowSecrets}
}

func (s *Server) apiAddSource(c echo.Context) error {
	var body wireDraft
	if err := decode(c, &body); err != nil {
		return err
	}
	added, err := s.Sources.Add(c.Request().Context(), body.draft())
	if err != nil {
		return err
	}
	return sendJSON(c, http.StatusCreated, toWire(added))
}

// apiEditSource replaces what can be edited of a source: what isn't sent is empty,
// but for the name, which stays.
func (s *Server) apiEditSource(c echo.Context) error {
	source, err := s.source(c)
	if err != nil {
		return err
	}
	body := wireDraft{Name: source.Name}
	if err := decode(c, &body); err != nil {
		return err
	}
	if _, err := s.Sources.Edit(c.Request().Context(), source.ID, body.draft()); err != nil {
		return err
	}
	return s.sendSource(c, http.StatusOK)
}

// apiRemoveSource marks a source: the next sync removes it with its documents.
func (s *Server) apiRemoveSource(c echo.Context) error {
	source, err := s.source(c)
	if err != nil {
		return err
	}
	if err := s.Sources.Remove(c.Request().Context(), source.ID); err != nil {
		return err
	}
	return s.sendSource(c, http.StatusOK)
}

func (s *Server) sendSource(c echo.Context, status int) error {
	source, err := s.source(c)
	if err != nil {
		return err
	}
	return sendJSON(c, status, toWire(source))
}

// apiUpload takes an archive as a multipart form: name, if any, before file.
func (s *Server) apiUpload(c echo.Context) error {
	_, source, err := s.receive(c, 0)
	if err != nil {
		return err
	}
	return sendJSON(c, http.StatusAccepted, toWire(source))
}

// wireSync is the sync that goes on, or the last one.
type wireSync struct {
	State    string           `json:"state"` // never, waiting, running, done, failed, stopped, crashed
	Owner    string           `json:"owner,omitempty"`
	Started  string           `json:"started_at,omitempty"`
	Ended    string           `json:"ended_at,omitempty"`
	Stopping bool             `json:"stopping"`
	Progress *ingest.Progress `json:"progress,omitempty"` // while it runs
	Report   *ingest.Report   `json:"report,omitempty"`   // of one that has ended
}

func syncOnWire(s syncjob.Status) wireSync {
	w := wireSync{State: s.State, Owner: s.Owner, Started: wireTime(s.Started), Ended: wireTime(s.Ended), Stopping: s.Stopping}
	switch {
	case s.Waiting:
		return wireSync{State: "waiting"}
	case s.Run == 0:
		w.State = "never"
	case s.State == ingest.Running:
		w.Progress = &s.Progress
	case s.State != ingest.Crashed:
		w.Report = &s.Report
	}
	return w
}

func (s *Server) apiStartSync(c echo.Context) error {
	if err := s.Syncs.Start(c.Request().Context()); err != nil {
		return err
	}
	return s.sendSync(c, http.StatusAccepted)
}

func (s *Server) apiStopSync(c echo.Context) error {
	if err := s.Syncs.Stop(c.Request().Context()); err != nil {
		return err
	}
	return s.sendSync(c, http.StatusAccepted)
}

func (s *Server) apiSyncStatus(c echo.Context) error { return s.sendSync(c, http.StatusOK) }

func (s *Server) sendSync(c echo.Context, code int) error {
	status, err := s.Syncs.Status(c.Request().Context())
	if err != nil {
		return err
	}
	return sendJSON(c, code, syncOnWire(status))
}
