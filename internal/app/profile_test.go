package app

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestProfilesAreServedWhereTheyWereAskedFor(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := taken.Addr().String()
	if _, err := serveProfiles(t.Context(), addr); err == nil || !strings.Contains(err.Error(), "BOR_PPROF") {
		t.Errorf("a taken port gives %v", err)
	}
	taken.Close()
	server, err := serveProfiles(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for path, want := range map[string]int{"/debug/pprof/": 200, "/debug/pprof/goroutine?debug=1": 200, "/debug/pprof/cmdline": 200, "/": 404} {
		r, err := http.Get("http://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%s gives %d", path, r.StatusCode)
		}
	}
}
