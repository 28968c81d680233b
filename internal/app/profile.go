package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
)

// serveProfiles serves Go's profiles on an address of this machine's own, apart from
// the product: nobody is asked who they are there, and no proxy leads there (QA3).
// The caller closes the server.
func serveProfiles(ctx context.Context, addr string) (*http.Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("setting BOR_PPROF: can't listen on %s: %w", addr, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}
	go server.Serve(listener)
	slog.Info("profiles are at http://" + listener.Addr().String() + "/debug/pprof/")
	return server, nil
}
