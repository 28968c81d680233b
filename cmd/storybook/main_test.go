package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestServeSaysWhereAndEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, "127.0.0.1:0", out) }()
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(strings.TrimPrefix(line, "The story book is open: "))
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if page, err := io.ReadAll(response.Body); response.StatusCode != http.StatusOK || !strings.Contains(string(page), "turn-done") || err != nil {
		t.Errorf("%s %v: %s", response.Status, err, page)
	}
	taken := strings.Trim(strings.TrimPrefix(address, "http://"), "/")
	if err := serve(ctx, taken, out); err == nil || !strings.Contains(err.Error(), "BOR_ADDR") {
		t.Errorf("a taken address: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
