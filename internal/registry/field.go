package registry

import (
	"maps"
	"slices"
	"strings"

	"bor/internal/fault"
)

// FieldErrors says what is wrong with an entry: words by the name of the field,
// which is one of name, location, branch, ignore, allow, file, kind.
type FieldErrors map[string]string

// Error joins the words, in the order of the fields' names.
func (e FieldErrors) Error() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(e)) {
		words = append(words, e[name])
	}
	return strings.Join(words, " ")
}

// Unwrap makes it an invalid entry for those who only know codes.
func (e FieldErrors) Unwrap() error { return fault.New(fault.Invalid, e.Error()) }

func field(name, words string) error { return FieldErrors{name: words} }
