// Command storybook serves every view in every state with canned data, without a
// database: at the address in BOR_ADDR, or at a free port of this machine.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"bor/internal/storybook"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, cmp.Or(os.Getenv("BOR_ADDR"), "127.0.0.1:0"), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "storybook:", err)
		os.Exit(1)
	}
}

// serve shows the book until ctx ends, and says where.
func serve(ctx context.Context, address string, out io.Writer) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("%w\nSet BOR_ADDR to another address", err)
	}
	server := &http.Server{Handler: storybook.Handler(), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() }) // its streams never end by themselves
	fmt.Fprintf(out, "The story book is open: http://%s/\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
