package handlers

import (
	"crypto/subtle"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// statusGone is what is counted when the client left before it had an answer, as
// proxies count it.
const statusGone = 499

// observed counts every request and writes one line for each answer of the API,
// with its size (QA3, QA5). Errors are answered in here, so that what is counted is
// what the client got.
func (s *Server) observed(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := time.Now()
		if err := next(c); err != nil {
			c.Error(err)
		}
		status, took := c.Response().Status, time.Since(began)
		if !c.Response().Committed {
			status = statusGone
		}
		route := c.Path()
		if route == "" {
			route = "none"
		}
		s.Metrics.Request(c.Request().Method, route, status, took)
		if isAPI(c) {
			s.logResponse(c, route, status, took)
		}
		return nil
	}
}

func (s *Server) logResponse(c echo.Context, route string, status int, took time.Duration) {
	level, size := slog.LevelInfo, c.Response().Size
	fields := []any{"method", c.Request().Method, "route", route, "status", status, "bytes", size, "total_ms", took.Milliseconds()}
	if s.LargeResponse > 0 && size > s.LargeResponse {
		level, fields = slog.LevelWarn, append(fields, "above", s.LargeResponse)
	}
	slog.Log(c.Request().Context(), level, "api response", fields...)
}

// Who may read the metrics, beside those who hold the token.
const (
	MetricsOff    = "off"    // nobody, the token's holder neither
	MetricsLocal  = "local"  // programs on this machine that ask it directly
	MetricsPublic = "public" // everybody
)

// showMetrics answers Prometheus.
func (s *Server) showMetrics(c echo.Context) error {
	r := c.Request()
	given := []byte(r.Header.Get("Authorization"))
	holder := s.MetricsToken != "" && subtle.ConstantTimeCompare(given, []byte("Bearer "+s.MetricsToken)) == 1
	switch {
	case s.MetricsFor == MetricsOff || s.MetricsFor == "":
		return echo.NewHTTPError(http.StatusNotFound)
	case holder, s.MetricsFor == MetricsPublic, s.MetricsFor == MetricsLocal && direct(r):
		s.Metrics.Handler().ServeHTTP(c.Response(), r)
		return nil
	case s.MetricsToken != "":
		c.Response().Header().Set("WWW-Authenticate", "Bearer")
		return echo.NewHTTPError(http.StatusUnauthorized, "The metrics want their token: Authorization: Bearer, with the value of BOR_METRICS_TOKEN.")
	}
	return echo.NewHTTPError(http.StatusForbidden, "The metrics are read on the server itself, and not through a proxy. BOR_METRICS_TOKEN or BOR_METRICS lets others in.")
}

// direct tells whether a request comes from this machine and through no proxy: by
// its connection, by the headers that proxies set, and by the name that it asks
// for, since a page may have led a browser here under a name of its own.
func direct(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && addr.IsLoopback()
}
