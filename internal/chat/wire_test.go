package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bor/internal/fault"
)

func raws(t *testing.T, history string) (turns []json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal([]byte(history), &turns); err != nil {
		t.Fatal(err)
	}
	return turns
}

func TestHistoryOfAClient(t *testing.T) {
	for history, want := range map[string][]Exchange{
		`[]`: nil,
		`[{"who":"user","text":" a "},{"who":"brain","text":"b"}]`: {{Question: "a", Answer: "b"}},
		`[{"who":"user","text":"a\u0000"},{"who":"brain","text":"b\u0000","state":"stopped","trace":[{"thinking":"c"},{"tool":{"name":"ls","argument":null,"done":true}},{"thinking":"d"}]}]`: {
			{Question: "a\ufffd", Answer: "b\ufffd", Thinking: "cd"}},
		`[{"who":"user","text":"lost"},{"who":"user","text":"empty"},{"who":"brain","text":"","error":"x","state":"error"},{"who":"user","text":"open"}]`: nil,
	} {
		got, err := ParseHistory(raws(t, history))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s gives %+v (%v)", history, got, err)
		}
	}
}

func TestAWrongHistoryIsRefused(t *testing.T) {
	user := func(text string) string { return fmt.Sprintf(`{"who":"user","text":%q}`, text) }
	for history, says := range map[string]string{
		`[null]`:             "Turn 1",
		`["a"]`:              "no object",
		`[{"text":"a"}]`:     "neither",
		`[{"who":7}]`:        "no object",
		`[{"who":"bot"}]`:    "neither “user” nor “brain”",
		`[` + user("") + `]`: "0 characters",
		`[` + user(strings.Repeat("x", MaxQuestion+1)) + `]`:                                       "16001 characters",
		`[{"who":"user","text":"a","at":1}]`:                                                       `unknown field "at"`,
		`[{"who":"user","text":["a"]}]`:                                                            "cannot unmarshal",
		`[{"who":"brain","text":"b"}]`:                                                             "answers nothing",
		`[` + user("a") + `,{"who":"brain","text":"b","html":"x"}]`:                                `Turn 2 of the history can’t be used: unknown field "html"`,
		`[` + user("a") + `,{"who":"brain","text":"b","state":"running"}]`:                         "still running",
		`[` + user("a") + `,{"who":"brain","trace":[{"thought":"x"}]}]`:                            `unknown field "thought"`,
		`[` + user("a") + `,{"who":"brain","text":"` + strings.Repeat("x", maxSentChars+1) + `"}]`: "500001 characters",
		`[` + strings.TrimSuffix(strings.Repeat(user("a")+",", maxSentTurns+1), ",") + `]`:         "2001 turns",
	} {
		if got, err := ParseHistory(raws(t, history)); fault.CodeOf(err) != fault.Invalid || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.80s gives %v (%v)", history, got, err)
		}
	}
}
