package handlers

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// deadlines is a response that notes what its connection is told.
type deadlines struct {
	*httptest.ResponseRecorder
	order []string
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	if left := time.Until(t); left <= 0 || left > time.Minute {
		d.order = append(d.order, "a deadline "+left.String()+" away")
	} else {
		d.order = append(d.order, "deadline")
	}
	return nil
}

func (d *deadlines) WriteHeader(status int) {
	d.order = append(d.order, "header")
	d.ResponseRecorder.WriteHeader(status)
}

func (d *deadlines) Write(p []byte) (int, error) {
	d.order = append(d.order, "piece")
	if len(p) > writePiece {
		d.order = append(d.order, "too large")
	}
	return d.ResponseRecorder.Write(p)
}

// A connection that is used again still has its last response's deadline: also a
// response without a body must renew it.
func TestEachPieceHasItsTime(t *testing.T) {
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	w := newPatientWriter(d, writeTimeout)
	w.WriteHeader(http.StatusOK)
	text := bytes.Repeat([]byte("0123456789"), writePiece/5)
	for _, p := range [][]byte{text, nil} {
		if n, err := w.Write(p); n != len(p) || err != nil {
			t.Errorf("%d of %d bytes, %v", n, len(p), err)
		}
	}
	want := "deadline header deadline piece deadline piece deadline piece"
	if got := strings.Join(d.order, " "); got != want || !bytes.Equal(d.Body.Bytes(), text) {
		t.Errorf("%s\nnot %s", got, want)
	}
	if err := http.NewResponseController(w).Flush(); err != nil || !d.Flushed {
		t.Errorf("a flush doesn't reach the connection: %v", err)
	}
}

func TestAClientThatDoesNotReadIsDropped(t *testing.T) {
	failed := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := newPatientWriter(w, 100*time.Millisecond).Write(make([]byte, 64<<20))
		failed <- err
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("the whole response went to a client that reads none of it")
	}
}
