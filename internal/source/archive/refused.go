package archive

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Refused says why an archive is not taken. It is the archive's fault, and the same archive will be refused again.
type Refused struct {
	Member string // as the archive names it; empty when it isn't about one
	Reason string
}

// Error is a text for people, with the member's name escaped and short.
func (r *Refused) Error() string {
	if r.Member == "" {
		return "the archive is refused: " + r.Reason
	}
	return fmt.Sprintf("the archive is refused because of its member %s: %s", quoted(r.Member), r.Reason)
}

func refuse(format string, args ...any) error {
	return &Refused{Reason: fmt.Sprintf(format, args...)}
}

// about names the member that a refusal is about, unless it names one already.
func about(member string, err error) error {
	var r *Refused
	if errors.As(err, &r) && r.Member == "" {
		return &Refused{member, r.Reason}
	}
	return err
}

const quotedChars = 200

// quoted writes a name so that no byte of it does anything, cut in its middle when it is long.
func quoted(name string) string {
	if utf8.RuneCountInString(name) > quotedChars {
		chars := []rune(name)
		return strconv.QuoteToGraphic(string(chars[:quotedChars/2])) + "…" + strconv.QuoteToGraphic(string(chars[len(chars)-quotedChars/2:]))
	}
	return strconv.QuoteToGraphic(name)
}
