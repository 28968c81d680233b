package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/fault"
	"bor/internal/ingest"
	"bor/internal/registry"
	"bor/views"
)

// registryState is what a refused form brings back to the page.
type registryState struct {
	problem string
	draft   registry.Draft
	upload  string               // name of an archive's source
	wrong   registry.FieldErrors // of the draft
	cut     registry.FieldErrors // of the upload
}

func (s *Server) showRegistry(c echo.Context) error {
	return s.showRegistryWith(c, http.StatusOK, registryState{})
}

func (s *Server) showRegistryWith(c echo.Context, code int, state registryState) error {
	ctx, now := c.Request().Context(), time.Now()
	list, err := s.Sources.List(ctx)
	if err != nil {
		return err
	}
	status, err := s.Syncs.Status(ctx)
	if err != nil {
		return err
	}
	page := views.RegistryPage{Shell: s.signedInShell(c, "Source registry"), Sync: syncView(status, now), Problem: state.problem, Sources: sourceRows(list, now),
		Settings: slices.ContainsFunc(list, func(s registry.Source) bool { return s.FromSettings && !s.Removed }),
		Add:      draftForm("add", state.draft, state.wrong), Host: s.Sources.Host, MaxUpload: megabytes(s.MaxUpload),
		Upload: s.uploadForm("/git-sources/upload", state)}
	if status.Busy() {
		page.Shell.Refresh = refreshEvery
	}
	return s.render(c, code, views.Registry(page))
}

func megabytes(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n>>20, 10) + " MB"
}

func (s *Server) uploadForm(action string, state registryState) views.UploadForm {
	f := views.UploadForm{Action: action, File: state.cut["file"], Name: views.Field{ID: "upload-name", Name: "name", Label: "Name", Value: state.upload,
		Error: state.cut["name"], Hint: "Empty: the file’s name."}}
	if s.MaxUpload > 0 {
		f.MaxBytes = strconv.FormatInt(s.MaxUpload, 10)
	}
	return f
}

// draftForm shows what a person entered, with what is wrong beside it.
func draftForm(id string, d registry.Draft, wrong registry.FieldErrors) views.SourceForm {
	return views.SourceForm{
		Kind: string(d.Kind), KindError: wrong["kind"],
		Location: views.Field{ID: id + "-location", Name: "location", Label: "Address or directory", Value: d.Location, Error: wrong["location"], Mono: true,
			Hint: "https://host/owner/repository.git, git@host:owner/repository.git, or a directory from the root, as /srv/notes."},
		Name:   views.Field{ID: id + "-name", Name: "name", Label: "Name", Value: d.Name, Error: wrong["name"], Hint: "The first part of its documents’ paths. Empty: the repository’s or directory’s own."},
		Branch: views.Field{ID: id + "-branch", Name: "branch", Label: "Branch", Value: d.Branch, Error: wrong["branch"], Mono: true, Hint: "Of a repository. Empty: its default branch."},
		Ignore: views.Field{ID: id + "-ignore", Name: "ignore", Label: "Ignored paths", Value: strings.Join(d.Ignore, "\n"), Error: wrong["ignore"], Rows: 3, Mono: true,
			Hint: "One a line: the beginning of paths in the source, as drafts/. No wildcards."},
		Allow: views.Field{ID: id + "-allow", Name: "allow", Label: "Allowed secrets", Value: strings.Join(d.AllowSecrets, "\n"), Error: wrong["allow"], Rows: 3, Mono: true,
			Hint: "One a line: the whole path of a file that is indexed although it looks like a secret. Whoever may ask can then read it."},
	}
}

// postedDraft is the form as it was filled in.
func postedDraft(c echo.Context) registry.Draft {
	return registry.Draft{Kind: registry.Kind(c.FormValue("kind")), Name: strings.TrimSpace(c.FormValue("name")), Location: strings.TrimSpace(c.FormValue("location")),
		Branch: strings.TrimSpace(c.FormValue("branch")), Ignore: registry.Lines(c.FormValue("ignore")), AllowSecrets: registry.Lines(c.FormValue("allow"))}
}

