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
// that a view that breaks the policy there breaks it here. A running turn's events
// never come: its stream stays open and says nothing.
func Gallery(identity Identity, pages map[string]func(views.Shell) templ.Component) http.Handler {
	never := func(error) bool { return false }
	s := &Server{Deps: Deps{Identity: identity, Away: never, ReadOnly: never}, closing: context.Background()}
	e := s.router()
	e.Use(patient, s.policy, recovered, s.sameOrigin)
	e.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))
	e.GET("/chat/turns/:turn/events", func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderContentType, "text/event-stream")
		c.Response().WriteHeader(http.StatusOK)
		c.Response().Flush()
		<-c.Request().Context().Done()
		return nil
	})
	for path, view := range pages {
		e.GET(path, func(c echo.Context) error {
			return s.render(c, http.StatusOK, view(s.signedInShell(c, "Story book")))
		})
	}
	return e
}
