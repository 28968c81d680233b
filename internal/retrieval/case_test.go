package retrieval

import (
	"reflect"
	"strings"
	"testing"
)

func TestReadCases(t *testing.T) {
	got, err := ReadCases(strings.NewReader("\ufeff" + `{"id": "a", "kind": "show", "question": "show me x", "expect": "answer", "paths": ["s/x"], "sha256": "00", "bytes": 3}

{"question": "where is y?", "paths": ["y"]}
{"question": "sourdough?"}
{"question": "bread?", "expect": "deflect", "paths": []}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Case{
		{ID: "a", Kind: "show", Question: "show me x", Answer: true, Paths: []string{"s/x"}},
		{ID: "line 3", Question: "where is y?", Answer: true, Paths: []string{"y"}},
		{ID: "line 4", Question: "sourdough?"},
		{ID: "line 5", Question: "bread?", Paths: []string{}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestReadCasesSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"", "the question set is empty"},
		{"\n \n", "the question set is empty"},
		{"{\"question\": \"ok?\"}\nnot json", "line 2 of the question set: not the JSON object"},
		{`{"question": " ", "expect": "deflect"}`, "line 1 of the question set: there is no question"},
		{`{"question": "x", "expect": "maybe"}`, `line 1 of the question set: expect is "maybe"`},
		{`{"question": "x", "expect": "answer"}`, "needs paths"},
		{`{"question": ["x"]}`, "not the JSON object"},
		{`{"question": "` + strings.Repeat("x", maxCaseBytes) + `"}`, "line 1 of the question set: bufio.Scanner: token too long"},
	} {
		if _, err := ReadCases(strings.NewReader(c.set)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %q", c.set, err, c.want)
		}
	}
}
