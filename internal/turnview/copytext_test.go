package turnview

import (
	"testing"

	"bor/internal/chat"
	"bor/internal/verbatim"
)

func TestAnswerText(t *testing.T) {
	block := verbatim.Block{Source: "s", Path: "a.sh", Locator: "s/a.sh#1-2", Text: "echo ```\r\nx"}
	tool := verbatim.Block{Source: "s", Path: "b.txt", Locator: "s/b.txt", Text: "````\n"}
	rec := chat.Record{
		Text:       "Here:\n\n```bor s/a.sh 1-2\nWRONG\n```\n\n- and\n  ```bor s/gone\n  WRONG\n  ```\n",
		AnswerText: []verbatim.Block{block, tool},
		Fences:     []verbatim.Fence{{Locator: "s/a.sh#1-2"}, {Asked: "s/gone", Reason: "no such document"}},
	}
	want := "Here:\n\n````bash s/a.sh#1-2\necho ```\r\nx\n````\n\n- and\n  (not shown: s/gone: no such document)\n\n`````s/b.txt\n````\n`````\n"
	for _, o := range []Options{{}, {AnswerText: true}} {
		if got := AnswerText(rec, o); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	if got := AnswerText(chat.Record{Text: "```bor s/a\nmine\n```\n"}, Options{}); got != "```bor s/a\nmine\n```\n" {
		t.Errorf("with the feature off, the model's text is its own: %q", got)
	}
}

// A record that doesn't list its fences hides what the model typed in them, too:
// an interrupted one, an old one, a foreign one.
func TestAnswerTextOfUnlistedFences(t *testing.T) {
	block := verbatim.Block{Source: "s", Path: "a.txt", StartLine: 1, EndLine: 1, TotalLines: 1, Locator: "s/a.txt", Text: "right\n"}
	const text = "```bor s/a.txt\rWRONG\r```\r\r~~~bor s/b.txt\r\nWRONG"
	for name, c := range map[string]struct {
		rec  chat.Record
		o    Options
		want string
	}{
		"interrupted": {chat.Record{State: chat.Interrupted, Text: text}, Options{AnswerText: true},
			"(not shown: s/a.txt: The answer ended before it was looked up.)\n\n(not shown: s/b.txt: The answer ended before it was looked up.)\n"},
		"old": {chat.Record{State: chat.Done, Text: text, AnswerText: []verbatim.Block{block}}, Options{},
			"```s/a.txt\nright\n```\n\n(not shown: s/b.txt: This answer was stored without its text.)\n"},
	} {
		if got := AnswerText(c.rec, c.o); got != c.want {
			t.Errorf("%s: got  %q\nwant %q", name, got, c.want)
		}
	}
}
