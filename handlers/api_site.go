package handlers

import (
	_ "embed"
	"net/http"

	"github.com/labstack/echo/v4"
)

// openAPI describes every route under /api; a test holds it to the router.
//
//go:embed openapi.json
var openAPI []byte

// apiDescribe is the OpenAPI file, for tools that make clients.
func (s *Server) apiDescribe(c echo.Context) error {
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, openAPI)
}

// apiHealth tells whether this server can work. It asks nobody who they are, so
// that it answers also while the database is away.
func (s *Server) apiHealth(c echo.Context) error {
	body := struct {
		Status   string `json:"status"`
		Database string `json:"database"`
		Version  string `json:"version"`
	}{"ok", "ok", s.Identity.Version}
	status := http.StatusOK
	if err := s.Ready(c.Request().Context()); err != nil {
		status, body.Status, body.Database = http.StatusServiceUnavailable, "unavailable", "unavailable"
	}
	return sendJSON(c, status, body)
}

// apiConfig is what a client needs to look like this installation.
func (s *Server) apiConfig(c echo.Context) error {
	return sendJSON(c, http.StatusOK, struct {
		AppName     string `json:"app_name"`
		Placeholder string `json:"input_placeholder"`
		Footer      string `json:"footer_text"`
	}{s.Identity.AppName, s.Identity.Placeholder, s.Identity.Footer})
}
