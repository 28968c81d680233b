package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// eventReader rewrites a server's reply into the plainest event stream: one
// line "data: {…}" an event, each a whole JSON value. That way the library that
// reads it loses nothing: it knows neither byte order marks nor data in several
// lines, gives up on many comments, drops a last line without a line end, and
// can't tell "[DONE]" from a broken connection. A reply that isn't a stream but
// one JSON document is one event; anything else is an error with its beginning.
type eventReader struct {
	src    io.ReadCloser
	lines  *bufio.Reader
	first  bool   // nothing of the body was looked at yet
	cr     bool   // the last line ended in CR: an LF right after it is part of that end
	line   []byte // the line being read
	kind   string // of the open event
	event  []byte // data of the open event
	other  []byte // lines that are no part of an event stream, while no event was seen
	events bool
	out    []byte // rewritten, not yet read
	err    error  // after out
}

const (
	maxEventLine = 16 << 20 // bytes; a longer line is no reply to us
	maxOther     = 4 << 20  // bytes kept of a reply that isn't an event stream
)

// doneEvent stands for "[DONE]". As a JSON string it passes the library.
const doneEvent = `"[DONE]"`

// errNotEvents is a reply that is neither an event stream nor the JSON that it
// should be: its beginning, or what was wrong with it.
type errNotEvents struct {
	body  []byte
	cause error
}

func (e *errNotEvents) Error() string {
	if e.cause != nil {
		return "the reply is not the expected JSON: " + e.cause.Error()
	}
	return "the reply is not an event stream"
}

var errLineTooLong = errors.New("a line of the reply is too long")

func newEventReader(body io.ReadCloser) *eventReader {
	return &eventReader{src: body, lines: bufio.NewReader(body), first: true}
}

func (r *eventReader) Close() error { return r.src.Close() }

func (r *eventReader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		line, err := r.readLine()
		if err == nil || len(line) > 0 {
			r.take(line)
		}
		if err != nil {
			r.end(err)
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// readLine reads one line without its line end: LF, CR LF or CR. It waits for
// no byte after the end. With an error comes what there was of the line; the
// line is valid until the next call.
func (r *eventReader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		if _, err := r.lines.Peek(1); err != nil {
			return r.line, err
		}
		ahead, _ := r.lines.Peek(r.lines.Buffered())
		if r.cr && ahead[0] == '\n' {
			ahead = ahead[1:]
			r.lines.Discard(1)
		}
		r.cr = false
		end := bytes.IndexAny(ahead, "\r\n")
		if end < 0 {
			r.line = append(r.line, ahead...)
			r.lines.Discard(len(ahead))
			if len(r.line) > maxEventLine {
				return nil, errLineTooLong
			}
			continue
		}
		r.line = append(r.line, ahead[:end]...)
		r.cr = ahead[end] == '\r'
		r.lines.Discard(end + 1)
		return r.line, nil
	}
}

// take sorts one line.
func (r *eventReader) take(line []byte) {
	if r.first {
		line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
		r.first = false
	}
	field, value, isField := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) == 0:
		r.dispatch()
		r.kind = ""
	case isField && len(field) == 0: // a comment
	case isField && string(field) == "data":
		r.data(bytes.TrimSpace(value))
	case isField && string(field) == "error" && json.Valid(value):
		r.emit([]byte(`{"error":`), value, []byte("}"))
	case isField && string(field) == "event":
		r.kind = string(bytes.TrimSpace(value))
	case isField && (string(field) == "id" || string(field) == "retry"):
	case len(r.other) == 0 && line[0] == '{' && json.Valid(line):
		r.emit(line) // an object by itself, as Ollama reports errors between events
	case !r.events && len(r.other) < maxOther:
		r.other = append(append(r.other, line...), '\n')
	}
}

// data adds a line of data. An event is given out as soon as it is a whole
// value: many servers don't send the empty line that should end it, or late.
func (r *eventReader) data(value []byte) {
	if len(r.event) > 0 {
		r.event = append(r.event, ' ')
	}
	r.event = append(r.event, value...)
	if string(r.event) == "[DONE]" || json.Valid(r.event) {
		r.dispatch()
	}
}

func (r *eventReader) dispatch() {
	switch {
	case len(r.event) == 0:
	case string(r.event) == "[DONE]":
		r.emit([]byte(doneEvent))
	case r.kind == "error" && r.event[0] != '{':
		text, _ := json.Marshal(string(bytes.Trim(r.event, `"`))) // a string can always be written
		r.emit([]byte(`{"error":`), text, []byte("}"))
	default:
		r.emit(r.event)
	}
	r.event = r.event[:0]
}

// emit writes one event. The space after the brace keeps the library from
// taking an error object for its own.
func (r *eventReader) emit(parts ...[]byte) {
	r.events, r.other = true, nil
	r.out = append(r.out, "data: "...)
	for i, part := range parts {
		if i == 0 && len(part) > 0 && part[0] == '{' {
			r.out = append(r.out, "{ "...)
			part = part[1:]
		}
		r.out = append(r.out, part...)
	}
	r.out = append(r.out, '\n')
}

// end settles what the body's end leaves open.
func (r *eventReader) end(err error) {
	other := bytes.TrimSpace(r.other)
	switch {
	case err == io.EOF && (len(r.event) > 0 || !r.events && isCut(other)):
		err = io.ErrUnexpectedEOF
	case err == io.EOF && len(other) > 0 && json.Valid(other):
		r.emit(bytes.ReplaceAll(other, []byte("\n"), []byte(" ")))
	case err == io.EOF && len(other) > 0:
		err = &errNotEvents{body: other}
	}
	r.err = err
}

// isCut tells whether a whole body is the beginning of what a model's server
// sends: of a field, or of a JSON document.
func isCut(body []byte) bool {
	if len(body) == 0 {
		return false
	}
	if body[0] == '{' {
		return !json.Valid(body)
	}
	for _, field := range [...]string{"data:", "event:", "id:", "error:", "\xEF\xBB\xBF"} {
		if bytes.HasPrefix([]byte(field), body) {
			return true
		}
	}
	return false
}
