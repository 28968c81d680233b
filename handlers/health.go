package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// showHealth says that this process serves.
func (s *Server) showHealth(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// showReady says whether the database answers too.
func (s *Server) showReady(c echo.Context) error {
	if err := s.Ready(c.Request().Context()); err != nil {
		return c.String(http.StatusServiceUnavailable, "The database doesn't answer.\n")
	}
	return c.String(http.StatusOK, "ok\n")
}
