package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"bor/internal/fault"
	"bor/internal/kb"
)

// Bounds of a history that a client sends, in turns of either side and in
// characters of one turn's text and thinking. The body's own bound comes first.
const (
	maxSentTurns = 2 * maxHistory
	maxSentChars = 500_000
)

// userTurn is the other side of a Record in bor.chat.v1.
type userTurn struct {
	Who  string `json:"who"` // "user"
	Text string `json:"text"`
}

// ParseHistory reads earlier turns of bor.chat.v1 as a client sends them, oldest
// first: a user's question, the brain's answer, and so on. Whatever isn't exactly
// that is refused with fault.Invalid, which names the turn; a question whose answer
// is missing or empty isn't used.
func ParseHistory(turns []json.RawMessage) ([]Exchange, error) {
	if len(turns) > maxSentTurns {
		return nil, fault.New(fault.Invalid, fmt.Sprintf("The history has %d turns, more than %d. Leave out the oldest.", len(turns), maxSentTurns))
	}
	var history []Exchange
	var asked *Exchange // without its answer yet
	for i, raw := range turns {
		refuse := func(what string) ([]Exchange, error) {
			return nil, fault.New(fault.Invalid, fmt.Sprintf("Turn %d of the history can’t be used: %s.", i+1, what))
		}
		var side struct {
			Who string `json:"who"`
		}
		if err := json.Unmarshal(raw, &side); err != nil {
			return refuse("it is no object with a “who”")
		}
		switch side.Who {
		case "user":
			var turn userTurn
			if err := exactly(raw, &turn); err != nil {
				return refuse(err.Error())
			}
			text := strings.TrimSpace(kb.Storable(turn.Text))
			if n := utf8.RuneCountInString(text); n == 0 || n > MaxQuestion {
				return refuse(fmt.Sprintf("its text has %d characters, and a question has from 1 to %d", n, MaxQuestion))
			}
			asked = &Exchange{Question: text}
		case "brain":
			var turn Record
			if err := exactly(raw, &turn); err != nil {
				return refuse(err.Error())
			}
			x := Exchange{Answer: kb.Storable(turn.Text), Thinking: kb.Storable(turn.thinking())}
			switch n := utf8.RuneCountInString(x.Answer) + utf8.RuneCountInString(x.Thinking); {
			case asked == nil:
				return refuse("it answers nothing; a turn of “user” has to stand before it")
			case turn.State == Running:
				return refuse("its answer is still running")
			case n > maxSentChars:
				return refuse(fmt.Sprintf("it has %d characters, more than %d", n, maxSentChars))
			}
			if x.Question = asked.Question; x.Answer != "" {
				history = append(history, x)
			}
			asked = nil
		default:
			return refuse("its “who” is neither “user” nor “brain”")
		}
	}
	return history, nil
}

// exactly decodes one object that may have only the keys that v knows.
func exactly(raw json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
