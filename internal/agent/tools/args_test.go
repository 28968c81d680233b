package tools

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"bor/internal/agent"
)

func TestParseTakesWhatFits(t *testing.T) {
	for raw, want := range map[string]string{
		`{"path":"s/p"}`:                         "s/p - -",
		` {"path":"s/p","offset":3,"limit":4} `:  "s/p 3 4",
		`{"path":"","offset":-7.0,"limit":null}`: " -7 -",
		`{"path":"a\u0000\ud800b","offset":1e2}`: "a\uFFFD\uFFFDb 100 -",
		`{"path":"first","path":"last"}`:         "last - -",
	} {
		args, err := readSignature.parse(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		got := []string{args.text("path"), "-", "-"}
		for i, name := range []string{"offset", "limit"} {
			if n := args.number(name); n != nil {
				text, _ := json.Marshal(*n)
				got[i+1] = string(text)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	for _, raw := range []string{"", "  ", "{}", `{"path":null}`} {
		if args, err := lsSignature.parse(raw); err != nil || args.text("path") != "" {
			t.Errorf("%q: %+v, %v", raw, args, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, raw := range []string{`{"path":"s/p","offset":1,"limit":2}`, `{"path":{}}`, `{"x":1}`, `[`, `1e999`, `{"path":"\u0000","offset":1.5}`, `{"path":"a"}{}`} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		args, err := readSignature.parse(raw)
		var refusal agent.Refusal
		if err != nil {
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), `The right shape: {"path": "source/path"`) {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if path := args.text("path"); !utf8.ValidString(path) || strings.Contains(path, "\x00") {
			t.Fatalf("%q gave the path %q", raw, path)
		}
	})
}
