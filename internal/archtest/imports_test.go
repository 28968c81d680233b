// Package archtest holds the shape of the house: which package may import which.
// docs/design.md draws the same picture for people.
package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// may lists, for each package of this module, the module's packages that it may
// import. Tests may import more. A package that isn't listed fails: it wants a
// place in the picture first.
var may = map[string][]string{
	"cmd/bor":       {"internal/app", "internal/config"},
	"cmd/storybook": {"internal/storybook"},
	"internal/app":  {"*"},
	"handlers":      {"internal/auth", "internal/chat", "internal/fault", "internal/ingest", "internal/kb", "internal/markdown", "internal/registry", "internal/syncjob", "internal/metrics", "internal/querylog", "internal/turnview", "static", "views"},
	"views":         {},
	"static":        {},
	"sample":        {},
	"db":            {},
	"db/localpg":    {},
	"e2e":           {},
	"e2e/faults":    {},

	"internal/storybook":     {"handlers", "internal/agent", "internal/chat", "internal/kb", "internal/turnview", "internal/verbatim", "static", "views"},
	"internal/turnview":      {"internal/agent", "internal/chat", "internal/markdown", "internal/verbatim", "views"},
	"internal/chat":          {"db", "internal/agent", "internal/fault", "internal/llm", "internal/markdown", "internal/retrieval", "internal/verbatim", "internal/kb"},
	"internal/auth":          {"db", "internal/chat", "internal/fault"},
	"internal/agent":         {"internal/kb", "internal/llm", "internal/verbatim"},
	"internal/agent/tools":   {"internal/agent", "internal/kb", "internal/llm", "internal/verbatim"},
	"internal/verbatim":      {"internal/kb"},
	"internal/retrieval":     {"db", "internal/lexical", "internal/llm"},
	"internal/ingest":        {"db", "internal/chunk", "internal/fault", "internal/kb", "internal/lexical", "internal/llm", "internal/markdown", "internal/picture", "internal/registry", "internal/source"},
	"internal/syncjob":       {"db", "internal/fault", "internal/ingest"},
	"internal/registry":      {"db", "internal/fault", "internal/source"},
	"internal/kb":            {"db", "internal/forge"},
	"internal/forge":         {},
	"internal/kb/kbtest":     {"internal/kb"},
	"internal/querylog":      {"db", "internal/chat", "internal/kb"},
	"internal/metrics":       {"db", "internal/chat"},
	"internal/llm":           {},
	"internal/llm/librarian": {"internal/llm"},
	"internal/markdown":      {},
	"internal/source":        {},
	"internal/picture":       {},
	"internal/source/git":    {"internal/fault", "internal/source"},
	"internal/chunk":         {},
	"internal/lexical":       {},
	"internal/config":        {"internal/forge", "internal/source", "internal/source/git"},
	"internal/fault":         {},
	"internal/testkit":       {"*"},
	"internal/archtest":      {},

	"internal/source/archive": {"internal/source"},
}

// databaseUsers may import a PostgreSQL driver; everyone else goes through them.
var databaseUsers = []string{"db", "db/localpg", "internal/app", "internal/auth", "internal/chat", "internal/ingest", "internal/kb", "internal/kb/kbtest", "internal/metrics", "internal/registry", "internal/retrieval", "internal/syncjob", "internal/testkit", "e2e"}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "bor/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "bor/")
		allowed, known := may[name]
		if !known {
			t.Errorf("%s has no place in the picture: say in this table what it may import", name)
		}
		for _, i := range p.Imports {
			to, ours := strings.CutPrefix(i, "bor/")
			if ours && !slices.Contains(allowed, to) && !slices.Contains(allowed, "*") {
				t.Errorf("%s must not import %s", name, to)
			}
			if strings.HasPrefix(i, "github.com/jackc/pgx") && !slices.Contains(databaseUsers, name) {
				t.Errorf("%s must not talk to the database itself (%s)", name, i)
			}
			if i == "net/http" && slices.Contains([]string{"views", "internal/chat", "internal/kb", "internal/markdown", "internal/retrieval", "internal/verbatim", "internal/ingest", "internal/registry"}, name) {
				t.Errorf("%s must know no HTTP", name)
			}
		}
	}
}

func TestEveryRuleIsUsed(t *testing.T) {
	uses := map[string][]string{}
	for _, p := range packages(t) {
		uses[strings.TrimPrefix(p.ImportPath, "bor/")] = p.Imports
	}
	for name, allowed := range may {
		imports, exists := uses[name]
		if !exists {
			t.Errorf("the table knows %s, which doesn't exist", name)
		}
		for _, to := range allowed {
			if to != "*" && exists && !slices.Contains(imports, "bor/"+to) {
				t.Errorf("%s may import %s and doesn't: take that out of the table", name, to)
			}
		}
	}
}
