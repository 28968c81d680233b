package handlers

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	// A client that takes nothing for so long is dropped (SEC4). The time counts
	// for each piece, so that a slow one may take long for much.
	writeTimeout = 30 * time.Second
	writePiece   = 64 << 10
)

// patient gives every write of a response its time. There is no limit on a whole
// response, which a stream would break.
func patient(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Writer = newPatientWriter(c.Response().Writer, writeTimeout)
		return next(c)
	}
}

// patientWriter renews the connection's deadline before each piece. A connection
// that is used again has the deadline of its last response, so the first byte of
// each renews it too.
type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

func newPatientWriter(w http.ResponseWriter, timeout time.Duration) *patientWriter {
	return &patientWriter{ResponseWriter: w, control: http.NewResponseController(w), timeout: timeout}
}

func (w *patientWriter) WriteHeader(status int) {
	w.renew()
	w.ResponseWriter.WriteHeader(status)
}

func (w *patientWriter) Write(p []byte) (n int, err error) {
	for {
		w.renew()
		written, err := w.ResponseWriter.Write(p[n:min(len(p), n+writePiece)])
		n += written
		if err != nil || n == len(p) {
			return n, err
		}
	}
}

// renew allows the next piece its time. It can't fail but where there is no
// connection.
func (w *patientWriter) renew() { w.control.SetWriteDeadline(time.Now().Add(w.timeout)) }

// Unwrap lets a response controller find the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
