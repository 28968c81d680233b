package chat

import (
	"context"

	"bor/internal/markdown"
	"bor/internal/verbatim"
)

// fencing watches the answer as it is written and resolves each locator fence
// the moment it is met, so that its panel can appear in place (V6). It meets
// fences with the same parser that readers render with, so that both count the
// same ones.
type fencing struct {
	Sink
	ctx    context.Context
	answer *verbatim.Answer
	stream *markdown.Stream
	met    int
}

// newFencing wraps a turn's sink. Without an answer the display of exact text is
// switched off: nothing is watched.
func newFencing(ctx context.Context, sink Sink, answer *verbatim.Answer) *fencing {
	f := &fencing{Sink: sink, ctx: ctx, answer: answer}
	if answer != nil {
		f.stream = markdown.NewStream(markdown.Options{IsLocator: verbatim.IsLocator,
			Fence: func(int, markdown.Fence) string { return "" }})
	}
	return f
}

// Delta passes text on, then what its fences became.
func (f *fencing) Delta(text string) error {
	if err := f.Sink.Delta(text); err != nil || f.stream == nil {
		return err
	}
	f.stream.Write(text)
	return f.report()
}

// settle ends the answer: a fence that its last line opened is met too.
func (f *fencing) settle() error {
	if f.stream == nil {
		return nil
	}
	f.stream.Close()
	return f.report()
}

// close releases the parser.
func (f *fencing) close() {
	if f.stream != nil {
		f.stream.Close()
	}
}

func (f *fencing) report() error {
	for _, fence := range f.stream.Fences()[f.met:] {
		f.met++
		if err := f.Sink.Fence(f.answer.Fence(f.ctx, fence.Locator, fence.Unescaped)); err != nil {
			return err
		}
	}
	return nil
}
