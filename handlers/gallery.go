package handlers

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"bor/static"
	"bor/views"
)

// Gallery serves views with canned data, by path, without a service or a database
// behind them. Middleware, frame, assets and error page are the product's own, so
// that a view that breaks the policy there breaks it here. The events of a
// running turn or sync never come: its stream stays open and says nothing.
func Gallery(identity Identity, pages map[string]func(views.Shell) templ.Component) http.Handler {
	never := func(error) bool { return false }
	s := &Server{Deps: Deps{Identity: identity, Away: never, ReadOnly: never}, closing: context.Background()}
	e := s.router()
	e.Use(patient, s.policy, recovered, s.sameOrigin)
	e.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))
	for _, stream := range []string{"/chat/turns/:turn/events", "/sync/events"} {
		e.GET(stream, func(c echo.Context) error {
			beginStream(c).comment()
			<-c.Request().Context().Done()
			return nil
		})
	}
	for path, view := range pages {
		e.GET(path, func(c echo.Context) error {
			return s.render(c, http.StatusOK, view(s.signedInShell(c, "Story book")))
		})
	}
	return e
}
