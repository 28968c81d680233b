//go:build !linux

package localpg

import (
	"context"
	"errors"
	"runtime"
)

// Server exists on Linux only.
type Server struct{}

// Start refuses: the private server runs on Linux only. The error says which
// other ways there are.
func Start(context.Context, Options) (*Server, error) {
	return nil, needDatabase(errors.New("the private PostgreSQL runs on Linux only, not on " + runtime.GOOS))
}

// URL is empty here.
func (*Server) URL() string { return "" }

// AdminURL is empty here.
func (*Server) AdminURL() string { return "" }

// Watch returns at once here.
func (*Server) Watch(context.Context) {}

// Stop does nothing here.
func (*Server) Stop() error { return nil }
