package agent

import (
	"bytes"
	"encoding/json"
)

// ParseReadCard reads the stored structure of a read result. ok is false when
// it is absent, malformed or makes no sense: then a generic card with the stored
// text takes its place, so that no old or foreign record can break a page (AG8).
// Keys that it doesn't know are ignored. No lines at a positive offset is a card:
// a cap may end before the first of them.
func ParseReadCard(stored json.RawMessage) (card ReadCard, ok bool) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(stored, &keys) != nil {
		return ReadCard{}, false
	}
	var lines []map[string]json.RawMessage
	if !field(keys, "path", &card.Path) || !field(keys, "offset", &card.Offset) ||
		!field(keys, "totalLines", &card.TotalLines) || !field(keys, "lines", &lines) {
		return ReadCard{}, false
	}
	if _, present := keys["lang"]; present && !field(keys, "lang", &card.Lang) {
		return ReadCard{}, false
	}
	if card.Path == "" || card.Offset < 1 || card.TotalLines < 0 {
		return ReadCard{}, false
	}
	previous := card.Offset - 1
	for _, entry := range lines {
		var line CardLine
		if !field(entry, "number", &line.Number) || !field(entry, "text", &line.Text) ||
			line.Number <= previous || line.Number > card.TotalLines {
			return ReadCard{}, false
		}
		previous = line.Number
		card.Lines = append(card.Lines, line)
	}
	return card, true
}

// field reads one key, spelled exactly so, that has to be there and not null.
func field(keys map[string]json.RawMessage, name string, into any) bool {
	value, present := keys[name]
	return present && !bytes.Equal(value, []byte("null")) && json.Unmarshal(value, into) == nil
}
