package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// showHealth says that this process serves.
func (s *Server) showHealth(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// showReady says whether the database answers too, with the schema of this version.
func (s *Server) showReady(c echo.Context) error {
	switch err := s.Ready(c.Request().Context()); {
	case err == nil:
		return c.String(http.StatusOK, "ok\n")
	case s.Away(err):
		return c.String(http.StatusServiceUnavailable, "The database doesn't answer.\n")
	default:
		logFailure(c, err)
		return c.String(http.StatusServiceUnavailable, "The database isn't fit for this version; the log says why.\n")
	}
}
