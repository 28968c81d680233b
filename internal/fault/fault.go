// Package fault is how errors travel to people: a code that callers branch on,
// words that people see, and a cause that only logs get.
package fault

import "errors"

// Code says what kind of fault it is; handlers map it to a status.
type Code string

// The codes.
const (
	Invalid     Code = "invalid"     // the input is wrong; the words say how
	NotFound    Code = "not_found"   // no such thing, or not this visitor's
	Conflict    Code = "conflict"    // something is already going on
	Limited     Code = "limited"     // too many tries
	Unavailable Code = "unavailable" // the database or another part is away
	Forbidden   Code = "forbidden"   // not for this visitor, or not from there
	Internal    Code = "internal"    // ours
)

// Error carries one fault.
type Error struct {
	Code   Code
	Public string // what happened, what it means, what to do
	Cause  error  // for the log
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Public + ": " + e.Cause.Error()
	}
	return e.Public
}

func (e *Error) Unwrap() error { return e.Cause }

// New makes a fault without a cause.
func New(code Code, public string) error { return &Error{Code: code, Public: public} }

// Wrap makes a fault of a cause; nil stays nil.
func Wrap(code Code, public string, cause error) error {
	if cause == nil {
		return nil
	}
	return &Error{Code: code, Public: public, Cause: cause}
}

// CodeOf is the code of the first fault in err's chain, Internal for any other
// error.
func CodeOf(err error) Code {
	var f *Error
	if errors.As(err, &f) {
		return f.Code
	}
	return Internal
}

// PublicOf is what people may read of err.
func PublicOf(err error) string {
	var f *Error
	if errors.As(err, &f) {
		return f.Public
	}
	return ourFault
}

// ourFault is what people read of an error that has no words of its own.
const ourFault = "Something went wrong on the server. The details are in its log; trying again may help."
