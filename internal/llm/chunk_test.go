package llm

import (
	"errors"
	"reflect"
	"testing"
)

func TestDecodeChunk(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     piece
	}{
		{"text", `{"choices":[{"index":0,"delta":{"role":"assistant","content":"hi"},"finish_reason":null}]}`, piece{text: "hi"}},
		{"finish", `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, piece{finish: "stop"}},
		{"text and finish", `{"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]}`, piece{text: "x", finish: "length"}},
		{"finish null as text", `{"choices":[{"delta":{"content":"x"},"finish_reason":"null"}]}`, piece{text: "x"}},
		{"finish empty", `{"choices":[{"delta":{"content":"x"},"finish_reason":""}]}`, piece{text: "x"}},
		{"null content", `{"choices":[{"delta":{"content":null,"tool_calls":null}}]}`, piece{}},
		{"null delta", `{"choices":[{"delta":null,"finish_reason":"stop"}]}`, piece{finish: "stop"}},
		{"no delta", `{"choices":[{"index":0}]}`, piece{}},
		{"null choices", `{"choices":null}`, piece{}},
		{"usage only", `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}`, piece{usage: Usage{7, 3}}},
		{"usage with null details", `{"usage":{"prompt_tokens":7,"completion_tokens":null,"x":{}}}`, piece{usage: Usage{7, 0}}},
		{"whole message", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, piece{text: "hi", finish: "stop"}},
		{"plain completion", `{"choices":[{"text":"hi"}]}`, piece{text: "hi"}},
		{"first of several choices", `{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}`, piece{text: "a"}},
		{"reasoning_content", `{"choices":[{"delta":{"reasoning_content":"hm"}}]}`, piece{thinking: "hm"}},
		{"reasoning", `{"choices":[{"delta":{"reasoning":"hm"}}]}`, piece{thinking: "hm"}},
		{"thinking", `{"choices":[{"delta":{"thinking":"hm"}}]}`, piece{thinking: "hm"}},
		{"reasoning twice", `{"choices":[{"delta":{"reasoning_content":"hm","reasoning":"hm"}}]}`, piece{thinking: "hm"}},
		{"empty reasoning beside", `{"choices":[{"delta":{"reasoning_content":"","reasoning":"hm","content":""}}]}`, piece{thinking: "hm"}},
		{"content in parts", `{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"hi"}]}}]}`, piece{text: "hi", thinking: "hm"}},
		{"refusal", `{"choices":[{"delta":{"refusal":"I can't"}}]}`, piece{text: "I can't"}},
		{"wrong types are left out", `{"choices":[{"index":"0","delta":{"content":"x"},"finish_reason":7}],"object":1}`, piece{text: "x"}},
		{"not an object", `"ping"`, piece{}},
		{"done", `"[DONE]"`, piece{done: true}},
		{"call", `{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"a","function":{"name":"read","arguments":"{"}}]}}]}`,
			piece{calls: []callPiece{{index: 1, id: "a", name: "read", arguments: "{"}}}},
		{"call without index, id inside", `{"choices":[{"delta":{"tool_calls":[{"function":{"id":"a","name":"read","arguments":{"p":1}}}]}}]}`,
			piece{calls: []callPiece{{index: -1, id: "a", name: "read", arguments: `{"p":1}`, whole: true}}}},
		{"call not in a list", `{"choices":[{"delta":{"tool_calls":{"index":0,"function":{"name":"ls","arguments":null}}}}]}`,
			piece{calls: []callPiece{{index: 0, name: "ls"}}}},
		{"old call", `{"choices":[{"delta":{"function_call":{"name":"ls","arguments":"{}"}}}]}`,
			piece{calls: []callPiece{{index: -1, name: "ls", arguments: "{}"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := new(chunkDecoder).decode([]byte(c.in))
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestDecodeChunkErrors(t *testing.T) {
	for _, c := range []struct {
		in   string
		want said
	}{
		{`{"error":{"message":"boom","type":"server_error","code":500}}`, said{message: "boom", code: "server_error", status: 500}},
		{`{"error":"boom"}`, said{message: "boom"}},
		{`{"error":{"error":{"message":"boom"}}}`, said{message: "boom"}},
		{`{"error":{"code":"overloaded"}}`, said{message: "overloaded", code: "overloaded"}},
		{`{"object":"error","message":"boom","code":40001}`, said{message: "boom"}},
		{`{"detail":"boom"}`, said{message: "boom"}},
		{`{"detail":[{"loc":["body"]}]}`, said{message: `[{"loc":["body"]}]`}},
		{`{"error":{"msg":"boom","code":"429"}}`, said{message: "boom", status: 429}},
		{`{"choices":[{"error":{"message":"boom","code":502},"finish_reason":"error"}]}`, said{message: "boom", status: 502}},
		{`{"choices":[{"delta":{},"finish_reason":"error"}]}`, said{message: "the model server reported an error without saying which"}},
	} {
		var got *said
		if _, err := new(chunkDecoder).decode([]byte(c.in)); !errors.As(err, &got) || *got != c.want {
			t.Errorf("%s: %+v, want %+v", c.in, err, c.want)
		}
	}
	if _, err := new(chunkDecoder).decode([]byte(`{"choices":`)); !isSyntax(err) {
		t.Errorf("half a chunk: %v", err)
	}
}

func FuzzDecodeChunk(f *testing.F) {
	f.Add([]byte(`{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"x"}],"tool_calls":{"function":{"arguments":{}}}}}]}`))
	f.Add([]byte(`{"error":{"error":["x",{"message":{}}]}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		p, err := new(chunkDecoder).decode(in)
		if err == nil {
			var a callAssembler
			for _, c := range p.calls {
				a.add(c)
			}
			a.finish(0)
		}
	})
}
