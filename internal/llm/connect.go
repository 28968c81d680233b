package llm

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
)

// The library's transport makes a connection in the background and goes on with it
// when the request that wanted it has ended: another may use it. A server that hangs
// in its handshake would so keep a socket of a stopped turn, until the time to connect
// is over. Here a connection that isn't made yet ends with its request.

// connecting is one request's connection while it is being made.
type connecting struct {
	asker context.Context
	tls   bool
	made  func() bool // lets the connection outlive the asker
}

type connectingKey struct{}

// withConnecting has dialWith end what it makes for a request along with it.
func withConnecting(req *http.Request) *http.Request {
	c := &connecting{asker: req.Context(), tls: req.URL.Scheme == "https"}
	ctx := context.WithValue(req.Context(), connectingKey{}, c)
	return req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(tls.ConnectionState, error) {
			if c.made != nil {
				c.made()
			}
		},
	}))
}

// dialWith is dialer's DialContext for requests of withConnecting. A transport calls
// it and the hook from one goroutine, in turn.
func dialWith(dialer *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, ok := ctx.Value(connectingKey{}).(*connecting)
		if !ok {
			return dialer.DialContext(ctx, network, address)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.asker, cancel)()
		conn, err := dialer.DialContext(ctx, network, address)
		if err == nil && c.tls {
			c.made = context.AfterFunc(c.asker, func() { conn.Close() })
		}
		return conn, err
	}
}
