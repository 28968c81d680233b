package llm

import (
	"reflect"
	"testing"
)

func TestCallAssembler(t *testing.T) {
	read := ToolCall{ID: "a", Name: "read", Arguments: `{"path":"x"}`}
	grep := ToolCall{ID: "b", Name: "grep", Arguments: `{"pattern":"y"}`}
	for _, c := range []struct {
		name   string
		pieces []callPiece
		want   []ToolCall
	}{
		{"none", nil, nil},
		{"in pieces", []callPiece{{0, "a", "read", "", false}, {0, "", "", `{"path"`, false}, {0, "", "", `:"x"}`, false}}, []ToolCall{read}},
		{"two, by index", []callPiece{{0, "a", "read", "", false}, {1, "b", "grep", "", false}, {0, "", "", read.Arguments, false}, {1, "", "", grep.Arguments, false}}, []ToolCall{read, grep}},
		{"index from 1", []callPiece{{1, "a", "read", read.Arguments, false}, {2, "b", "grep", grep.Arguments, false}}, []ToolCall{read, grep}},
		{"index always 0", []callPiece{{0, "a", "read", read.Arguments, false}, {0, "b", "grep", `{"pattern"`, false}, {0, "", "", `:"y"}`, false}}, []ToolCall{read, grep}},
		{"no index", []callPiece{{-1, "a", "read", `{"path"`, false}, {-1, "", "", `:"x"}`, false}, {-1, "b", "grep", grep.Arguments, false}}, []ToolCall{read, grep}},
		{"id in every piece", []callPiece{{-1, "a", "read", `{"path"`, false}, {-1, "a", "", `:"x"}`, false}}, []ToolCall{read}},
		{"id of an earlier call, no index", []callPiece{{-1, "a", "read", `{"path"`, false}, {-1, "b", "grep", grep.Arguments, false}, {-1, "a", "", `:"x"}`, false}}, []ToolCall{read, grep}},
		{"name in every piece", []callPiece{{0, "a", "read", `{"path"`, false}, {0, "a", "read", `:"x"}`, false}, {0, "", "read", "", false}}, []ToolCall{read}},
		{"name after the arguments", []callPiece{{0, "a", "", read.Arguments, false}, {0, "", "read", "", false}}, []ToolCall{read}},
		{"name in pieces", []callPiece{{0, "a", "re", "", false}, {0, "", "ad", "", false}, {0, "", "", read.Arguments, false}}, []ToolCall{read}},
		{"arguments as an object", []callPiece{{0, "a", "read", read.Arguments, true}}, []ToolCall{read}},
		{"empty object first", []callPiece{{0, "a", "read", "{}", false}, {0, "", "", read.Arguments, false}}, []ToolCall{read}},
		{"no ids at all", []callPiece{{0, "", "read", read.Arguments, false}, {0, "", "grep", grep.Arguments, false}},
			[]ToolCall{{"call_4", "read", read.Arguments}, {"call_5", "grep", grep.Arguments}}},
		{"no ids, no index, name first", []callPiece{{-1, "", "read", "", false}, {-1, "", "", read.Arguments, false}, {-1, "", "grep", "", false}, {-1, "", "", grep.Arguments, false}},
			[]ToolCall{{"call_4", "read", read.Arguments}, {"call_5", "grep", grep.Arguments}}},
		{"no arguments", []callPiece{{0, "a", "ls", "", false}}, []ToolCall{{"a", "ls", "{}"}}},
		{"null arguments", []callPiece{{0, "a", "ls", "null", false}}, []ToolCall{{"a", "ls", "{}"}}},
		{"a character cut in two, NUL", []callPiece{{0, "a", "ls", "{\"path\":\"\xc3", false}, {0, "", "", "\xa9\x00\"}", false}}, []ToolCall{{"a", "ls", "{\"path\":\"é\ufffd\"}"}}},
		{"not JSON", []callPiece{{0, "a", "ls", "{path", false}}, []ToolCall{{"a", "ls", "{path"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a callAssembler
			for _, p := range c.pieces {
				a.add(p)
			}
			if got := a.finish(3); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}
