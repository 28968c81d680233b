package llm

import (
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	maxErrorBody = 64 << 10  // bytes read of a failed reply
	maxReply     = 256 << 20 // bytes of a reply that isn't streamed
	maxRedirects = 5
)

// newHTTPClient makes the transport that all endpoints share. Only the time to
// connect is bounded here: replies are watched while they stream.
func newHTTPClient(connect time.Duration) *http.Client {
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            dialWith(dialer),
			TLSHandshakeTimeout:    connect,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    16,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			// Each running answer holds a connection. Its events are short, and longer
			// reads and writes pass these buffers by.
			ReadBufferSize:  1 << 10,
			WriteBufferSize: 1 << 10,
		},
		CheckRedirect: checkRedirect,
	}
}

// checkRedirect follows a redirect only within the same scheme and host, and
// only if the request stays what it was. Any other is given back as the reply.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects || req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme || req.Method != first.Method {
		return http.ErrUseLastResponse
	}
	return nil
}

// doer is the library's way to the network: it turns every failure into a
// fault, and streams into what the library can read.
type doer struct {
	http     *http.Client
	endpoint *endpoint
}

// Do sends the request. A reply that isn't a success is an error.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	resp, err := d.http.Do(withConnecting(req))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what arrived is enough
		resp.Body.Close()
		d.http.CloseIdleConnections() // while a retry waits, no connection stays, and it may meet another server
		return nil, d.endpoint.status(resp, body)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		resp.Body.Close()
		return nil, d.endpoint.notModelServer([]byte("<"), nil)
	}
	if strings.Contains(req.Header.Get("Accept"), "text/event-stream") {
		resp.Body = newEventReader(resp.Body)
	} else {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxReply)
	}
	return resp, nil
}
