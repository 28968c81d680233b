package handlers

import (
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/fault"
)

const nonceKey = "nonce"

// policy puts the security headers on every response (SEC1). The nonce is fresh
// each time; fragments carry it too, since htmx takes it from their header.
func (s *Server) policy(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		nonce := rand.Text()
		c.Set(nonceKey, nonce)
		h := c.Response().Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'self'; img-src 'self'; "+
			"connect-src 'self'; form-action 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; "+
			"require-trusted-types-for 'script'; trusted-types htmx")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-store")
		return next(c)
	}
}

// sameOrigin is the one place that refuses state-changing requests from other
// sites (SEC4, DEC30).
func (s *Server) sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	protection := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		if err := protection.Check(c.Request()); err != nil {
			return fault.Wrap(fault.Forbidden, "This request came from another site, so it was not carried out. Open the page here and try again. "+
				"Behind a reverse proxy, check that it passes the Host header on unchanged.", err)
		}
		return next(c)
	}
}

// recovered makes an error of a panic, so that it is logged and answered like any
// other.
func recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p) // not ours: it means to cut the connection
			default:
				err = fault.FromPanic(p)
			}
		}()
		return next(c)
	}
}

// formTimeout is how long a form may take to arrive.
const formTimeout = 30 * time.Second

// form reads a posted form before the handler does, whose look-ups would take one
// that can't be read for an empty one.
func form(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().Method != http.MethodPost {
			return next(c)
		}
		control := http.NewResponseController(c.Response())
		control.SetReadDeadline(time.Now().Add(formTimeout)) // fails only for what isn't a connection
		_, err := c.FormParams()
		control.SetReadDeadline(time.Time{})
		var web *echo.HTTPError
		switch {
		case errors.As(err, &web): // too large
			return web
		case err != nil:
			return echo.NewHTTPError(http.StatusBadRequest, "The form can’t be read, so nothing was done. Reload the page and send it again.").SetInternal(err)
		}
		return next(c)
	}
}
