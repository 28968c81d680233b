package e2e

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"bor/internal/testkit"
)

// TestAccessStartup gives the program what it can't work with: it ends, says which
// setting, and what to do.
func TestAccessStartup(t *testing.T) {
	database := testkit.EmptyDB(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	model := testkit.NewModel(t)
	model.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.6,0.8,0]}]}`)
	})
	notes := tree(t, map[string]string{"a.md": "# A note\n\nAbout a thing.\n"})
	for _, fault := range []struct {
		name string
		args []string
		env  []string
		says []string
	}{
		{"a negative limit", []string{"serve"}, []string{"BOR_READ_MAX_CHARS=-1"}, []string{"BOR_READ_MAX_CHARS", "negative"}},
		{"no number", []string{"serve"}, []string{"BOR_TOP_N_DOCS=many"}, []string{"BOR_TOP_N_DOCS", "number"}},
		{"no address", []string{"serve"}, []string{"BOR_ADDR=8484"}, []string{"BOR_ADDR"}},
		{"a taken port", []string{"serve"}, []string{"BOR_ADDR=" + taken.Addr().String()}, []string{"BOR_ADDR", "taken", taken.Addr().String()}},
		{"no password", []string{"serve"}, []string{"BOR_ADMIN_PASSWORD="}, []string{"BOR_ADMIN_PASSWORD", "empty"}},
		{"no such host", []string{"serve"}, []string{"DATABASE_URL=postgres://bor:secret@127.0.0.1:1/bor"}, []string{"DATABASE_URL"}},
		{"no such database", []string{"serve"}, []string{"DATABASE_URL=" + strings.Replace(database, "bor_test_", "bor_none_", 1)}, []string{"DATABASE_URL", "bor_none_"}},
		{"no database address", []string{"serve"}, []string{"DATABASE_URL=nonsense://x"}, []string{"DATABASE_URL"}},
		{"an account that may not switch pgvector on", []string{"serve"}, []string{"DATABASE_URL=" + bare(t, database)}, []string{"superuser", "CREATE EXTENSION vector"}},
		{"no such folder", []string{"import", "--source", filepath.Join(notes, "gone"), "--name", "n"}, nil, []string{"gone"}},
		{"a wrong dimension", []string{"import", "--source", notes, "--name", "n"}, []string{"BOR_EMBED_BASE_URL=" + model.URL}, []string{"BOR_EMBEDDING_DIM", "768", "3"}},
		{"no such command", []string{"server"}, nil, []string{"server"}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), binary, fault.args...)
			cmd.Env = append(clean(os.Environ()), append([]string{"DATABASE_URL=" + database, "BOR_ADDR=127.0.0.1:0", "BOR_DATA_DIR=" + t.TempDir(), "BOR_ADMIN_PASSWORD=" + password}, fault.env...)...)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() < 1 {
				t.Errorf("it ended with %v", err)
			}
			for _, want := range fault.says {
				if !strings.Contains(string(out), want) {
					t.Errorf("it doesn't name %q:\n%s", want, out)
				}
			}
			if strings.Contains(string(out), "secret@") || strings.Contains(string(out), "goroutine ") {
				t.Errorf("it says too much:\n%s", out)
			}
		})
	}
}

// bare makes a database from the server's bare template, in which pgvector isn't
// switched on and can't be by its ordinary owner.
func bare(t *testing.T, beside string) string {
	t.Helper()
	config, err := pgx.ParseConfig(beside)
	must(t, err)
	name := config.Database + "_bare"
	run := func(sql string) {
		conn, err := pgx.Connect(context.Background(), beside)
		must(t, err)
		defer conn.Close(context.Background())
		_, err = conn.Exec(context.Background(), sql)
		must(t, err)
	}
	run("CREATE DATABASE " + name + " TEMPLATE template0")
	t.Cleanup(func() { run("DROP DATABASE IF EXISTS " + name) })
	return strings.Replace(beside, config.Database, name, 1)
}
