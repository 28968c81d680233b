package verbatim

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"bor/internal/kb"
)

// Store finds documents; *kb.Store is one. ByIdentity gives kb.ErrNotFound for
// a name that no document has.
type Store interface {
	ByIdentity(ctx context.Context, identity string) (kb.Document, error)
	Closest(ctx context.Context, wanted string, n int) ([]string, error)
}

// Resolver makes answers under one set of limits.
type Resolver struct {
	Store     Store
	MaxChars  int  // of a block; 0 for no limit
	MaxBlocks int  // of an answer; 0 for no limit
	ShowImage bool // whether the tool show_image is offered
}

// Answer begins the blocks of one turn. A deflected one resolves nothing, so
// that an answer without notes can't leak any (V7).
func (r Resolver) Answer(deflected bool) *Answer {
	return &Answer{resolver: r, deflected: deflected}
}

// Answer collects the blocks of one turn's answer. It belongs to the goroutine
// that runs the turn.
type Answer struct {
	resolver  Resolver
	deflected bool
	slots     []*slot
	placed    int // how many of them have a place
}

// slot holds one block of the answer. A fence gives it its place, counted from
// 1; a block that only the tool showed has none.
type slot struct {
	block Block
	place int
	shown bool // by the tool
}

// Blocks are the answer's blocks, each once: those that a fence placed, in the
// answer's order, then those that only the tool showed.
func (a *Answer) Blocks() []Block {
	blocks := make([]Block, a.placed, len(a.slots))
	for _, s := range a.slots {
		if s.place > 0 {
			blocks[s.place-1] = s.block
		} else {
			blocks = append(blocks, s.block)
		}
	}
	return blocks
}

// Show makes a block for the show_text tool, which holds its place until a
// fence says where in the answer it belongs. Without offset and limit it is the
// whole document, or the range at the end of path; offset counts from 1, limit
// counts lines. A Refusal is for the model; any other error means
// that the store failed.
func (a *Answer) Show(ctx context.Context, path string, offset, limit *int) (Block, error) {
	if a.deflected {
		return Block{}, a.refuse(deflected, Locator{}, 0)
	}
	if strings.TrimSpace(path) == "" {
		return Block{}, Refusal("No path was given. A path is the whole identity of a document, source/path, as ls, grep and <documents> write it.")
	}
	want, doc, err := a.find(ctx, path)
	if errors.Is(err, kb.ErrNotFound) {
		closest, err := a.resolver.Store.Closest(ctx, path, 3)
		if err != nil {
			return Block{}, err
		}
		return Block{}, refuseUnknown(path, closest)
	}
	if err != nil {
		return Block{}, err
	}
	if offset != nil || limit != nil {
		if want.Ranged {
			return Block{}, Refusal("The range is given twice, in path and by offset or limit. Give it once.")
		}
		want = window(want, offset, limit)
	}
	lines := kb.SplitLines(doc.Content)
	at, why := settle(doc, want, lines.Count())
	switch {
	case why != none:
	case a.held(at) != nil:
		want, why = at, shown
	case a.full():
		why = full
	}
	if why != none {
		return Block{}, a.refuse(why, want, lines.Count())
	}
	s := a.hold(doc, lines, at)
	s.shown = true
	return s.block, nil
}

// Unplace takes the places of all blocks but the first kept, because the fences
// that gave them were taken back. Those that no tool showed are gone.
func (a *Answer) Unplace(kept int) {
	a.placed = kept
	for _, s := range a.slots {
		if s.place > kept {
			s.place = 0
		}
	}
	a.slots = slices.DeleteFunc(a.slots, func(s *slot) bool { return s.place == 0 && !s.shown })
}

// Fence says what a locator fence of the answer becomes: the block of its place,
// which is made now unless the answer has it, or the honest state with a reason.
// raw is the info string as written, without its "bor"; unescaped is the same
// with Markdown's escapes undone, tried second (DEC9).
func (a *Answer) Fence(ctx context.Context, raw, unescaped string) Fence {
	if a.deflected {
		return a.unresolved(raw, deflected, Locator{}, kb.Document{}, 0)
	}
	want, doc, err := a.find(ctx, raw, unescaped)
	if errors.Is(err, kb.ErrNotFound) {
		return a.unresolved(raw, unknown, Locator{}, kb.Document{}, 0)
	}
	if err != nil {
		return a.unresolved(raw, unavailable, Locator{}, kb.Document{}, 0)
	}
	lines := kb.SplitLines(doc.Content)
	at, why := settle(doc, want, lines.Count())
	held := a.held(at)
	if why == none && held == nil && a.full() {
		why = full
	}
	if why != none {
		return a.unresolved(raw, why, want, doc, lines.Count())
	}
	if held == nil {
		held = a.hold(doc, lines, at)
	}
	fence := Fence{Locator: at.String()}
	if held.place == 0 {
		a.placed++
		held.place = a.placed
		block := held.block
		fence.Block = &block
	}
	return fence
}

// find looks up the readings of the texts in turn.
func (a *Answer) find(ctx context.Context, texts ...string) (Locator, kb.Document, error) {
	for _, text := range texts {
		for _, reading := range Readings(text) {
			doc, err := a.resolver.Store.ByIdentity(ctx, reading.Identity())
			if errors.Is(err, kb.ErrNotFound) {
				continue
			}
			return reading, doc, err
		}
	}
	return Locator{}, kb.Document{}, kb.ErrNotFound
}

// unresolved is the honest state of a fence. It links to the document if there
// is one.
func (a *Answer) unresolved(asked string, why problem, want Locator, doc kb.Document, total int) Fence {
	return Fence{
		Asked: kb.Storable(strings.TrimSpace(asked)), Reason: a.reason(why, want, total), Source: doc.Source, Path: doc.Path,
	}
}

func (a *Answer) full() bool {
	return a.resolver.MaxBlocks > 0 && len(a.slots) >= a.resolver.MaxBlocks
}

// held is the slot of a canonical locator, or nil.
func (a *Answer) held(at Locator) *slot {
	for _, s := range a.slots {
		if s.block.Locator == at.String() {
			return s
		}
	}
	return nil
}

// hold makes the block of a canonical locator and gives it a slot.
func (a *Answer) hold(doc kb.Document, lines kb.Lines, at Locator) *slot {
	s := &slot{block: cut(doc, lines, at, a.resolver.MaxChars)}
	a.slots = append(a.slots, s)
	return s
}

// window is the range of a tool call: from offset, or the first line, for limit
// lines, or to the end.
func window(doc Locator, offset, limit *int) Locator {
	doc.Ranged, doc.First, doc.Last = true, 1, math.MaxInt
	if offset != nil {
		doc.First = *offset
	}
	if limit == nil {
		return doc
	}
	if *limit < 1 {
		doc.Last = doc.First - 1 // not a range
	} else if *limit <= math.MaxInt-max(doc.First, 0) {
		doc.Last = doc.First + *limit - 1
	}
	return doc
}
