package testkit

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestWireCaseSaysEveryByte(t *testing.T) {
	c, err := parseWireCase("# words\ntext: \" a\\n\"\npublic: one\npublic: two\n\n--- reply\nHTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\ndata: 1\n\n%bytes \"\\xff\\r\"\n%repeat 3 ab\n" +
		"%lines \"\\r\"\nx\n%cut\n\n--- reply\nHTTP/1.1 204 No\nConnection: keep-alive\n\n--- reply\nHTTP/1.1 200 OK\nContent-Length: auto\n\nhi\n%hang\n")
	if err != nil {
		t.Fatal(err)
	}
	if c.Want["text"][0] != " a\n" || len(c.Want["public"]) != 2 || len(c.Replies) != 3 {
		t.Errorf("%+v", c)
	}
	for i, want := range []string{
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n13\r\ndata: 1\n\n\xff\rabababx\r\r\n",
		"HTTP/1.1 204 No\r\nConnection: keep-alive\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n",
	} {
		if got := string(c.Replies[i].Bytes); got != want {
			t.Errorf("reply %d is %q, want %q", i, got, want)
		}
	}
	if c.Replies[2].End != WireHang || c.Replies[0].End != WireClose {
		t.Errorf("%+v", c.Replies)
	}
	for _, bad := range []string{"text: \"x\n", "--- reply\nH\n\n%bytes x\n", "--- reply\nH\n\n%repeat many x\n"} {
		if _, err := parseWireCase(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestWireEnds(t *testing.T) {
	w := NewWire(t)
	w.Queue(WireReply{Bytes: []byte("HTTP/1.1 200 OK\r\n\r\nab"), Piece: 1}, WireReply{Bytes: []byte("HTTP/1.1 200 OK\r\n\r\n"), End: WireHang})
	post := func() net.Conn {
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(w.URL, "http://"), "/v1"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	conn := post()
	if text, err := io.ReadAll(conn); string(text) != "HTTP/1.1 200 OK\r\n\r\nab" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	conn.Close()
	conn = post()
	if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%+v, %v", resp, err)
	}
	conn.Close()
	<-w.Closed()
	if n := len(w.Requests()); n != 2 || (<-w.Arrived()).Path != "/v1/x" {
		t.Errorf("%d requests", n)
	}
}
