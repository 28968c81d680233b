package handlers

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"bor/internal/auth"
	"bor/internal/chat"
	"bor/internal/fault"
	"bor/views"
)

// session loads the browser's session before the handler and stores what changed
// before the first byte of the response, once. With the database away nobody is
// signed out: the cookie stays, and the page waits (DEC31).
func (s *Server) session(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		secure := s.secure(c.Request())
		ctx, err := s.Sessions.Load(c.Request(), secure)
		if err != nil {
			return fault.Wrap(fault.Unavailable, offlineText, err)
		}
		c.SetRequest(c.Request().WithContext(ctx))
		c.Response().Before(func() {
			cookie, err := s.Sessions.Commit(ctx, secure)
			if err != nil {
				slog.Error("a session could not be stored", "error", err)
			}
			if cookie != nil {
				c.SetCookie(cookie)
			}
		})
		return next(c)
	}
}

// admitted lets the signed-in pass; others get the gate where they are.
func (s *Server) admitted(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if _, ok := s.Sessions.Visitor(c.Request().Context()); ok {
			return next(c)
		}
		switch {
		case isAPI(c):
			return echo.NewHTTPError(http.StatusUnauthorized, "You are not signed in. Send the password to /api/login, and with every further request the cookie that its answer sets.")
		case isPartial(c):
			return echo.NewHTTPError(http.StatusUnauthorized, "You are not signed in any more. Log in in another tab, then send this again: what you wrote is still here.")
		case c.Request().Method != http.MethodGet:
			return echo.NewHTTPError(http.StatusUnauthorized, "You are not signed in any more, so nothing was done. Log in in another tab, then go back and send this again.")
		}
		return s.render(c, http.StatusUnauthorized, views.Login(views.LoginPage{
			Shell: s.shell(c, "Log in"), Heading: "Log in", Text: "This page is for those who are signed in.", Next: c.Request().URL.RequestURI()}))
	}
}

// visitor is who asks; admitted has seen to it that there is one.
func (s *Server) visitor(c echo.Context) chat.Visitor {
	who, _ := s.Sessions.Visitor(c.Request().Context())
	return who
}

func (s *Server) showLogin(c echo.Context) error {
	if _, ok := s.Sessions.Visitor(c.Request().Context()); ok {
		return c.Redirect(http.StatusSeeOther, localPath(c.QueryParam("next")))
	}
	return s.render(c, http.StatusOK, views.Login(views.LoginPage{Shell: s.shell(c, "Log in"), Heading: "Log in", Next: localPath(c.QueryParam("next"))}))
}

func (s *Server) login(c echo.Context) error {
	next := localPath(c.FormValue("next"))
	err := s.signIn(c, c.FormValue("password"))
	var refused *echo.HTTPError
	if errors.As(err, &refused) {
		_, text := s.explain(err)
		return s.showLoginError(c, refused.Code, next, text)
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, next)
}

// signIn makes the session the admin's. A refusal is an *echo.HTTPError: 401 for a
// wrong password, 429 with its Retry-After for too many attempts.
func (s *Server) signIn(c echo.Context, password string) error {
	client, err := netip.ParseAddr(c.RealIP())
	if err != nil {
		return fault.Wrap(fault.Invalid, "The request has no usable client address. Check the reverse proxy's forwarding headers.", err)
	}
	ctx := c.Request().Context()
	err = s.Admin.Login(ctx, client, password)
	var limited *auth.Limited
	switch {
	case errors.As(err, &limited):
		c.Response().Header().Set("Retry-After", strconv.Itoa(int(limited.RetryAfter.Seconds())+1))
		return echo.NewHTTPError(http.StatusTooManyRequests, err.Error())
	case err != nil && fault.CodeOf(err) == fault.Invalid:
		return echo.NewHTTPError(http.StatusUnauthorized, fault.PublicOf(err))
	case err != nil:
		return err
	}
	return s.Sessions.SignIn(ctx)
}

func (s *Server) showLoginError(c echo.Context, status int, next, text string) error {
	return s.render(c, status, views.Login(views.LoginPage{Shell: s.shell(c, "Log in"), Heading: "Log in", Next: next, Error: text}))
}

func (s *Server) logout(c echo.Context) error {
	if err := s.Sessions.SignOut(c.Request().Context()); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login")
}

// localPath is a redirect target on this server, or the front page (SEC4).
func localPath(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(target, "/") ||
		strings.HasPrefix(target, "//") || strings.ContainsAny(target, "\\\r\n\t\x00") || strings.HasPrefix(u.Path, "/login") {
		return "/"
	}
	return target
}

// token is the session id of the request, for streams to check now and then.
func (s *Server) token(c echo.Context) string { return auth.Token(c.Request(), s.secure(c.Request())) }
