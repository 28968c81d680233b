package llm

import (
	"strings"
	"testing"
)

func cleaned(pieces ...string) (text string, removed int) {
	f := newScaffoldFilter()
	for _, p := range pieces {
		text += f.write(p)
	}
	text += f.flush()
	return text, f.removed
}

var scaffoldCases = []struct {
	name, in, want string
	removed        int
}{
	{"plain", "a < b, [1], a <| b and x |> y", "a < b, [1], a <| b and x |> y", 0},
	{"end token", "Port 53<|im_end|>", "Port 53", 1},
	{"start token with role", "<|im_start|>assistant\nPort 53", "Port 53", 1},
	{"start token without role", "<|im_start|>Port 53", "Port 53", 1},
	{"start token, word like a role", "<|im_start|>assistants help", "assistants help", 1},
	{"llama header", "<|start_header_id|>assistant<|end_header_id|>\n\nPort 53<|eot_id|>", "Port 53", 3},
	{"harmony", "<|start|>assistant<|channel|>final<|message|>Port 53<|return|>", "Port 53", 4},
	{"harmony tool call", "<|channel|>commentary to=functions.read <|constrain|>json<|message|>{}<|call|>x", "x", 1},
	{"gemma", "<start_of_turn>model\nPort 53<end_of_turn>\n", "Port 53\n", 2},
	{"mistral", "[INST]x[/INST]y", "xy", 2},
	{"tool calls to the line's end", "[TOOL_CALLS][{\"name\":\"read\"}]\nPort 53", "Port 53", 1},
	{"tool call span", "a<tool_call>\n{\"name\": \"read\"}\n</tool_call>b", "ab", 1},
	{"tool call span of special tokens", "<|tool_call_start|>[read(path='x')]<|tool_call_end|>Port 53", "Port 53", 1},
	{"deepseek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read<｜tool▁calls▁end｜>x<｜end▁of▁sentence｜>", "x", 2},
	{"function tag", "<function=read>{\"path\":1}</function>x", "x", 1},
	{"closing tag alone", "x</tool_call>", "x", 1},
	{"span never closed", "x<tool_call>{\"name\"", "x", 1},
	{"nothing else", "<|im_start|>assistant\n<|im_end|>", "", 2},
	{"unknown token of the shape", "<|fim_hole|>x<|object_ref_start|>", "x", 2},
	{"not a token: space", "<|im end|>", "<|im end|>", 0},
	{"not a token: empty", "<||>", "<||>", 0},
	{"not a token: too long", "<|" + strings.Repeat("x", 80) + "|>", "<|" + strings.Repeat("x", 80) + "|>", 0},
	{"cut token at the end", "x<|im_en", "x<|im_en", 0},
	{"cut role at the end", "x<|im_start|>assist", "xassist", 1},
	{"role at the end", "x<|im_start|>assistant", "x", 1},
	{"two in a row", "x<|im_end|><|im_end|>", "x", 2},
	{"half a token before one", "<|im_<|im_end|>", "<|im_", 1},
	{"in a fence", "```\n<|im_start|>user\n```\nx", "```\n<|im_start|>user\n```\nx", 0},
	{"in a code span", "the `<|im_end|>` token", "the `<|im_end|>` token", 0},
	{"right after a closing fence", "```bor a/b 1-2\n```<|im_end|>", "```bor a/b 1-2\n```", 1},
	{"right after a closing fence, and on", "```\na\n```<|im_end|>\nb<|im_end|>", "```\na\n```\nb", 2},
	{"at the end inside of a fence", "```\ncode<|im_end|>\n", "```\ncode", 1},
	{"end of text at the end", "Port 53</s> \n", "Port 53", 1},
	{"end of text elsewhere", "<s>old</s> new", "<s>old</s> new", 0},
	{"end of text, then a token", "x</s><|im_end|>", "x", 2},
}

func TestScaffoldFilter(t *testing.T) {
	for _, c := range scaffoldCases {
		t.Run(c.name, func(t *testing.T) {
			for _, cut := range append(halves(c.in), everyByte(c.in)) {
				if got, removed := cleaned(cut...); got != c.want || removed != c.removed {
					t.Fatalf("cut as %q: %q, %d removed; want %q, %d", cut, got, removed, c.want, c.removed)
				}
			}
		})
	}
}

func TestScaffoldFilterHoldsBackOnlyWhatItMust(t *testing.T) {
	f := newScaffoldFilter()
	for _, step := range [][2]string{{"Port 53 <", "Port 53 "}, {"b>", "<b>"}, {" <|im", " "}, {"_end|> ok", " ok"}} {
		if got := f.write(step[0]); got != step[1] {
			t.Errorf("after %q: %q, want %q", step[0], got, step[1])
		}
	}
}

func FuzzScaffoldFilter(f *testing.F) {
	for _, c := range scaffoldCases {
		f.Add(c.in, 3)
	}
	f.Fuzz(func(t *testing.T, in string, size int) {
		size = 1 + max(0, size%7)
		var pieces []string
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		whole, removed := cleaned(in)
		cut, removedCut := cleaned(pieces...)
		if whole != cut || removed != removedCut {
			t.Fatalf("whole: %q, %d\nin pieces of %d: %q, %d", whole, removed, size, cut, removedCut)
		}
		if removed == 0 && whole != in {
			t.Fatalf("nothing removed, but %q became %q", in, whole)
		}
		if !strings.ContainsAny(in, "`~") && strings.Contains(whole, "<|im_end|>") && !strings.Contains(in, "<|im_<") {
			t.Fatalf("%q still holds a token", whole)
		}
	})
}
