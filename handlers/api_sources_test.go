package handlers

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// idle waits until no sync goes on.
func (s *site) idle(c *http.Client) string {
	s.t.Helper()
	return s.until(c, "/api/sync/status", func(body string) bool {
		return !strings.Contains(body, `"state":"running"`) && !strings.Contains(body, `"state":"waiting"`)
	})
}

// described makes a request and holds its answer to the description.
func (s *site) described(c *http.Client, method, path, place, body, status string) string {
	s.t.Helper()
	var got answer
	if body == "" {
		got = s.send(c, method, path)
	} else {
		got = s.sendJSON(c, method, path, body)
	}
	if strconv.Itoa(got.status) != status || got.header.Get("Content-Type") != "application/json" {
		s.t.Fatalf("%s %s: %d, not %s: %v %s", method, path, got.status, status, got.header, got.body)
	}
	check(s.t, got.body, "paths", place, strings.ToLower(method), "responses", status, "content", "application/json", "schema")
	return got.body
}

func TestAProgramManagesSources(t *testing.T) {
	s := newRegistrySite(t)
	c := s.signedIn()
	if body := s.described(c, "GET", "/api/sync/status", "/api/sync/status", "", "200"); !strings.Contains(body, `"state":"never"`) {
		t.Errorf("%s", body)
	}
	draft, err := json.Marshal(map[string]any{"kind": "local", "location": notes(t), "ignore_paths": []string{"old/"}})
	if err != nil {
		t.Fatal(err)
	}
	s.described(c, "POST", "/api/git-sources", "/api/git-sources", string(draft), "201")
	got := s.postJSON(c, "/api/git-sources", string(draft))
	if got.status != http.StatusBadRequest || !strings.Contains(got.body, `already`) {
		t.Errorf("twice: %d %s", got.status, got.body)
	}
	s.described(c, "POST", "/api/sync", "/api/sync", "{}", "202")
	if body := s.idle(c); !strings.Contains(body, `"state":"done"`) || !strings.Contains(body, `"added":2`) {
		t.Errorf("%s", body)
	}
	s.described(c, "GET", "/api/sync/status", "/api/sync/status", "", "200")
	if body := s.described(c, "GET", "/api/git-sources/status", "/api/git-sources/status", "", "200"); !strings.Contains(body, `"last":{"state":"done","files":2,"added":2,`) {
		t.Errorf("%s", body)
	}
	if body := s.described(c, "GET", "/api/docs?sort=path&dir=down&q=B", "/api/docs", "", "200"); !strings.Contains(body, `"path":"sub/b.conf"`) || !strings.Contains(body, `"total":1`) {
		t.Errorf("%s", body)
	}
	const summary = "/api/documents/summary"
	made := s.described(c, "GET", summary+"?source=notes&path=sub/b.conf", summary, "", "200")
	if body := s.described(c, "PUT", summary, summary, `{"source":"notes","path":"sub/b.conf","summary":"Mine."}`, "200"); !strings.Contains(body, `"summary":"Mine.","edited":true`) {
		t.Errorf("%s", body)
	}
	if body := s.described(c, "POST", summary, summary, `{"source":"notes","path":"sub/b.conf"}`, "200"); body != made {
		t.Errorf("%s, not %s", body, made)
	}
	if got := s.sendJSON(c, "PUT", summary, `{"source":"notes","path":"sub/b.conf","summary":""}`); got.status != http.StatusBadRequest {
		t.Errorf("an empty one: %d %s", got.status, got.body)
	}
	if body := s.described(c, "PUT", "/api/git-sources/1", "/api/git-sources/{source}", `{"allowed_secrets":[".env"]}`, "200"); !strings.Contains(body, `"name":"notes"`) || !strings.Contains(body, `"ignore_paths":[],"allowed_secrets":[".env"]`) {
		t.Errorf("%s", body)
	}
	if body := s.described(c, "DELETE", "/api/git-sources/1", "/api/git-sources/{source}", "", "200"); !strings.Contains(body, `"removed":true`) {
		t.Errorf("%s", body)
	}
	got = s.upload(c, "/api/git-sources/upload", "lab", "lab.zip", []byte("data"))
	if got.status != http.StatusAccepted {
		t.Fatalf("%d %s", got.status, got.body)
	}
	check(t, got.body, "paths", "/api/git-sources/upload", "post", "responses", "202", "content", "application/json", "schema")
	if got := s.upload(c, "/api/git-sources/upload", "big", "big.zip", make([]byte, 3<<20)); got.status != http.StatusBadRequest || !strings.Contains(got.body, "larger than 2 MB") {
		t.Errorf("too large: %d %s", got.status, got.body)
	}
	if got := s.postJSON(c, "/api/sync/stop", "{}"); got.status != http.StatusConflict || !strings.Contains(got.body, "nothing to stop") {
		t.Errorf("stopping nothing: %d %s", got.status, got.body)
	}
}

func TestASecondSyncByAProgramIsAConflict(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil) // nobody works
	c := s.signedIn()
	if body := s.described(c, "POST", "/api/sync", "/api/sync", "{}", "202"); !strings.Contains(body, `"state":"waiting"`) {
		t.Errorf("%s", body)
	}
	if got := s.postJSON(c, "/api/sync", "{}"); got.status != http.StatusConflict || !strings.Contains(got.body, "going on already") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
