package llm

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func rewritten(in string) (string, error) {
	r := newEventReader(io.NopCloser(iotest.OneByteReader(strings.NewReader(in))))
	out, err := io.ReadAll(r)
	return string(out), err
}

func TestEventReader(t *testing.T) {
	big := `{"choices":"` + strings.Repeat("x", 100<<10) + `"}`
	for _, c := range []struct{ name, in, want string }{
		{"plain", "data: {\"a\":1}\n\ndata: [DONE]\n\n", "data: { \"a\":1}\ndata: \"[DONE]\"\n"},
		{"without a space", "data:{\"a\":1}\n\n", "data: { \"a\":1}\n"},
		{"CRLF", "data: {\"a\":1}\r\n\r\ndata: [DONE]\r\n\r\n", "data: { \"a\":1}\ndata: \"[DONE]\"\n"},
		{"byte order mark", "\xef\xbb\xbfdata: {\"a\":1}\n\n", "data: { \"a\":1}\n"},
		{"comments and other fields", ": keep-alive\n\nevent: message\nid: 7\nretry: 10\ndata: {\"a\":1}\n\n", "data: { \"a\":1}\n"},
		{"data in several lines", "data: {\"a\":\ndata: 1}\n\n", "data: { \"a\": 1}\n"},
		{"no empty line between", "data: {\"a\":1}\ndata: {\"b\":2}\n", "data: { \"a\":1}\ndata: { \"b\":2}\n"},
		{"no line end at the end", "data: {\"a\":1}", "data: { \"a\":1}\n"},
		{"done without a line end", "data: [DONE]", "data: \"[DONE]\"\n"},
		{"not JSON is passed on", "data: {oops\n\n", "data: { oops\n"},
		{"error line", "error: {\"message\":\"x\"}\n\n", "data: { \"error\": {\"message\":\"x\"}}\n"},
		{"error object", "data: {\"error\":{\"message\":\"x\"}}\n\n", "data: { \"error\":{\"message\":\"x\"}}\n"},
		{"one JSON document", "{\n  \"a\": 1\n}\n", "data: {    \"a\": 1 }\n"},
		{"long line", "data: " + big + "\n\n", "data: { " + big[1:] + "\n"},
		{"nothing", "", ""},
		{"empty data", "data:\n\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := rewritten(c.in)
			if got != c.want || err != nil {
				t.Errorf("%.200q, %v\nwant %.200q", got, err, c.want)
			}
		})
	}
}

func TestEventReaderErrors(t *testing.T) {
	if out, err := rewritten("data: {\"a\":1}\n\ndata: {\"b\""); out != "data: { \"a\":1}\n" || err != io.ErrUnexpectedEOF {
		t.Errorf("cut event: %q, %v", out, err)
	}
	var foreign *errNotEvents
	if _, err := rewritten("<!doctype html>\n<title>Hello</title>\n"); !errors.As(err, &foreign) || !bytes.HasPrefix(foreign.body, []byte("<!doctype")) {
		t.Errorf("web page: %v", err)
	}
	r := newEventReader(io.NopCloser(io.MultiReader(strings.NewReader("data: {}\n\n"), iotest.ErrReader(io.ErrClosedPipe))))
	if out, err := io.ReadAll(r); string(out) != "data: { }\n" || err != io.ErrClosedPipe {
		t.Errorf("broken connection: %q, %v", out, err)
	}
	r = newEventReader(io.NopCloser(io.MultiReader(strings.NewReader("data: "), endless{})))
	if _, err := io.ReadAll(r); err != errLineTooLong {
		t.Errorf("endless line: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func FuzzEventReader(f *testing.F) {
	f.Add("data: {\"a\":1}\n\ndata: [DONE]\n\n")
	f.Add("\xef\xbb\xbf: c\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nerror: {}\n")
	f.Fuzz(func(t *testing.T, in string) {
		whole, wholeErr := io.ReadAll(newEventReader(io.NopCloser(strings.NewReader(in))))
		bytewise, err := rewritten(in)
		if string(whole) != bytewise || (err == nil) != (wholeErr == nil) {
			t.Fatalf("whole %q, %v; byte by byte %q, %v", whole, wholeErr, bytewise, err)
		}
		for line := range strings.Lines(bytewise) {
			if !strings.HasPrefix(line, "data: ") || !strings.HasSuffix(line, "\n") {
				t.Fatalf("not an event: %q", line)
			}
		}
	})
}
