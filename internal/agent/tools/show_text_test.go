package tools

import (
	"strings"
	"testing"

	"bor/internal/verbatim"
)

func TestShowTextGivesBackWhatTheUserSees(t *testing.T) {
	t.Parallel()
	text := "\ufeffa\r\n\n\tb \u2028\nend"
	store, _ := newStore(t, doc("s/p", text))
	answer := verbatim.Resolver{Store: store}.Answer(false)
	got := call(t, showText{answer}, `{"path":"s/p"}`)
	if body(got) != text || got.Truncated || got.Read != nil {
		t.Errorf("%q, %+v", body(got), got)
	}
	if !strings.Contains(got.Text, "```bor s/p\n\nDocument s/p:\ndate: 2024-05-17\nlines: 1-4 of 4\n") {
		t.Errorf("%s", got.Text)
	}
	if blocks := answer.Blocks(); len(blocks) != 1 || blocks[0].Text != text {
		t.Errorf("the answer holds %+v", blocks)
	}
}

func TestShowTextSaysWhatACapLeftOut(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t, doc("s/p", "one\ntwo\nthree\n"), doc("s/long", strings.Repeat("x", 50)+"\nend\n"))
	for _, c := range []struct {
		arguments string
		max       int
		notice    string
		text      string
	}{
		{`{"path":"s/p"}`, 8, "TRUNCATED: of the lines 1-3, the block shows 1-2. The rest is NOT shown; the next offset is 3.\n", "one\ntwo\n"},
		{`{"path":"s/p","offset":2}`, 5, "TRUNCATED: of the lines 2-3, the block shows 2-2. The rest is NOT shown; the next offset is 3.\n", "two\n"},
		{`{"path":"s/long"}`, 10, "TRUNCATED: the block shows the beginning of line 1, which has 51 characters. The rest is NOT shown; the next offset is 2.\n", "xxxxxxxxxx"},
		{`{"path":"s/long:2"}`, 2, "TRUNCATED: the block shows the beginning of line 2, which has 4 characters. The rest is NOT shown.\n", "en"},
	} {
		answer := verbatim.Resolver{Store: store, MaxChars: c.max}.Answer(false)
		got := call(t, showText{answer}, c.arguments)
		if want := strings.TrimSuffix(c.text, "\n") + "\n[…truncated…]\n" + c.notice; body(got) != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.arguments, body(got), want)
		}
		block := answer.Blocks()[0]
		if block.Text != c.text || !block.Truncated || strings.Contains(block.Text, "truncated") {
			t.Errorf("%s: block %+v", c.arguments, block)
		}
	}
}

func TestShowTextRefusalsAreTheAnswers(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t, doc("s/p", "x"))
	tool := showText{verbatim.Resolver{Store: store}.Answer(false)}
	call(t, tool, `{"path":"s/p"}`)
	for arguments, want := range map[string]string{
		`{"path":"s/p","offset":1}`: "already sees",
		`{"path":"p"}`:              "The closest: s/p.",
		`{}`:                        `"path" is missing`,
		`{"path":""}`:               "No path was given",
	} {
		if got := refused(t, tool, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: %s", arguments, got)
		}
	}
}
