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
	return &eventReader{src: body, lines: bufio.NewReaderSize(body, 8<<10), first: true}
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

// readLine reads one line without its line end.
func (r *eventReader) readLine() (line []byte, err error) {
	for {
		part, err := r.lines.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(line) > maxEventLine {
				return nil, errLineTooLong
			}
			continue
		}
		return bytes.TrimRight(line, "\r\n"), err
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
	case isField && len(field) == 0: // a comment
	case isField && string(field) == "data":
		r.data(bytes.TrimSpace(value))
	case isField && string(field) == "error" && json.Valid(value):
		r.emit([]byte(`{"error":`), value, []byte("}"))
	case isField && (string(field) == "event" || string(field) == "id" || string(field) == "retry"):
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
	case err == io.EOF && len(r.event) > 0:
		err = io.ErrUnexpectedEOF
	case err == io.EOF && len(other) > 0 && json.Valid(other):
		r.emit(bytes.ReplaceAll(other, []byte("\n"), []byte(" ")))
	case err == io.EOF && len(other) > 0:
		err = &errNotEvents{body: other}
	}
	r.err = err
}
