package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"bor/internal/config"
)

// command runs the command line with an environment.
func command(env map[string]string, args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	var environ []string
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	code = run(args, environ, &out, &err)
	return code, out.String(), err.String()
}

func TestHelpNamesTheCommands(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		code, out, _ := command(nil, args...)
		if code != 0 {
			t.Errorf("%v ends with %d", args, code)
		}
		for _, name := range []string{"serve", "import", "reembed", "eval", "probe", "health", "migrate", "version", "environment variables"} {
			if !strings.Contains(out, name) {
				t.Errorf("%v doesn't name %s", args, name)
			}
		}
	}
	for _, name := range []string{"serve", "import", "reembed", "eval", "probe", "health", "migrate", "migrate up", "migrate down", "migrate status", "version"} {
		for _, line := range []string{name + " --help", "help " + name} {
			if code, out, err := command(nil, strings.Fields(line)...); code != 0 || !strings.Contains(out, "Usage: bor "+name) || err != "" {
				t.Errorf("%s ends with %d: %s%s", line, code, out, err)
			}
		}
	}
}

func TestWrongCommandLinesAreToldAndEndWithTwo(t *testing.T) {
	for line, says := range map[string]string{
		"frobnicate":                          "frobnicate",
		"serve --nonsense":                    "--nonsense",
		"serve extra":                         "extra",
		"import --source a --name b --name c": "2 --name but 1 --source",
		"import --name b":                     "1 --name but 0 --source",
		"eval":                                "give a question, or --set FILE",
		"eval question --set file":            "give a question, or --set FILE",
		"eval question --threshold 0.5":       "give --set FILE too",
		"migrate sideways":                    "sideways",
		"frob\x1b[2J":                         "frob?[2J",
	} {
		code, out, err := command(nil, strings.Fields(line)...)
		if code != exitUsage || !strings.HasPrefix(err, "bor: ") || !strings.Contains(err, says) || !strings.Contains(err, "bor --help") || out != "" || strings.Contains(err, "\x1b") {
			t.Errorf("%q ends with %d: %q %q", line, code, out, err)
		}
	}
}

func TestAWrongSettingIsNamedAndEndsWithTwo(t *testing.T) {
	for _, args := range [][]string{{"serve"}, {"import"}, {"probe"}, {"migrate", "status"}} {
		code, _, err := command(map[string]string{"BOR_ADDR": "no\x1b[2Jwhere"}, args...)
		if code != exitUsage || !strings.Contains(err, "BOR_ADDR") || !strings.Contains(err, "host:port") || strings.Contains(err, "\x1b") {
			t.Errorf("%v ends with %d: %q", args, code, err)
		}
	}
}

// A slip in a setting's name is told, without its value.
func TestASettingThatDoesntExistIsTold(t *testing.T) {
	code, _, err := command(map[string]string{"BOR_TOP_DOCS": "geheim", "BORED": "1"}, "version")
	if code != 0 || !strings.Contains(err, "name=BOR_TOP_DOCS") || strings.Contains(err, "geheim") || strings.Contains(err, "BORED") {
		t.Errorf("%d %q", code, err)
	}
}

func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		if code, out, err := command(nil, arg); code != 0 || out != version+"\n" || err != "" {
			t.Errorf("%s ends with %d: %q %q", arg, code, out, err)
		}
	}
}

func TestACommandThatFailsEndsWithOne(t *testing.T) {
	nowhere := map[string]string{"DATABASE_URL": "postgres://bor:secret@127.0.0.1:1/bor", "BOR_ADDR": "127.0.0.1:0", "BOR_DATA_DIR": filepath.Join(t.TempDir(), "data")}
	for line, says := range map[string]string{
		"serve": "BOR_ADMIN_PASSWORD", "serve --first-run": "127.0.0.1:1", "import": "127.0.0.1:1", "reembed": "127.0.0.1:1", "eval question": "127.0.0.1:1",
		"migrate": "127.0.0.1:1", "migrate up": "127.0.0.1:1", "migrate down": "127.0.0.1:1", "migrate status": "127.0.0.1:1", "health": "no server answers",
	} {
		code, out, err := command(nowhere, strings.Fields(line)...)
		if code != exitFailed || !strings.HasPrefix(err, "bor: ") || !strings.Contains(err, says) || strings.Contains(out+err, "secret") {
			t.Errorf("%q ends with %d: %q %q", line, code, out, err)
		}
	}
	// A server's attempts are told in one line, each once.
	if _, _, err := command(nowhere, "import"); strings.Count(err, "\n") != 1 || strings.Count(err, "connection refused") != 1 || strings.Contains(err, "?") {
		t.Errorf("%q", err)
	}
	// The probe tells what is wrong with its results, once.
	code, out, err := command(nowhere, "probe")
	if code != exitFailed || !strings.Contains(out, "problem: can't reach the database") || strings.Contains(out+err, "secret") || err != "" {
		t.Errorf("probe ends with %d: %q %q", code, out, err)
	}
}

func TestSettingsAreListed(t *testing.T) {
	env := map[string]string{"BOR_TOP_N_DOCS": "7", "BOR_ADMIN_PASSWORD": "secret", "BOR_PG_MIRROR": "http://user:secret@mirror.lan/debian"}
	code, out, err := command(env, "probe", "--settings")
	if code != 0 || err != "" || !strings.Contains(out, `BOR_TOP_N_DOCS = "7" (environment)`) || !strings.Contains(out, `BOR_ADMIN_PASSWORD = "(set)" (environment)`) ||
		!strings.Contains(out, "xxxxx@mirror.lan") || strings.Contains(out, "secret") {
		t.Errorf("%d: %s%s", code, out, err)
	}
	_, out, _ = command(env, "probe", "--settings", "--json")
	var all []struct{ Name, Value, Default, From, Help string }
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != len(config.Catalogue) || all[0].Name != "BOR_ADDR" || all[0].From != "default" || all[0].Value == "" {
		t.Errorf("%v: %+v", err, all)
	}
}
