package handlers

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bor/internal/fault"
)

// captureLog keeps what is logged until the test's end.
func captureLog(t *testing.T) *bytes.Buffer {
	log := new(bytes.Buffer)
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return log
}

func TestFormsThatCannotBeReadAreRefused(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	c := s.signedIn()
	for name, f := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"a body of unknown length, too large": {"message=" + strings.Repeat("x", 2<<20), http.StatusRequestEntityTooLarge, "larger than 1 MB"},
		"no form":                             {"message=%zz", http.StatusBadRequest, "can’t be read"},
		"another's conversation":              {"message=q&submit_id=a&conversation=99", http.StatusNotFound, "no such conversation"},
		"no number":                           {"message=q&submit_id=a&conversation=x", http.StatusUnprocessableEntity, "which conversation"},
		"a negative number":                   {"message=q&submit_id=a&conversation=-1", http.StatusUnprocessableEntity, "which conversation"},
		"a number too large":                  {"message=q&submit_id=a&conversation=99999999999999999999", http.StatusUnprocessableEntity, "which conversation"},
		"bytes that aren't text":              {"message=q&submit_id=%00%ff", http.StatusUnprocessableEntity, "submit id"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/chat", io.MultiReader(strings.NewReader(f.body))) // hides the length
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("HX-Request-Type", "partial")
		if got := s.do(c, r); got.status != f.status || !strings.Contains(got.body, f.says) || strings.Contains(got.body, "<html") {
			t.Errorf("%s gives %d: %s", name, got.status, got.body)
		}
	}
	var turns int
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM turns").Scan(&turns); err != nil || turns != 0 {
		t.Errorf("%d turns were started (%v)", turns, err)
	}
}

func TestAStrangersFormIsTold(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil)
	form := url.Values{"message": {"q"}, "submit_id": {"a"}}
	if got := s.post(s.client(), "/chat", form); got.status != http.StatusUnauthorized || !strings.Contains(got.body, "then go back and send this again") {
		t.Errorf("a page gives %d: %s", got.status, got.body)
	}
	if got := s.post(s.client(), "/chat", form, "HX-Request-Type", "partial"); got.status != http.StatusUnauthorized || !strings.Contains(got.body, "is still here") || strings.Contains(got.body, "<html") {
		t.Errorf("a fragment gives %d: %s", got.status, got.body)
	}
}

func TestAPanicIsAnErrorPageAndALogLine(t *testing.T) {
	log := captureLog(t)
	s := newSite(t, answerer{"text"}, func(d *Deps) {
		d.Ready = func(context.Context) error { panic("boom\x1b[2J") }
	})
	got := s.get(s.client(), "/readyz")
	if got.status != http.StatusInternalServerError || !strings.Contains(got.body, "Something went wrong") || strings.Contains(got.body, "boom") ||
		got.header.Get("Content-Security-Policy") == "" {
		t.Errorf("%d: %s", got.status, got.body)
	}
	if line := log.String(); !strings.Contains(line, `boom\x1b[2J`) || !strings.Contains(line, "refusal_test.go") || strings.Count(line, "\n") != 1 {
		t.Errorf("the log is %q", line)
	}
}

func TestEveryFaultHasAStatus(t *testing.T) {
	for _, code := range []fault.Code{fault.Invalid, fault.NotFound, fault.Conflict, fault.Limited, fault.Unavailable, fault.Forbidden, fault.Internal} {
		if statusOf[code] < 400 {
			t.Errorf("%s has status %d", code, statusOf[code])
		}
	}
}
