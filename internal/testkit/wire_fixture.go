package testkit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// WireCase is a committed case for a Wire: what a server sends, and what has to
// become of it. A case is a text file:
//
//	# Words about it.
//	text: Port 53
//	public: too long
//
//	--- reply
//	HTTP/1.1 200 OK
//	Content-Type: text/event-stream
//	Transfer-Encoding: chunked
//
//	data: {"choices":[]}
//
// Expectations are "name: value" lines, of any names; a value that begins with a
// quotation mark is a Go string. Each "--- reply" is the reply to one more
// request. Its head gets CR LF and, unless it says otherwise, "Connection:
// close"; its body is framed as the head says: in chunks, one a paragraph, with
// the length counted where the head says "Content-Length: auto", or by the
// connection's end. The empty line before the next reply is no part of a body.
// Lines of a body that begin with a percent sign are directives:
//
//	%bytes "…"       these bytes, a Go string, without a line end
//	%repeat 70000 x  the text that often, without a line end
//	%lines "\r"      what ends a line from here on
//	%reset, %hang    the reply ends here: broken, or silent
//	%cut             the reply ends here, without the end of its framing
type WireCase struct {
	Name    string
	Want    map[string][]string
	Replies []WireReply
}

// WireCases reads all cases of a folder, by name.
func WireCases(t testing.TB, dir string) []WireCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	var cases []WireCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseWireCase(string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		c.Name = strings.TrimSuffix(filepath.Base(file), ".txt")
		cases = append(cases, c)
	}
	return cases
}

func parseWireCase(text string) (WireCase, error) {
	c := WireCase{Want: map[string][]string{}}
	head, replies, _ := strings.Cut(text, "--- reply\n")
	for line := range strings.Lines(head) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, `"`) {
			var err error
			if value, err = strconv.Unquote(value); err != nil {
				return c, fmt.Errorf("%q: %w", line, err)
			}
		}
		c.Want[name] = append(c.Want[name], value)
	}
	for _, reply := range strings.Split(replies, "\n--- reply\n") {
		r, err := parseWireReply(reply)
		if err != nil {
			return c, err
		}
		c.Replies = append(c.Replies, r)
	}
	return c, nil
}

func parseWireReply(text string) (reply WireReply, err error) {
	head, text, _ := strings.Cut(text, "\n\n")
	head = strings.TrimRight(head, "\n") + "\n"
	if !strings.Contains(head, "\nConnection:") {
		head += "Connection: close\n"
	}
	var body bytes.Buffer
	cut, end := false, "\n"
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "%bytes", "%lines":
			var value string
			if value, err = strconv.Unquote(rest); err != nil {
				return reply, fmt.Errorf("%q: %w", line, err)
			}
			if word == "%lines" {
				end = value
			} else {
				body.WriteString(value)
			}
		case "%repeat":
			var n int
			count, what, _ := strings.Cut(rest, " ")
			if n, err = strconv.Atoi(count); err != nil {
				return reply, fmt.Errorf("%q: %w", line, err)
			}
			body.WriteString(strings.Repeat(what, n))
		case "%cut", "%reset", "%hang":
			cut = true
			reply.End = map[string]WireEnd{"%cut": WireClose, "%reset": WireReset, "%hang": WireHang}[word]
		default:
			body.WriteString(strings.TrimSuffix(line, "\n") + end)
		}
	}
	head = strings.Replace(head, "Content-Length: auto", fmt.Sprintf("Content-Length: %d", body.Len()), 1)
	reply.Bytes = []byte(strings.ReplaceAll(head, "\n", "\r\n") + "\r\n")
	if !strings.Contains(head, "Transfer-Encoding: chunked\n") {
		reply.Bytes = append(reply.Bytes, body.Bytes()...)
		return reply, nil
	}
	for _, chunk := range bytes.SplitAfter(body.Bytes(), []byte(end+end)) {
		if len(chunk) > 0 {
			reply.Bytes = fmt.Appendf(reply.Bytes, "%x\r\n%s\r\n", len(chunk), chunk)
		}
	}
	if !cut {
		reply.Bytes = append(reply.Bytes, "0\r\n\r\n"...)
	}
	return reply, nil
}
