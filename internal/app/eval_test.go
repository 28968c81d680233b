package app

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"bor/internal/retrieval"
	"bor/internal/testkit"
)

func TestEval(t *testing.T) {
	c := settings(t, testkit.DB(t))
	c.EmbeddingDim = 64
	dir := t.TempDir()
	set := `{"question":"which port does unbound listen on","paths":["lab/dns.md"]}` + "\n" + `{"question":"a recipe for lasagne","expect":"deflect"}` + "\n"
	for name, text := range map[string]string{"lab/dns.md": "# DNS\n\nThe resolver unbound listens on port 5353.\n", "lab/disk.md": "# Disk\n\nThe journal filled the disk.\n", "set.jsonl": set} {
		if err := write(filepath.Join(dir, filepath.Dir(name)), filepath.Base(name), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := Import(t.Context(), c, ImportOptions{Dirs: []string{filepath.Join(dir, "lab")}, Out: new(bytes.Buffer)}); err != nil {
		t.Fatal(err)
	}
	eval := func(o EvalOptions) string {
		t.Helper()
		var out bytes.Buffer
		o.Out = &out
		if err := Eval(t.Context(), c, o); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	question := EvalOptions{Question: "which port does unbound\x1b[2J listen on"}
	if text := eval(question); !strings.Contains(text, "lab/dns.md#") || strings.Contains(text, "\x1b") {
		t.Errorf("a question gives %q", text)
	}
	question.JSON = true
	var result retrieval.Result
	if err := json.Unmarshal([]byte(eval(question)), &result); err != nil || len(result.Hits) == 0 || result.Hits[0].Path != "dns.md" {
		t.Errorf("%v: %+v", err, result)
	}
	file := filepath.Join(dir, "set.jsonl")
	var report retrieval.Report
	if err := json.Unmarshal([]byte(eval(EvalOptions{Set: file, JSON: true})), &report); err != nil || report.ToAnswer != 1 || report.ToDeflect != 1 || report.Hybrid.MRR10 != 1 {
		t.Errorf("%v: %+v", err, report)
	}
	threshold, weight := 0.99, 0.5
	if text := eval(EvalOptions{Set: file, Threshold: &threshold, Weight: &weight}); !strings.Contains(text, "0.990") {
		t.Errorf("a comparison gives %q", text)
	}
	if err := Eval(t.Context(), c, EvalOptions{Set: file + ".gone", Out: new(bytes.Buffer)}); err == nil || !strings.Contains(err.Error(), "set.jsonl.gone") {
		t.Errorf("a file that isn't there gives %v", err)
	}
}

func TestSettings(t *testing.T) {
	env := map[string]string{"BOR_APP_NAME": "Mine\x1b[2J", "BOR_ADMIN_PASSWORD": "secret", "BOR_PG_MIRROR": "http://user:secret@mirror.lan"}
	var out bytes.Buffer
	if err := Settings(&out, func(name string) string { return env[name] }, false); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\nServer\n", `BOR_APP_NAME = "Mine\x1b[2J" (environment)`, `BOR_ADMIN_PASSWORD = "(set)" (environment)`, `BOR_ADDR = "127.0.0.1:8484" (default)`, "http://xxxxx@mirror.lan"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("it lacks %q", part)
		}
	}
	if strings.Contains(out.String(), "secret") {
		t.Error("a secret is shown")
	}
}
