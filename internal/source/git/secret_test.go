package git

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bor/internal/fault"
)

// processes looks at the arguments and environments of all processes until it is
// ended, and tells how many of them were git's, and which held a text.
func processes(text string) (end func() (gits int, held []string)) {
	stop, done := make(chan struct{}), make(chan struct{})
	seen, held := map[string]bool{}, map[string]bool{}
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			all, _ := filepath.Glob("/proc/[0-9]*")
			for _, process := range all {
				cmdline, _ := os.ReadFile(process + "/cmdline")
				environ, _ := os.ReadFile(process + "/environ")
				if bytes.Contains(environ, []byte("GIT_ASKPASS=")) {
					seen[process] = true
				}
				if bytes.Contains(cmdline, []byte(text)) || bytes.Contains(environ, []byte(text)) {
					held[fmt.Sprintf("%s %q", process, cmdline)] = true
				}
			}
		}
	}()
	return func() (int, []string) {
		close(stop)
		<-done
		var names []string
		for name := range held {
			names = append(names, name)
		}
		return len(seen), names
	}
}

// A credential is nowhere but on its way.
func TestTheTokenIsNowhere(t *testing.T) {
	const token = "tok3n-0123456789abcdef"
	r := newRepository(t)
	for n := range 30 {
		r.write(fmt.Sprint(n, ".md"), fmt.Sprint("number ", n))
	}
	r.commit()
	s, o := serve(t, filepath.Dir(r.dir), "me", token)
	o.Access.Tokens, _ = ParseTokens(s.host() + "=me:" + token)
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	defer slog.SetDefault(before)

	end := processes(token)
	follow(t, Remote{URL: s.URL + "/notes.git"}, o)
	r.write("x.md", "more")
	r.commit()
	follow(t, Remote{URL: s.URL + "/notes.git"}, o)
	gits, held := end()
	if gits == 0 {
		t.Error("no process of git was seen")
	}
	if len(held) > 0 {
		t.Errorf("processes that held the token: %q", held)
	}

	encoded := base64.StdEncoding.EncodeToString([]byte("me:" + token))
	s.answer(func(w http.ResponseWriter, r *http.Request) bool {
		_, password, ok := r.BasicAuth()
		if !ok {
			return false
		}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintln(w, "the password", password, "in", r.Header.Get("Authorization"), "https://me:"+password+"@h.org/x")
		return true
	})
	err := refused(t, Remote{URL: s.URL + "/notes.git"}, o)
	wantFault(t, err, fault.Forbidden, "doesn't let this login read")
	if !strings.Contains(err.Error(), "the password") {
		t.Errorf("the server's words are lost: %v", err)
	}
	for place, text := range map[string]string{"the error": err.Error(), "the log": log.String()} {
		if strings.Contains(text, token) || strings.Contains(text, encoded) {
			t.Errorf("%s holds the token: %s", place, text)
		}
	}
	files := 0
	must(t, filepath.WalkDir(o.CacheDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(token)) || bytes.Contains(content, []byte(encoded)) || strings.Contains(path, token) {
			t.Errorf("%s holds the token", path)
		}
		return err
	}))
	if files == 0 {
		t.Error("there is no copy")
	}
}

// A token is for its host, wherever git is led.
func TestTheTokenGoesToItsHostOnly(t *testing.T) {
	r := newRepository(t)
	r.write("a.md", "one")
	r.commit()
	mine, o := serve(t, filepath.Dir(r.dir), "", "")
	other, trusted := serve(t, filepath.Dir(r.dir), "me", "x")
	a, err := os.ReadFile(o.Access.CAFile)
	must(t, err)
	b, err := os.ReadFile(trusted.Access.CAFile)
	must(t, err)
	must(t, os.WriteFile(o.Access.CAFile, append(a, b...), 0o600))
	o.Access.Tokens, _ = ParseTokens(mine.host() + "=me:secret")
	mine.answer(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, other.URL+r.URL.String(), http.StatusTemporaryRedirect)
		return true
	})
	refused(t, Remote{URL: mine.URL + "/notes.git"}, o)
	wantFault(t, refused(t, Remote{URL: other.URL + "/notes.git"}, o), fault.Forbidden, "wants a login")
	for _, request := range other.requests {
		if request.Header.Get("Authorization") != "" {
			t.Errorf("the other host got %q", request.Header.Get("Authorization"))
		}
	}
}
