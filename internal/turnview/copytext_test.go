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
	if got := AnswerText(rec); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := AnswerText(chat.Record{Text: "```bor s/a\nmine\n```\n"}); got != "```bor s/a\nmine\n```\n" {
		t.Errorf("with the feature off, the model's text is its own: %q", got)
	}
}