func (s *Server) addSource(c echo.Context) error {
	draft := postedDraft(c)
	_, err := s.Sources.Add(c.Request().Context(), draft)
	var wrong registry.FieldErrors
	if errors.As(err, &wrong) {
		return s.showRegistryWith(c, http.StatusUnprocessableEntity, registryState{draft: draft, wrong: wrong})
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/git-sources")
}

// source is the source that the path names.
func (s *Server) source(c echo.Context) (registry.Source, error) {
	id, err := number(c, "source")
	if err != nil {
		return registry.Source{}, err
	}
	return s.Sources.Get(c.Request().Context(), id)
}

func editURL(id int64) string { return sourceURL(id) + "/edit" }

func sourceURL(id int64) string { return "/git-sources/" + strconv.FormatInt(id, 10) }

func (s *Server) showSource(c echo.Context) error {
	source, err := s.source(c)
	if err != nil {
		return err
	}
	return s.showSourceWith(c, http.StatusOK, source, registryState{draft: registry.Draft{Name: source.Name, Branch: source.Branch, Ignore: source.Ignore, AllowSecrets: source.AllowSecrets}})
}

func (s *Server) showSourceWith(c echo.Context, code int, source registry.Source, state registryState) error {
	page := views.EditPage{Shell: s.signedInShell(c, "Edit "+source.Name), Name: source.Name, Kind: kindWords[source.Kind], Place: source.Location,
		Action: sourceURL(source.ID), Form: draftForm("edit", state.draft, state.wrong), Git: source.Kind == registry.Git, RemoveURL: sourceURL(source.ID) + "/remove"}
	if source.Kind == registry.Archive {
		upload := s.uploadForm(sourceURL(source.ID)+"/upload", state)
		upload.Replace = true
		page.Upload = &upload
	}
	return s.render(c, code, views.EditSource(page))
}

func (s *Server) editSource(c echo.Context) error {
	source, err := s.source(c)
	if err != nil {
		return err
	}
	draft := postedDraft(c)
	_, err = s.Sources.Edit(c.Request().Context(), source.ID, draft)
	var wrong registry.FieldErrors
	if errors.As(err, &wrong) {
		return s.showSourceWith(c, http.StatusUnprocessableEntity, source, registryState{draft: draft, wrong: wrong})
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/git-sources")
}

// confirmRemoval asks once, and says what goes.
func (s *Server) confirmRemoval(c echo.Context) error {
	source, err := s.source(c)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.Confirm(views.ConfirmPage{Shell: s.signedInShell(c, "Remove "+source.Name),
		Title: fmt.Sprintf("Remove the source %s?", source.Name), Text: removalText(source),
		Action: sourceURL(source.ID) + "/remove", Button: "Remove", Back: "/git-sources"}))
}

func removalText(s registry.Source) string {
	what := "It has no documents. The next sync takes it off the list."
	switch {
	case s.Documents == 1:
		what = "The next sync removes its one document from the knowledge base."
	case s.Documents > 1:
		what = fmt.Sprintf("The next sync removes its %d documents from the knowledge base.", s.Documents)
	}
	if s.Kind == registry.Archive {
		return what + " The uploaded file goes with it. Until then you can keep it after all."
	}
	return what + " The files themselves stay where they are. Until then you can keep it after all."
}

func (s *Server) removeSource(c echo.Context) error {
	return s.change(c, s.Sources.Remove)
}

func (s *Server) keepSource(c echo.Context) error {
	return s.change(c, s.Sources.Keep)
}

func (s *Server) adoptSources(c echo.Context) error {
	if err := s.Sources.Adopt(c.Request().Context()); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/git-sources")
}

var kindWords = map[registry.Kind]string{registry.Git: "Git repository", registry.Local: "Directory", registry.Archive: "Archive"}

// sourceRows are the registry as its table shows it.
func sourceRows(list []registry.Source, now time.Time) []views.SourceRow {
	var rows []views.SourceRow
	for _, s := range list {
		row := views.SourceRow{Name: s.Name, Kind: kindWords[s.Kind], Place: s.Location, More: placeWords(s, now), Documents: s.Documents, Skipped: s.Skipped,
			SkipsURL: skippedURL(s.ID, 1), Removed: s.Removed, Settings: s.FromSettings, At: moment(s.LastRun, now), State: "Not synced yet"}
		switch s.Last.State {
		case ingest.Done:
			row.State = "Done"
		case ingest.Failed:
			row.State, row.Tone, row.Error = "Failed", "error", s.Last.Error
		case ingest.Stopped:
			row.State, row.Tone = "Stopped", "warn"
		}
		if s.Last.State != "" {
			counts := ingest.Counts{Added: s.Last.Added, Updated: s.Last.Updated, Pruned: s.Last.Pruned, Errors: s.Last.Errors, Skipped: s.Last.Skipped}
			row.Counts = changes(counts)
			if s.Last.State == ingest.Failed {
				row.Error = strings.TrimSuffix(row.Error, ".") + ". " + counts.AfterFailure()
				row.Counts = tally(counts)
			}
		}
		switch {
		case s.FromSettings:
		case s.Removed:
			row.KeepURL = sourceURL(s.ID) + "/keep"
		default:
			row.EditURL, row.RemoveURL = editURL(s.ID), sourceURL(s.ID)+"/remove"
		}
		rows = append(rows, row)
	}
	return rows
}

// placeWords say more about where a source is.
func placeWords(s registry.Source, now time.Time) string {
	var parts []string
	if s.Kind == registry.Local {
		parts = append(parts, "on "+s.Host)
	}
	if s.Branch != "" {
		parts = append(parts, "branch "+s.Branch)
	}
	if s.Revision != "" {
		parts = append(parts, "at "+s.Revision[:min(len(s.Revision), 10)])
	}
	if s.Upload != nil {
		parts = append(parts, fmt.Sprintf("%s, uploaded %s", fileSize(s.Upload.Bytes), moment(s.Upload.At, now).Text))
	}
	if n := len(s.Ignore); n > 0 {
		parts = append(parts, "ignoring "+s.Ignore[0])
		if n > 1 {
			parts[len(parts)-1] += fmt.Sprintf(" and %d more", n-1)
		}
	}
	return strings.Join(parts, " · ")
}

// fileSize is a file's length in the unit that people would take.
func fileSize(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}

// change does something with the source that the path names, and shows them all.
func (s *Server) change(c echo.Context, do func(ctx context.Context, id int64) error) error {
	source, err := s.source(c)
	if err != nil {
		return err
	}
	err = do(c.Request().Context(), source.ID)
	if fault.CodeOf(err) == fault.Conflict {
		return s.showRegistryWith(c, http.StatusConflict, registryState{problem: fault.PublicOf(err)})
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/git-sources")
}
