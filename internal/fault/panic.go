package fault

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// maxFrames bounds how much of the stack a log line gets.
const maxFrames = 6

// FromPanic makes an Internal fault of a recovered value; its cause says where the
// panic was, short enough for one line of the log. Only the function that
// recovers may call it.
func FromPanic(recovered any) error {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // without ourselves and the deferred function
	var at []string
	for more := true; more && len(at) < maxFrames; {
		var f runtime.Frame
		f, more = frames.Next()
		if len(at) > 0 || !strings.HasPrefix(f.Function, "runtime.") { // the runtime's own way here is no news
			at = append(at, fmt.Sprintf("%s (%s:%d)", f.Function, filepath.Base(f.File), f.Line))
		}
	}
	return &Error{Code: Internal, Public: ourFault, Cause: fmt.Errorf("panic: %v, in %s", recovered, strings.Join(at, " < "))}
}
