package handlers

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"bor/internal/fault"
	"bor/static"
	"bor/views"
)

const offlineText = "The database can’t be reached. Nothing is lost; this works again when it is back."

const readOnlyText = "The database takes no writes just now: its disk is full, or it is read-only. Nothing was changed. Make room or look at PostgreSQL’s log, then send this again."

// render sends a view. The view is made whole first, so that a failure in it is
// an error page and not half a page.
func (s *Server) render(c echo.Context, status int, view templ.Component) error {
	buf := templ.GetBuffer()
	defer templ.ReleaseBuffer(buf)
	if err := view.Render(context.WithoutCancel(c.Request().Context()), buf); err != nil {
		return err
	}
	c.Response().Header().Add("Vary", "HX-Request-Type")
	return sendPage(c, status, buf.Bytes())
}

// shell is the frame of a page for this request.
func (s *Server) shell(c echo.Context, title string) views.Shell {
	nonce, _ := c.Get(nonceKey).(string)
	shell := views.Shell{
		Title: title, AppName: s.Identity.AppName, Version: s.Identity.Version, Footer: s.Identity.Footer, Nonce: nonce,
		Assets:  views.Assets{Styles: []string{static.URL("app.css")}, Scripts: static.Scripts(), Icon: static.URL("icon.svg")},
		NoIndex: true,
	}
	return shell
}

// signedInShell is the frame for whoever has been admitted.
func (s *Server) signedInShell(c echo.Context, title string) views.Shell {
	shell := s.shell(c, title)
	shell.Nav = navigation(c.Path())
	shell.Logout = true
	shell.NewChat = true
	return shell
}

// navigation are the pages of whoever is signed in; path is the route of the one
// that is shown.
func navigation(path string) []views.NavItem {
	items := []views.NavItem{{Label: "Chat", URL: "/"}, {Label: "Sources", URL: "/sources"}, {Label: "Registry", URL: "/git-sources"}, {Label: "Questions", URL: "/questions"}}
	for i := range items {
		items[i].Current = path == items[i].URL || i > 0 && strings.HasPrefix(path, items[i].URL+"/")
	}
	items[0].Current = items[0].Current || path == "/chat" || strings.HasPrefix(path, "/c/") || strings.HasPrefix(path, "/chat/")
	return items
}

// isPartial tells whether htmx wants a fragment and not a page.
func isPartial(c echo.Context) bool {
	return c.Request().Header.Get("HX-Request-Type") == "partial"
}

var statusOf = map[fault.Code]int{
	fault.Invalid: http.StatusUnprocessableEntity, fault.NotFound: http.StatusNotFound, fault.Conflict: http.StatusConflict,
	fault.Limited: http.StatusTooManyRequests, fault.Forbidden: http.StatusForbidden, fault.Unavailable: http.StatusServiceUnavailable,
	fault.Internal: http.StatusInternalServerError,
}

// showError answers what a handler gave up on: words for htmx to put beside the
// form, or a page.
func (s *Server) showError(err error, c echo.Context) {
	if c.Response().Committed || c.Request().Context().Err() != nil {
		return // it has begun, or nobody is there any more
	}
	explain := s.explain
	if isAPI(c) {
		explain = s.explainToProgram
	}
	status, text := explain(err)
	if status >= 500 {
		logFailure(c, err)
	}
	var sent error
	switch {
	case c.Request().Method == http.MethodHead:
		sent = c.NoContent(status)
	case isAPI(c):
		sent = s.sendProblem(c, status, text)
	case isPartial(c):
		sent = s.render(c, status, views.Problem(text))
	default:
		sent = s.render(c, status, views.ProblemScreen(s.problem(c, status, text)))
	}
	if sent != nil {
		logFailure(c, sent)
	}
}

func (s *Server) problem(c echo.Context, status int, text string) views.ProblemPage {
	shell := s.shell(c, http.StatusText(status))
	page := views.ProblemPage{Status: status, Heading: http.StatusText(status), Text: text,
		Actions: []views.Link{{Text: "To the chat", URL: "/"}}}
	switch status {
	case http.StatusNotFound:
		page.Heading = "Not here"
	case http.StatusInternalServerError:
		page.Heading = "Something went wrong"
	case http.StatusInsufficientStorage:
		page.Heading = "Nothing can be stored"
	case http.StatusServiceUnavailable:
		page.Heading, shell.Offline, page.Actions = "One moment", true, nil
	}
	page.Shell = shell
	return page
}

// explain gives the status and the words for an error.
func (s *Server) explain(err error) (int, string) {
	var web *echo.HTTPError
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return statusOf[f.Code], f.Public
	case errors.As(err, &web):
		return web.Code, webText(web)
	case s.Away(err):
		return http.StatusServiceUnavailable, offlineText
	case s.ReadOnly(err):
		return http.StatusInsufficientStorage, readOnlyText
	default:
		return http.StatusInternalServerError, fault.PublicOf(err)
	}
}

func webText(err *echo.HTTPError) string {
	switch err.Code {
	case http.StatusNotFound:
		return "There is no page at this address. It may have been mistyped, or be from another version."
	case http.StatusMethodNotAllowed:
		return "This address doesn’t take that kind of request."
	case http.StatusRequestEntityTooLarge:
		return "The request is larger than 1 MB, so it was not read. Shorten it and send it again."
	}
	if text, ok := err.Message.(string); ok {
		return text
	}
	return http.StatusText(err.Code)
}
