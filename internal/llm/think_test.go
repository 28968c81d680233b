package llm

import (
	"strings"
	"testing"
)

// separated runs a splitter over pieces and joins what it gives.
func separated(preopened bool, pieces ...string) (text, thinking string, s *thinkSplitter) {
	s = newThinkSplitter(preopened)
	var spans []span
	for _, p := range pieces {
		spans = append(spans, s.write(p)...)
	}
	for _, part := range append(spans, s.flush(true)...) {
		switch {
		case part.retract:
			text, thinking = "", text+part.text
		case part.thinking:
			thinking += part.text
		default:
			text += part.text
		}
	}
	return text, thinking, s
}

// halves gives every way to cut a text in two.
func halves(text string) (cuts [][]string) {
	for i := range len(text) + 1 {
		cuts = append(cuts, []string{text[:i], text[i:]})
	}
	return cuts
}

// everyByte cuts a text into its bytes.
func everyByte(text string) []string { return strings.Split(text, "") }

var thinkCases = []struct {
	name, in       string
	preopened      bool
	text, thinking string
}{
	{name: "no tags", in: "Port 53 < 54 [1]", text: "Port 53 < 54 [1]"},
	{name: "tags first", in: "<think>look it up</think>\n\nPort 53", text: "Port 53", thinking: "look it up"},
	{name: "tags in the middle", in: "Port <think>hm</think>53", text: "Port 53", thinking: "hm"},
	{name: "lines after the answer began stay", in: "A\n<think>hm</think>\nB", text: "A\n\nB", thinking: "hm"},
	{name: "other names", in: "<thinking>a</thinking>[THINK]b[/THINK]◁think▷c◁/think▷d", text: "d", thinking: "abc"},
	{name: "harmony", in: "<|channel|>analysis<|message|>hm<|end|>x", text: "x", thinking: "hm"},
	{name: "several", in: "<think>a</think>1<think>b</think>2", text: "12", thinking: "ab"},
	{name: "never closed", in: "<think>a < b", thinking: "a < b"},
	{name: "closing tag of another kind", in: "<think>a</thinking>b</think>c", text: "c", thinking: "a</thinking>b"},
	{name: "lone closer first", in: "</think>\nPort 53", text: "Port 53"},
	{name: "lone closer later", in: "hm</think>\n\nPort 53", text: "Port 53", thinking: "hm"},
	{name: "two lone closers", in: "hm</think>Port </think>53", text: "Port 53", thinking: "hm"},
	{name: "lone closer after tags", in: "<think>a</think>b</think>c", text: "bc", thinking: "a"},
	{name: "lone closer after code that never ended", in: "the `x\n</think>y", text: "y", thinking: "the `x\n"},
	{name: "lone closer in a fence", in: "```\n</think>\n```\nx", text: "```\n</think>\n```\nx"},
	{name: "tags after a lone closer", in: "a</think>b<think>c</think>d", text: "bd", thinking: "ac"},
	{name: "cut tag at the end", in: "Port 53 <thin", text: "Port 53 <thin"},
	{name: "cut closer at the end", in: "<think>a</thi", thinking: "a</thi"},
	{name: "fence", in: "```\n<think>x</think>\n```\n<think>y</think>z", text: "```\n<think>x</think>\n```\nz", thinking: "y"},
	{name: "tilde fence with back-quotes", in: "~~~\n```\n<think>x</think>\n~~~\n<think>y</think>", text: "~~~\n```\n<think>x</think>\n~~~\n", thinking: "y"},
	{name: "longer fence", in: "````\n```\n<think>\n````\n", text: "````\n```\n<think>\n````\n"},
	{name: "fence in a list in a quote", in: "> 1. ```\n> <think>x</think>\n> ```\n", text: "> 1. ```\n> <think>x</think>\n> ```\n"},
	{name: "code span", in: "the `<think>` tag and ``a`<think>`` <think>x</think>", text: "the `<think>` tag and ``a`<think>`` ", thinking: "x"},
	{name: "code span ends with its line", in: "a ` b\n<think>x</think>", text: "a ` b\n", thinking: "x"},
	{name: "fence in reasoning", in: "<think>```\ncode</think>x", text: "x", thinking: "```\ncode"},
	{name: "preopened", in: "let me see</think>\n\nPort 53", preopened: true, text: "Port 53", thinking: "let me see"},
	{name: "preopened, but opened itself", in: " <think>a</think>b", preopened: true, text: "b", thinking: "a"},
	{name: "preopened, closed at once", in: "</think>b", preopened: true, text: "b"},
	{name: "preopened, closed by another tag", in: "a</thinking>b", preopened: true, text: "b", thinking: "a"},
	{name: "preopened, closed twice", in: "a</thinking></think>b", preopened: true, text: "b", thinking: "a"},
	{name: "preopened, never closed", in: "Port 53", preopened: true, text: "Port 53", thinking: "Port 53"},
	{name: "preopened, nothing", in: " \n", preopened: true, text: " \n", thinking: " \n"},
}

