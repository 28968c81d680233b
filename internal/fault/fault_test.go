package fault

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestPeopleReadWordsAndLogsTheCause(t *testing.T) {
	cause := errors.New("socket 7 closed")
	wrapped := fmt.Errorf("while asking: %w", Wrap(Unavailable, "It is away. Try again.", cause))
	if CodeOf(wrapped) != Unavailable || PublicOf(wrapped) != "It is away. Try again." || !errors.Is(wrapped, cause) ||
		!strings.HasSuffix(wrapped.Error(), "It is away. Try again.: socket 7 closed") {
		t.Errorf("%v: %s, %q", wrapped, CodeOf(wrapped), PublicOf(wrapped))
	}
	if plain := New(NotFound, "Not here."); plain.Error() != "Not here." || CodeOf(plain) != NotFound || errors.Unwrap(plain) != nil {
		t.Errorf("%v", plain)
	}
	if CodeOf(cause) != Internal || PublicOf(cause) != ourFault || strings.Contains(PublicOf(cause), "socket") {
		t.Errorf("an error without words gives %q", PublicOf(cause))
	}
	if Wrap(Internal, "words", nil) != nil {
		t.Error("no cause made a fault")
	}
}

func TestFromPanicSaysWhere(t *testing.T) {
	stumble := func(do func()) (err error) {
		defer func() { err = FromPanic(recover()) }()
		do()
		return nil
	}
	var none map[string]int
	var nowhere *Error
	for name, do := range map[string]func(){
		"our own": func() { panic("boom") }, "a nil map": func() { none["x"] = 1 }, "a nil pointer": func() { _ = nowhere.Public },
	} {
		err := stumble(do)
		if CodeOf(err) != Internal || PublicOf(err) != ourFault || len(err.Error()) > 900 {
			t.Errorf("%s: %v", name, err)
		}
		_, where, _ := strings.Cut(err.Error(), ", in ")
		if !strings.HasPrefix(where, "bor/internal/fault.TestFromPanicSaysWhere") || !strings.Contains(where, "(fault_test.go:") {
			t.Errorf("%s: it was in %q", name, where)
		}
	}
}
