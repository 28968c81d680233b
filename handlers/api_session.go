package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// apiLogin signs the client in: the answer sets the session's cookie.
func (s *Server) apiLogin(c echo.Context) error {
	var in struct {
		Password string `json:"password"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	if err := s.signIn(c, in.Password); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// apiLogout ends the session, if there is one.
func (s *Server) apiLogout(c echo.Context) error {
	if err := s.Sessions.SignOut(c.Request().Context()); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// apiWhoami tells as whom the client is signed in.
func (s *Server) apiWhoami(c echo.Context) error {
	role := "anonymous"
	who, ok := s.Sessions.Visitor(c.Request().Context())
	if ok {
		role = who.Principal
	}
	return sendJSON(c, http.StatusOK, struct {
		Authenticated bool   `json:"authenticated"`
		Role          string `json:"role"`
	}{ok, role})
}
