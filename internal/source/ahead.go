package source

import (
	"context"
	"runtime"
)

// reader reads files several at a time, as many as the machine has cores for and in however many folders they lie,
// and hands them on in the walk's order.
type reader struct {
	*Dir
	ctx     context.Context // of the walk
	visit   func(File) error
	skip    func(Skip)
	waiting []chan contents // whose reading has begun, in the walk's order
}

// contents are what reading a file gave.
type contents struct {
	file   File
	reason *Skip
}

// atOnce is how many files a directory has in memory at a time.
func atOnce() int { return 4 * runtime.GOMAXPROCS(0) }

// begin starts the reading of a file, after handing on what there is no room for.
func (r *reader) begin(e entry) error {
	if r.ahead == 0 {
		return r.hand(r.contents(e))
	}
	for len(r.waiting) >= r.ahead {
		if err := r.next(); err != nil {
			return err
		}
	}
	done := make(chan contents, 1)
	r.waiting = append(r.waiting, done)
	e.parent.retain()
	go func() {
		got := r.contents(e)
		e.parent.release()
		done <- got
	}()
	return nil
}

func (r *reader) contents(e entry) contents {
	file, reason := r.read(e)
	return contents{file, reason}
}

// leaveOut reports a name that is left out, after the files before it.
func (r *reader) leaveOut(s Skip) {
	if len(r.waiting) == 0 {
		r.skip(s)
		return
	}
	done := make(chan contents, 1)
	done <- contents{reason: &s}
	r.waiting = append(r.waiting, done)
}

// next hands on the file that comes first.
func (r *reader) next() error {
	got := <-r.waiting[0]
	r.waiting = r.waiting[1:]
	return r.hand(got)
}

// hand hands a file on, unless the walk was given up meanwhile.
func (r *reader) hand(got contents) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if got.reason != nil {
		r.skip(*got.reason)
		return nil
	}
	return r.visit(got.file)
}

// rest hands on all files that wait.
func (r *reader) rest() error {
	for len(r.waiting) > 0 {
		if err := r.next(); err != nil {
			return err
		}
	}
	return nil
}

// abandon waits for the readings that nobody wants any more.
func (r *reader) abandon() {
	for _, done := range r.waiting {
		<-done
	}
}
