package app

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bor/internal/config"
)

func TestHealthTellsWhatTheServerSays(t *testing.T) {
	ready := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.NotFound(w, r)
		} else if !ready {
			http.Error(w, "The database doesn't answer.", http.StatusServiceUnavailable)
		}
	}))
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	health := func(addr string) (string, error) {
		var out strings.Builder
		err := Health(t.Context(), config.Config{Addr: addr}, &out)
		return out.String(), err
	}
	for _, host := range []string{"127.0.0.1", "0.0.0.0", ""} {
		if out, err := health(host + ":" + port); err != nil || out != "ready: http://127.0.0.1:"+port+"/\n" {
			t.Errorf("%q: %q, %v", host, out, err)
		}
	}
	ready = false
	if out, err := health("127.0.0.1:" + port); err == nil || !strings.Contains(err.Error(), "not ready: The database doesn't answer") || out != "" {
		t.Errorf("not ready: %q, %v", out, err)
	}
	server.Close()
	if _, err := health("127.0.0.1:" + port); err == nil || !strings.Contains(err.Error(), "no server answers at 127.0.0.1:"+port) || !strings.Contains(err.Error(), "bor serve") {
		t.Errorf("closed: %v", err)
	}
	if _, err := health("[::]:" + port); err == nil || !strings.Contains(err.Error(), "[::1]:"+port) {
		t.Errorf("every address of IPv6: %v", err)
	}
	if _, err := health("nowhere"); err == nil || !strings.Contains(err.Error(), "BOR_ADDR") {
		t.Errorf("no port: %v", err)
	}
}
