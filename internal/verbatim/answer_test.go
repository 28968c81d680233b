package verbatim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bor/internal/kb"
)

// shelf is a store in memory.
type shelf struct {
	docs    map[string]kb.Document
	closest []string
	err     error
	asked   []string
}

func (s *shelf) ByIdentity(_ context.Context, identity string) (kb.Document, error) {
	s.asked = append(s.asked, identity)
	if s.err != nil {
		return kb.Document{}, s.err
	}
	doc, ok := s.docs[identity]
	if !ok {
		return kb.Document{}, kb.ErrNotFound
	}
	return doc, nil
}

func (s *shelf) Closest(_ context.Context, _ string, n int) ([]string, error) {
	return s.closest[:min(n, len(s.closest))], s.err
}

func newShelf(contents map[string]string) *shelf {
	s := &shelf{docs: map[string]kb.Document{}}
	for identity, content := range contents {
		source, path, _ := kb.SplitIdentity(identity)
		kind := kb.KindText
		if strings.HasSuffix(path, ".png") {
			kind = kb.KindImage
		}
		s.docs[identity] = kb.Document{Source: source, Path: path, Kind: kind, Title: "T " + path, Content: content}
	}
	return s
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestShowGivesExactLines(t *testing.T) {
	n := func(i int) *int { return &i }
	store := newShelf(map[string]string{"s/p": numbered(10), "s/empty": "", "s/p 3": "literal\n", "s/ü #1": "x"})
	for name, c := range map[string]struct {
		path          string
		offset, limit *int
		locator, text string
	}{
		"whole":             {"s/p", nil, nil, "s/p", numbered(10)},
		"offset to the end": {"s/p", n(9), nil, "s/p#9-10", "line 9\nline 10\n"},
		"offset and limit":  {"s/p", n(2), n(2), "s/p#2-3", "line 2\nline 3\n"},
		"limit alone":       {"s/p", nil, n(1), "s/p#1-1", "line 1\n"},
		"clamped":           {"s/p", n(10), n(1 << 62), "s/p#10-10", "line 10\n"},
		"all by numbers":    {"s/p", n(1), n(99), "s/p", numbered(10)},
		"range in the path": {"s/p#L2-L3", nil, nil, "s/p#2-3", "line 2\nline 3\n"},
		"literal first":     {"s/p 3", nil, nil, "s/p 3", "literal\n"},
		"literal and range": {"s/p 3", n(1), n(1), "s/p 3", "literal\n"},
		"back-quotes":       {"`s/ü #1`", nil, nil, "s/ü #1", "x"},
		"empty document":    {"s/empty", nil, nil, "s/empty", ""},
	} {
		answer := Resolver{Store: store}.Answer(false)
		b, err := answer.Show(t.Context(), c.path, c.offset, c.limit)
		if err != nil || b.Locator != c.locator || b.Text != c.text {
			t.Errorf("%s: %q %q, %v", name, b.Locator, b.Text, err)
		}
		if got := answer.Blocks(); len(got) != 1 || got[0] != b {
			t.Errorf("%s: the answer holds %v", name, got)
		}
	}
}

func TestShowRefuses(t *testing.T) {
	n := func(i int) *int { return &i }
	store := newShelf(map[string]string{"s/p": numbered(218), "s/one": "x", "s/rack.png": "", "s/a": "a", "s/b": "b", "s/c": "c"})
	store.closest = []string{"s/p", "s/a", "s/b", "s/c"}
	seen := map[string]string{}
	for name, c := range map[string]struct {
		path          string
		offset, limit *int
		says          []string
	}{
		"no path":        {"  ", nil, nil, []string{"No path", "source/path"}},
		"unknown":        {"s/x", nil, nil, []string{`"s/x"`, "s/p, s/a, s/b."}},
		"bare":           {"p", nil, nil, []string{`"p"`, "source/path"}},
		"image":          {"s/rack.png", nil, nil, []string{"s/rack.png", "image"}},
		"image, range":   {"s/rack.png", n(1), nil, []string{"image"}},
		"offset 0":       {"s/p", n(0), nil, []string{"not a range", "218 lines"}},
		"limit 0":        {"s/p", n(5), n(0), []string{"not a range", "218 lines"}},
		"negative":       {"s/p", n(-1), n(-1), []string{"not a range"}},
		"backwards":      {"s/p:40-12", nil, nil, []string{"not a range"}},
		"past the end":   {"s/p", n(219), nil, []string{"only 218 lines", "line 219"}},
		"past one line":  {"s/one:2", nil, nil, []string{"only 1 line,"}},
		"range twice":    {"s/p:3", n(3), nil, []string{"twice"}},
		"already shown":  {"s/a", nil, nil, []string{"already sees", "s/a."}},
		"shown, clamped": {"s/a", n(1), n(9), []string{"already sees"}},
		"limit reached":  {"s/c", nil, nil, []string{"2 blocks", "limit"}},
	} {
		answer := Resolver{Store: store, MaxBlocks: 2}.Answer(false)
		for _, path := range []string{"s/a", "s/b"} {
			if _, err := answer.Show(t.Context(), path, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		b, err := answer.Show(t.Context(), c.path, c.offset, c.limit)
		var refusal Refusal
		if !errors.As(err, &refusal) || b != (Block{}) {
			t.Errorf("%s: %v, %v", name, b, err)
			continue
		}
		for _, want := range c.says {
			if !strings.Contains(refusal.Error(), want) {
				t.Errorf("%s: %q doesn't say %q", name, refusal, want)
			}
		}
		if len(answer.Blocks()) != 2 {
			t.Errorf("%s: a refusal took a slot", name)
		}
		seen[refusal.Error()] = name
	}
	if len(seen) != 10 { // each kind its own, with the names and numbers of the case
		t.Errorf("%d different messages", len(seen))
	}
}

func TestShowNamesNothingWhenNothingIsClose(t *testing.T) {
	_, err := Resolver{Store: newShelf(nil)}.Answer(false).Show(t.Context(), "x/"+strings.Repeat("y", 5000), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "ls or grep") || len(err.Error()) > 1400 {
		t.Errorf("%d bytes: %.100v", len(err.Error()), err)
	}
}

func TestStoreFailuresAreNotRefusals(t *testing.T) {
	store := &shelf{err: errors.New("connection lost")}
	_, err := Resolver{Store: store}.Answer(false).Show(t.Context(), "s/p", nil, nil)
	var refusal Refusal
	if !errors.Is(err, store.err) || errors.As(err, &refusal) {
		t.Errorf("Show: %v", err)
	}
	_, err = Resolver{Store: closestFails{store}}.Answer(false).Show(t.Context(), "s/p", nil, nil)
	if !errors.Is(err, store.err) {
		t.Errorf("Show, looking for similar names: %v", err)
	}
	fence := Resolver{Store: store}.Answer(false).Fence(t.Context(), "s/p", "s/p")
	if fence.Block != nil || fence.Locator != "" || !strings.Contains(fence.Reason, "could not be read") {
		t.Errorf("Fence: %+v", fence)
	}
}

type closestFails struct{ *shelf }

func (closestFails) ByIdentity(context.Context, string) (kb.Document, error) {
	return kb.Document{}, kb.ErrNotFound
}

func TestFencePlacesEachBlockOnce(t *testing.T) {
	answer := Resolver{Store: newShelf(map[string]string{"s/p": numbered(10), "s/q": "q"})}.Answer(false)
	first := answer.Fence(t.Context(), "s/p:2-3", "s/p:2-3")
	if first.Locator != "s/p#2-3" || first.Block == nil || first.Block.Text != "line 2\nline 3\n" || first.Reason != "" || first.Asked != "" {
		t.Fatalf("first: %+v", first)
	}
	if again := answer.Fence(t.Context(), "s/p#L2-L3", "s/p#L2-L3"); again != (Fence{Locator: "s/p#2-3"}) {
		t.Errorf("again: %+v", again)
	}
	if blocks := answer.Blocks(); len(blocks) != 1 || blocks[0] != *first.Block {
		t.Errorf("the answer holds %v", blocks)
	}
}

func TestFencesAndToolShareSlots(t *testing.T) {
	answer := Resolver{Store: newShelf(map[string]string{"s/a": "a", "s/b": "b", "s/c": "c", "s/d": "d"}), MaxBlocks: 3}.Answer(false)
	for _, path := range []string{"s/a", "s/b"} {
		if _, err := answer.Show(t.Context(), path, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		locator string
		block   bool
		reason  string
	}{
		{"s/nowhere", false, "no document"}, // takes no slot
		{"s/c", true, ""},
		{"s/d", false, "limit of 3 blocks"},
		{"s/b", true, ""}, // has held its slot
		{"s/b", false, ""},
	} {
		f := answer.Fence(t.Context(), c.locator, c.locator)
		if (f.Block != nil) != c.block || !strings.Contains(f.Reason, c.reason) || (f.Reason == "") != (f.Locator != "") {
			t.Errorf("%s: %+v", c.locator, f)
		}
		if f.Block != nil {
			f.Block.Text = "changed by the receiver"
		}
	}
	var order []string
	for _, b := range answer.Blocks() {
		order = append(order, b.Locator+"="+b.Text)
	}
	if got := strings.Join(order, " "); got != "s/c=c s/b=b s/a=a" {
		t.Errorf("blocks: %s", got)
	}
}

// What a fence placed goes with it; what the tool showed stays, and the place of
// both is free again.
func TestUnplace(t *testing.T) {
	answer := Resolver{Store: newShelf(map[string]string{"s/a": "a", "s/b": "b", "s/c": "c", "s/d": "d"}), MaxBlocks: 3}.Answer(false)
	if _, err := answer.Show(t.Context(), "s/a", nil, nil); err != nil {
		t.Fatal(err)
	}
	fence := func(locator string) Fence { return answer.Fence(t.Context(), locator, locator) }
	for _, locator := range []string{"s/b", "s/a", "s/c"} {
		fence(locator)
	}
	answer.Unplace(1)
	var order []string
	for _, b := range answer.Blocks() {
		order = append(order, b.Locator)
	}
	if got := strings.Join(order, " "); got != "s/b s/a" {
		t.Errorf("blocks: %s", got)
	}
	if f := fence("s/d"); f.Block == nil {
		t.Errorf("its slot isn't free: %+v", f)
	}
	if f := fence("s/a"); f.Block == nil {
		t.Errorf("it has no place any more, so the fence gives it one: %+v", f)
	}
	if got := answer.Blocks(); len(got) != 3 || got[1].Locator != "s/d" || got[2].Locator != "s/a" {
		t.Errorf("blocks: %+v", got)
	}
}

func TestFenceHonestStates(t *testing.T) {
	store := newShelf(map[string]string{"s/p": numbered(22), "s/one": "x", "s/rack.png": "", "s/other": "x", "s/last": "y"})
	for name, c := range map[string]struct {
		raw    string
		reason string
		linked string
	}{
		"no such document": {" s/nowhere ", "There is no document with this name.", "/"},
		"traversal":        {"s/../../etc/passwd", "There is no document with this name.", "/"},
		"an image":         {"s/rack.png:1", "It is an image, which has no lines to show.", "s/rack.png"},
		"past the end":     {"s/p 23-40", "Line 23 is past its end: the document has 22 lines.", "s/p"},
		"past the end, 1":  {"s/one:2", "Line 2 is past its end: the document has 1 line.", "s/one"},
		"bad range":        {"s/p 9-3", "Lines 9–3 are not a range; the document has 22 lines.", "s/p"},
		"over the limit":   {"s/last", "It is over the limit of 1 block in one answer.", "s/last"},
	} {
		answer := Resolver{Store: store, MaxBlocks: 1}.Answer(false)
		answer.Fence(t.Context(), "s/other", "s/other")
		f := answer.Fence(t.Context(), c.raw, c.raw)
		want := Fence{Asked: strings.TrimSpace(c.raw), Reason: c.reason}
		want.Source, want.Path, _ = strings.Cut(c.linked, "/")
		if f != want {
			t.Errorf("%s: %+v, want %+v", name, f, want)
		}
		if len(answer.Blocks()) != 1 {
			t.Errorf("%s took a slot", name)
		}
	}
}

func TestDeflectedTurnResolvesNothing(t *testing.T) {
	store := newShelf(map[string]string{"s/p": "secret"})
	answer := Resolver{Store: store}.Answer(true)
	f := answer.Fence(t.Context(), "s/p", "s/p")
	if f.Block != nil || f.Locator != "" || f.Source != "" || f.Asked != "s/p" || !strings.Contains(f.Reason, "stands on no document") {
		t.Errorf("Fence: %+v", f)
	}
	var refusal Refusal
	if _, err := answer.Show(t.Context(), "s/p", nil, nil); !errors.As(err, &refusal) {
		t.Errorf("Show: %v", err)
	}
	if len(store.asked) > 0 || len(answer.Blocks()) > 0 {
		t.Errorf("looked up %v, holds %v", store.asked, answer.Blocks())
	}
}

func TestFenceTriesRawThenUnescaped(t *testing.T) {
	for _, c := range []struct{ raw, unescaped, want string }{
		{`s/a\_b`, "s/a_b", `s/a\_b`},
		{`s/c\_d 1`, "s/c_d 1", "s/c_d"},
		{"s/&amp;", "s/&", "s/&"},
	} {
		store := newShelf(map[string]string{`s/a\_b`: "x", "s/a_b": "x", "s/c_d": "x", "s/&": "x"})
		if f := (Resolver{Store: store}).Answer(false).Fence(t.Context(), c.raw, c.unescaped); f.Locator != c.want {
			t.Errorf("%s: %+v", c.raw, f)
		}
	}
}

func TestUnstorableNamesAreMadeStorable(t *testing.T) {
	f := Resolver{Store: newShelf(nil)}.Answer(false).Fence(t.Context(), "s/a\x00b\xff", "s/a\x00b\xff")
	if f.Asked != "s/a\uFFFDb\uFFFD" {
		t.Errorf("%+v", f)
	}
}
