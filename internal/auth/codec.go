package auth

import (
	"encoding/json"
	"time"
)

// codec writes a session as JSON. The library's own encoding describes its types
// anew in every session, and reading that costs more than all else of a look at one,
// which every request and every open stream takes.
type codec struct{}

type encoded struct {
	Deadline time.Time      `json:"deadline"`
	Values   map[string]any `json:"values"`
}

func (codec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	return json.Marshal(encoded{deadline, values})
}

// Decode reads a session. One that can't be read, such as an older version's, is an
// empty one: whoever had it signs in again.
func (codec) Decode(data []byte) (time.Time, map[string]any, error) {
	var e encoded
	if err := json.Unmarshal(data, &e); err != nil || e.Values == nil {
		return time.Time{}, map[string]any{}, nil
	}
	return e.Deadline, e.Values, nil
}
