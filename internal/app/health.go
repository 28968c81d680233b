package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"bor/internal/config"
)

// healthWait is how long a server may take to say how it is.
const healthWait = 5 * time.Second

// Health asks the server at c.Addr, on this machine, whether it is ready: it
// serves, and its database answers. It is what a container's health check runs,
// so that the image needs no other program for it.
func Health(ctx context.Context, c config.Config, out io.Writer) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("setting BOR_ADDR: %q is not host:port: %w", c.Addr, err)
	}
	// By number: a container need not know the name localhost.
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	ctx, cancel := context.WithTimeout(ctx, healthWait)
	defer cancel()
	addr := net.JoinHostPort(host, port)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return err
	}
	// Nothing between us and a server on this machine: no proxy of the environment.
	response, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w. Start it with `bor serve`, or set BOR_ADDR to where it listens", addr, err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(io.LimitReader(response.Body, 300))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s is not ready: %s", addr, said)
	}
	_, err = fmt.Fprintf(out, "ready: http://%s/\n", addr)
	return err
}
