package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"bor/internal/fault"
	"bor/internal/turnview"
)

// retryAfter is when a client may try again what was refused for now, in seconds,
// unless the refusal knows better.
const retryAfter = 5

// isAPI tells whether a request is a program's: it gets JSON, also for errors (AD3).
func isAPI(c echo.Context) bool {
	p := c.Request().URL.Path
	return p == "/api" || strings.HasPrefix(p, "/api/")
}

// sendProblem answers a refused request.
func (s *Server) sendProblem(c echo.Context, status int, text string) error {
	h := c.Response().Header()
	if (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) && h.Get("Retry-After") == "" {
		h.Set("Retry-After", strconv.Itoa(retryAfter))
	}
	return sendJSON(c, status, turnview.ErrorEvent{Detail: text})
}

// sendJSON sends a value as one line.
func sendJSON(c echo.Context, status int, v any) error {
	body, err := jsonLine(v)
	if err != nil {
		return err
	}
	return c.Blob(status, echo.MIMEApplicationJSON, body)
}

// jsonLine is a value as JSON on a line of its own. Nobody takes it for HTML, so
// that its text needs no more escapes than JSON's own.
func jsonLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// explainToProgram is explain for the API, whose clients have no page to reload.
func (s *Server) explainToProgram(err error) (int, string) {
	status, text := s.explain(err)
	var web *echo.HTTPError
	switch {
	case status == http.StatusUnprocessableEntity:
		status = http.StatusBadRequest
	case !errors.As(err, &web):
	case status == http.StatusNotFound:
		text = "There is no such address in the API. /api/openapi.json lists what there is."
	case status == http.StatusMethodNotAllowed:
		text = "This address doesn’t take that method; the Allow header lists those that it takes."
	}
	return status, text
}

// decode reads a JSON body into v, exactly: no other type, no unknown key, nothing
// after it.
func decode(c echo.Context, v any) error {
	if kind, _, err := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType)); err != nil || kind != echo.MIMEApplicationJSON {
		return echo.NewHTTPError(http.StatusUnsupportedMediaType, "The body has to be JSON: send it with Content-Type: application/json.")
	}
	control := http.NewResponseController(c.Response())
	control.SetReadDeadline(time.Now().Add(formTimeout)) // fails only for what isn't a connection
	body, err := io.ReadAll(c.Request().Body)
	control.SetReadDeadline(time.Time{})
	var web *echo.HTTPError
	switch {
	case errors.As(err, &web): // too large
		return web
	case err != nil:
		return fault.Wrap(fault.Invalid, "The body did not arrive whole, so nothing was done. Send it again.", err)
	case !utf8.Valid(body):
		return fault.New(fault.Invalid, "The body is not UTF-8 text.")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err = d.Decode(v); err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("there is more after the JSON value")
	}
	return fault.Wrap(fault.Invalid, "The body can’t be used: "+whatIsWrong(err)+".", err)
}

// whatIsWrong is a decoder's error in the words of whoever wrote the JSON.
func whatIsWrong(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends in the middle of a JSON value"
	case errors.As(err, &syntax):
		return "it is not JSON at byte " + strconv.FormatInt(syntax.Offset, 10)
	case errors.As(err, &kind) && kind.Field == "":
		return "it is a JSON " + kind.Value + " where an object is wanted"
	case errors.As(err, &kind):
		return "“" + kind.Field + "” is a JSON " + kind.Value + ", which it must not be"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