func TestThinkSplitter(t *testing.T) {
	for _, c := range thinkCases {
		t.Run(c.name, func(t *testing.T) {
			for _, cut := range append(halves(c.in), everyByte(c.in)) {
				text, thinking, _ := separated(c.preopened, cut...)
				if text != c.text || thinking != c.thinking {
					t.Fatalf("cut as %q: text %q, thinking %q; want %q, %q", cut, text, thinking, c.text, c.thinking)
				}
			}
		})
	}
}

func TestThinkSplitterStreamsWhatIsSettled(t *testing.T) {
	s := newThinkSplitter(false)
	for _, step := range []struct {
		in   string
		want []span
	}{
		{"Hello <", []span{{text: "Hello "}}},
		{"b> ", []span{{text: "<b> "}}},
		{"<think>", nil},
		{"one </t", []span{{text: "one ", thinking: true}}},
		{"wo </think>", []span{{text: "</two ", thinking: true}}},
		{"three", []span{{text: "three"}}},
	} {
		got := s.write(step.in)
		if len(got) != len(step.want) || len(got) > 0 && got[0] != step.want[0] {
			t.Errorf("after %q: %v, want %v", step.in, got, step.want)
		}
	}
}

func TestThinkSplitterNoticesThatTheTemplateOpened(t *testing.T) {
	for in, want := range map[string]bool{
		"reasoning</think>answer":         true,
		"</think>answer":                  false,
		"<think>reasoning</think> answer": false,
		"answer":                          false,
	} {
		if _, _, s := separated(false, in); s.loneCloser != want {
			t.Errorf("%q: %v, want %v", in, s.loneCloser, want)
		}
	}
	if _, _, s := separated(true, "reasoning</think>answer"); !s.loneCloser {
		t.Error("an expected closer is one as well")
	}
}

func TestThinkSplitterWithReasoningApart(t *testing.T) {
	s := newThinkSplitter(true)
	s.separate()
	if got := s.write("Port 53"); len(got) != 1 || got[0] != (span{text: "Port 53"}) {
		t.Errorf("%v: content must be text when reasoning came in a field of its own", got)
	}
}

func FuzzThinkSplitter(f *testing.F) {
	for _, c := range thinkCases {
		f.Add(c.in, 3, c.preopened)
	}
	f.Fuzz(func(t *testing.T, in string, size int, preopened bool) {
		size = 1 + max(0, size%7)
		var pieces []string
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		text, thinking, _ := separated(preopened, in)
		gotText, gotThinking, _ := separated(preopened, pieces...)
		if text != gotText || thinking != gotThinking {
			t.Fatalf("whole: %q, %q\nin pieces of %d: %q, %q", text, thinking, size, gotText, gotThinking)
		}
		if !strings.ContainsAny(in, "<[◁") && text != in {
			t.Fatalf("text without a tag changed: %q", text)
		}
	})
}
