// Package handlers is HTTP and nothing else: read the request, check who asks,
// call a service, render a view. routes.go names every route; a handler neither
// queries nor decides.
package handlers

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"

	"github.com/labstack/echo/v4"

	"bor/internal/auth"
	"bor/internal/chat"
	"bor/internal/ingest"
	"bor/internal/kb"
	"bor/internal/metrics"
	"bor/internal/querylog"
	"bor/internal/registry"
	"bor/internal/syncjob"
)

// Identity is what pages say of this installation.
type Identity struct {
	AppName     string
	Placeholder string
	Footer      string
	Suggestions []string // until the visitor has questions of their own (CH8)
	Version     string
	Model       string // what answers, when that needs saying: "No model connected: …"
}

// Deps are the services that handlers call.
type Deps struct {
	Identity       Identity
	TrustedProxies []netip.Prefix // whose forwarding headers are believed
	AnswerText     bool           // BOR_ANSWER_TEXT
	AnswerImages   bool           // BOR_ANSWER_IMAGES
	Chat           *chat.Service
	Documents      *kb.Store
	Sources        *registry.Registry
	Syncs          *syncjob.Service
	Summaries      *ingest.Importer // edits them
	MaxUpload      int64            // BOR_UPLOAD_MAX_MB in bytes; 0: no limit
	Admin          *auth.Admin
	Sessions       *auth.Sessions
	Notice         func(context.Context) (string, error) // what keeps searches from their best, for people
	Questions      *querylog.Log
	Metrics        *metrics.Metrics
	MetricsFor     string                      // who may read them: MetricsOff, MetricsLocal or MetricsPublic
	MetricsToken   string                      // who holds it may too; empty: there is none
	LargeResponse  int64                       // an answer of the API of more bytes is warned of; 0: none is
	Ready          func(context.Context) error // whether the database answers and has our schema
	Away           func(error) bool            // whether an error says that it doesn't
	ReadOnly       func(error) bool            // whether an error says that it takes no writes
}

// Server answers HTTP.
type Server struct {
	Deps
	streams *streamLimiter
	closing context.Context // ends when open streams must
}

// New makes the handler of everything. Streams end when closing does, since a
// server's Shutdown waits for them.
func New(closing context.Context, d Deps) http.Handler {
	s := &Server{Deps: d, streams: newStreamLimiter(), closing: closing}
	e := s.router()
	s.routes(e)
	return e
}

// router is a router without routes that answers errors in the product's words.
func (s *Server) router() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Logger.SetOutput(discard{})
	e.HTTPErrorHandler = s.showError
	e.IPExtractor = s.clientIP()
	return e
}

// discard silences the framework's own log; requests that fail are logged where
// they do, through slog.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// clientIP takes the client's address from the connection, or from the proxy
// header that the configured proxies, and only they, send.
func (s *Server) clientIP() echo.IPExtractor {
	if len(s.TrustedProxies) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range s.TrustedProxies {
		options = append(options, echo.TrustIPRange(ipNet(p)))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

func ipNet(p netip.Prefix) *net.IPNet {
	p = p.Masked()
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

// secure tells whether the browser came over TLS, to us or to a trusted proxy.
func (s *Server) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if r.Header.Get("X-Forwarded-Proto") != "https" {
		return false
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, p := range s.TrustedProxies {
		if p.Contains(from.Addr().Unmap()) {
			return true
		}
	}
	return false
}

// logFailure notes what a person was only told the gist of.
func logFailure(c echo.Context, err error) {
	slog.Error("request failed", "method", c.Request().Method, "path", c.Path(), "error", err)
}
