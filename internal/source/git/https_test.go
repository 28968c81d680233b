package git

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bor/internal/fault"
)

// gitServer is a real git server over https, with a login.
type gitServer struct {
	*httptest.Server
	backend        *cgi.Handler
	user, password string // empty: everybody may read

	mu       sync.Mutex
	requests []*http.Request
	first    func(http.ResponseWriter, *http.Request) bool // may answer instead
}

func (s *gitServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	first, wanted := s.first, s.password
	s.mu.Unlock()
	if first != nil && first(w, r) {
		return
	}
	if user, password, _ := r.BasicAuth(); wanted != "" && (user != s.user || password != wanted) {
		w.Header().Set("WWW-Authenticate", `Basic realm="notes"`)
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	s.backend.ServeHTTP(w, r)
}

// answer makes the server answer with f first; nil: as git does.
func (s *gitServer) answer(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = f
}

// login makes the server want another password.
func (s *gitServer) login(password string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.password = password
}

// seen counts the requests whose address holds a text.
func (s *gitServer) seen(text string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if strings.Contains(r.URL.String(), text) {
			n++
		}
	}
	return n
}

// serve serves a folder of repositories, and gives options that trust the server.
func serve(t *testing.T, root, user, password string) (*gitServer, Options) {
	t.Helper()
	execPath, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &gitServer{user: user, password: password, backend: &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(execPath)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=me",
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"},
		Stderr: io.Discard,
	}}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	o := options(t)
	o.Access = Access{CAFile: filepath.Join(t.TempDir(), "ca.pem")}
	if err := os.WriteFile(o.Access.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, o
}

// host is the server's, as a token names it.
func (s *gitServer) host() string { return strings.TrimPrefix(s.URL, "https://") }

func TestPrivateRepositoryOverHTTPS(t *testing.T) {
	r := newRepository(t)
	r.write("a.md", "one")
	r.commit()
	s, o := serve(t, filepath.Dir(r.dir), "me", "s3cr3t/+ ü")
	remote := Remote{URL: s.URL + "/notes.git"}

	wantFault(t, refused(t, remote, o), fault.Forbidden, "wants a login", "add "+s.host()+"=token to BOR_GIT_TOKENS")

	o.Access.Tokens, _ = ParseTokens(s.host() + "=me:wrong-token-1")
	err := refused(t, remote, o)
	wantFault(t, err, fault.Forbidden, s.host()+" refused the token", "expired")
	if strings.Contains(err.Error(), "wrong-token-1") {
		t.Errorf("the error holds the token: %v", err)
	}

	o.Access.Tokens, _ = ParseTokens(s.host() + "=me:s3cr3t/+ ü")
	if got := follow(t, remote, o); got.files["a.md"].Text != "one" {
		t.Errorf("read %v", got.order)
	}
	r.write("b.md", "two")
	r.commit()
	if got := follow(t, remote, o); got.paths() != "a.md b.md" {
		t.Errorf("read %v", got.order)
	}
	before := s.seen("git-upload-pack")
	follow(t, remote, o)
	if n := s.seen("git-upload-pack") - before; n > 3 { // two to log in, and one for what is current
		t.Errorf("an unchanged repository took %d requests", n)
	}

	s.login("changed") // the token expires while a copy is there
	wantFault(t, refused(t, remote, o), fault.Forbidden, "refused the token")
	s.login("s3cr3t/+ ü")
	if n := len(copies(t, o)); n != 1 {
		t.Errorf("%d copies", n)
	}
}

func TestWhatServersSay(t *testing.T) {
	r := newRepository(t)
	r.write("a.md", "one")
	r.commit()
	s, o := serve(t, filepath.Dir(r.dir), "", "")
	answer := func(status int, header ...string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
			w.Write([]byte("<html>\n\x1b[31mhello\n</html>\n"))
			return true
		}
	}
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request) bool
		code   fault.Code
		words  string
	}{
		{"gone", answer(404), fault.NotFound, "has no such repository"},
		{"forbidden", answer(403), fault.Forbidden, "doesn't let this login read"},
		{"busy", answer(429), fault.Unavailable, "asked too often"},
		{"broken", answer(500), fault.Unavailable, "trouble of its own"},
		{"down", answer(503), fault.Unavailable, "trouble of its own"},
		{"a page", answer(200, "Content-Type", "text/html"), fault.Invalid, "no git server"},
		{"moved", answer(301, "Location", s.URL+"/elsewhere.git/info/refs?service=git-upload-pack"), fault.NotFound, "Redirections aren't followed"},
		{"cut", func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Length", "1000")
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			w.Write([]byte("001e# service=git-upload-pack\n0000"))
			return true
		}, fault.Unavailable, "ended early"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.answer(c.answer)
			err := refused(t, Remote{URL: s.URL + "/notes.git"}, o)
			wantFault(t, err, c.code, c.words)
			if strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%q", err)
			}
		})
	}
	s.answer(nil)
	wantFault(t, refused(t, Remote{URL: s.URL + "/other.git"}, o), fault.NotFound, "has no such repository")
	o.Access.CAFile = ""
	wantFault(t, refused(t, Remote{URL: s.URL + "/notes.git"}, o), fault.Unavailable, "no certificate that is trusted", "BOR_GIT_CA_FILE")
	wantFault(t, refused(t, Remote{URL: "https://nowhere.invalid/notes.git"}, o), fault.Unavailable, "No host named nowhere.invalid")
	s.Close()
	wantFault(t, refused(t, Remote{URL: s.URL + "/notes.git"}, o), fault.Unavailable, "can't be reached")
}
