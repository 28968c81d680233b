package views

import (
	"strconv"
	"strings"
)

// Field is a field of a form, with what is wrong with it beside it.
type Field struct {
	ID    string
	Name  string
	Label string
	Value string
	Hint  string // under the field; may be empty
	Error string
	Rows  int    // of a field of several lines; 0: one line
	Kind  string // of a one-line field; empty is text
	Mono  bool
}

func (f Field) kind() string {
	if f.Kind == "" {
		return "text"
	}
	return f.Kind
}

// describedBy names what belongs to the field, for assistive technology.
func (f Field) describedBy() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, f.ID+"-hint")
	}
	return strings.Join(append(ids, f.ID+"-error"), " ")
}

func (f Field) invalid() string { return strconv.FormatBool(f.Error != "") }

// Moment is a point in time for people.
type Moment struct {
	Text  string // "4 min ago", or "never"
	Exact string // in full; empty: there is none
	ISO   string
}

// number writes n with groups of three digits, which don't break.
func number(n int) string {
	digits := strconv.Itoa(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(digits) - 3; i > start; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	return digits
}

// alertIf makes an error heard when the page comes with one; an empty place for
// one is silent.
func alertIf(text string) string {
	if text == "" {
		return "none"
	}
	return "alert"
}
