package verbatim

// Match finds the block that a fence means in a record that doesn't say which:
// by canonical locator, else by document when exactly one block shows it (V6).
// Nothing is looked up in the knowledge base.
func Match(blocks []Block, locator string) (Block, bool) {
	readings := Readings(locator)
	for _, want := range readings {
		for _, b := range blocks {
			at, problem := clamp(want, b.TotalLines)
			if problem == none && b.Source == want.Source && b.Path == want.Path &&
				(b.Locator == want.String() || b.place() == at) {
				return b, true
			}
		}
	}
	for _, want := range readings {
		var only Block
		n := 0
		for _, b := range blocks {
			if b.Source == want.Source && b.Path == want.Path {
				only = b
				n++
			}
		}
		if n == 1 {
			return only, true
		}
	}
	return Block{}, false
}

// place is the clamped locator that the block was made of, by its own numbers.
func (b Block) place() Locator {
	at := Locator{Source: b.Source, Path: b.Path, Ranged: true, First: b.StartLine, Last: max(b.EndLine, b.AskedEnd)}
	if b.StartLine <= 1 && at.Last == b.TotalLines {
		return Locator{Source: b.Source, Path: b.Path}
	}
	return at
}
