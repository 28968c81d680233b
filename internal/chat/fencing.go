package chat

import (
	"context"
	"strings"

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
	text   strings.Builder // all that the stream got
	placed []bool          // by fence met: it brought a block
}

// newFencing wraps a turn's sink. Without an answer the display of exact text is
// switched off: nothing is watched.
func newFencing(ctx context.Context, sink Sink, answer *verbatim.Answer) *fencing {
	f := &fencing{Sink: sink, ctx: ctx, answer: answer}
	if answer != nil {
		f.begin()
	}
	return f
}

func (f *fencing) begin() {
	f.stream = markdown.NewStream(markdown.Options{IsLocator: verbatim.IsLocator,
		Fence: func(int, markdown.Fence) string { return "" }})
}

// Delta passes text on, then what its fences became.
func (f *fencing) Delta(text string) error {
	if err := f.Sink.Delta(text); err != nil || f.stream == nil {
		return err
	}
	f.text.WriteString(text)
	f.stream.Write(text)
	return f.report()
}

// Retract reads what is left of the answer anew. Blocks that only the rest
// placed have no place any more.
func (f *fencing) Retract(chars int) error {
	if f.stream == nil {
		return f.Sink.Retract(chars, 0)
	}
	left := Retraction{Chars: chars}.of(f.text.String())
	f.text.Reset()
	f.text.WriteString(left)
	f.stream.Close()
	f.begin()
	f.stream.Write(left)
	f.placed = f.placed[:len(f.stream.Fences())]
	blocks := 0
	for _, brought := range f.placed {
		if brought {
			blocks++
		}
	}
	f.answer.Unplace(blocks)
	return f.Sink.Retract(chars, len(f.placed))
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
	for _, asked := range f.stream.Fences()[len(f.placed):] {
		fence := f.answer.Fence(f.ctx, asked.Locator, asked.Unescaped)
		f.placed = append(f.placed, fence.Block != nil)
		if err := f.Sink.Fence(fence); err != nil {
			return err
		}
	}
	return nil
}
