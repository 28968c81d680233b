package app

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bor/internal/testkit"
)

// example is a script of the documentation with the output that it shows.
type example struct {
	script, format, output string
	line                   int
}

// examples finds every fenced sh block, with the block of another kind that follows
// it before the next.
func examples(t *testing.T, file string) (all []example) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	for _, at := range fence.FindAllSubmatchIndex(text, -1) {
		language, body := string(text[at[2]:at[3]]), string(text[at[4]:at[5]])
		switch last := len(all) - 1; {
		case language == "sh":
			all = append(all, example{script: body, line: 1 + strings.Count(string(text[:at[0]]), "\n")})
		case last < 0 || all[last].output != "":
			t.Errorf("%s: a block of output belongs to no script: %q", file, body)
		default:
			all[last].format, all[last].output = language, body
		}
	}
	return all
}

// TestTheExamplesOfTheAPIsDocumentation runs them with bash and curl against the
// product.
func TestTheExamplesOfTheAPIsDocumentation(t *testing.T) {
	c := settings(t, testkit.DB(t))
	captureLog(t, c)
	s := serve(t, c)
	defer s.stop()
	all := examples(t, filepath.Join("..", "..", "docs", "api.md"))
	if len(all) < 8 {
		t.Fatalf("only %d examples were found", len(all))
	}
	dir := t.TempDir()
	for _, e := range all {
		run := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", e.script)
		run.Dir = dir
		run.Env = append(os.Environ(), "BOR="+s.url, "PASSWORD="+s.password, "no_proxy=*")
		var stderr strings.Builder
		run.Stderr = &stderr
		got, err := run.Output()
		if err == nil {
			err = sameShape(e, string(got))
		}
		if err != nil {
			t.Errorf("docs/api.md:%d: %v\n%s\n%s%s", e.line, err, e.script, got, &stderr)
		}
	}
}

func sameShape(e example, got string) error {
	switch {
	case e.format == "json":
		return sameJSON(e.output, got)
	case strings.HasPrefix(e.output, "event: "):
		return sameEvents(e.output, got)
	case got != e.output:
		return fmt.Errorf("shown is %q", e.output)
	}
	return nil
}

// sameEvents wants the names of the shown events in order, each once or more, with
// data of the shown shape.
func sameEvents(shown, got string) error {
	want := strings.Split(strings.TrimSpace(shown), "\n\n")
	seen := 0
	for _, event := range strings.Split(strings.TrimSpace(got), "\n\n") {
		name, data, _ := strings.Cut(event, "\ndata: ")
		if seen < len(want) && strings.HasPrefix(want[seen], name+"\n") {
			seen++
		} else if seen == 0 || !strings.HasPrefix(want[seen-1], name+"\n") {
			return fmt.Errorf("%q isn't shown here", name)
		}
		_, example, _ := strings.Cut(want[seen-1], "\ndata: ")
		if err := sameJSON(example, data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if seen < len(want) {
		return fmt.Errorf("%q didn't come", want[seen])
	}
	return nil
}

func sameJSON(shown, got string) error {
	var a, b any
	if err := json.Unmarshal([]byte(shown), &a); err != nil {
		return fmt.Errorf("what is shown: %w", err)
	}
	if err := json.Unmarshal([]byte(got), &b); err != nil {
		return fmt.Errorf("what came: %w", err)
	}
	return sameValue("", a, b)
}

// sameValue wants the same keys and types; the same text too, around an ellipsis,
// which stands for any. Numbers may differ; an array's one shown value stands for
// one or more.
func sameValue(at string, shown, got any) error {
	switch shown := shown.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %T", at, got)
		}
		for key := range got {
			if _, known := shown[key]; !known {
				return fmt.Errorf("%s.%s isn't shown", at, key)
			}
		}
		for key, value := range shown {
			if _, there := got[key]; !there {
				return fmt.Errorf("%s.%s is missing", at, key)
			}
			if err := sameValue(at+"."+key, value, got[key]); err != nil {
				return err
			}
		}
	case []any:
		got, ok := got.([]any)
		if !ok || (len(got) == 0) != (len(shown) == 0) {
			return fmt.Errorf("%s is %v", at, got)
		}
		for i := range got {
			if err := sameValue(fmt.Sprintf("%s[%d]", at, i), shown[min(i, len(shown)-1)], got[i]); err != nil {
				return err
			}
		}
	case string:
		got, ok := got.(string)
		before, after, open := strings.Cut(shown, "…")
		if !ok || open && !(strings.HasPrefix(got, before) && strings.HasSuffix(got, after)) || !open && got != shown {
			return fmt.Errorf("%s is %q, shown is %q", at, got, shown)
		}
	case float64:
		if _, ok := got.(float64); !ok {
			return fmt.Errorf("%s is %T", at, got)
		}
	default:
		if got != shown {
			return fmt.Errorf("%s is %v, shown is %v", at, got, shown)
		}
	}
	return nil
}

func TestShapesDiffer(t *testing.T) {
	for _, c := range [][2]string{
		{`{"a":1}`, `{}`}, {`{}`, `{"a":1}`}, {`{"a":1}`, `{"a":"1"}`}, {`{"a":"x…"}`, `{"a":"y"}`}, {`{"a":"x"}`, `{"a":"xy"}`}, {`[]`, `[1]`}, {`[1]`, `[]`},
		{`{"a":true}`, `{"a":false}`}, {`[{"a":1}]`, `[{"a":1},{"b":1}]`}, {`{"a":{}}`, `{"a":null}`}, {`1`, `{`},
	} {
		if sameJSON(c[0], c[1]) == nil {
			t.Errorf("%s passes for %s", c[1], c[0])
		}
	}
	if err := sameJSON(`{"a":["x…y",{"b":1}],"c":null}`, `{"a":["x1y",{"b":2},{"b":3}],"c":null}`); err != nil {
		t.Error(err)
	}
	const shown = "event: delta\ndata: {\"text\":\"…\"}\n\nevent: done\ndata: {}\n"
	for _, got := range []string{
		"event: done\ndata: {}\n\n", "event: delta\ndata: {\"text\":\"a\"}\n\n", "event: delta\ndata: {\"text\":\"a\"}\n\nevent: done\ndata: {\"x\":1}\n\n",
		"event: delta\ndata: {\"text\":\"a\"}\n\nevent: tool\ndata: {}\n\nevent: done\ndata: {}\n\n",
	} {
		if sameEvents(shown, got) == nil {
			t.Errorf("%q passes", got)
		}
	}
	if err := sameEvents(shown, "event: delta\ndata: {\"text\":\"a\"}\n\nevent: delta\ndata: {\"text\":\"b\"}\n\nevent: done\ndata: {}\n\n"); err != nil {
		t.Error(err)
	}
}
