// Package verbatim shows exact bytes of documents. A model may only name a
// place, by the show_text tool or by a locator fence in its answer; the text of
// every block comes from the store, and never from the model.
//
//	locator.go  what a name means: the grammar (pure)
//	slice.go    which lines a name covers, and what of them fits (pure)
//	answer.go   one turn's blocks: Show for the tool, Fence for the answer
//	refusal.go  words for what can't be shown, to the model and to people
//	match.go    finding a record's block again (pure)
//
// Invariants: a Block's Text is a run of bytes of the document's content, with
// no mark in it; one canonical locator is one block of the answer; a deflected
// turn resolves nothing.
//
// Rejected: checking a model's typed copy against the document (a difference
// would have to be shown or hidden, and both mislead), and tying a fence to an
// earlier tool call (a fence is a look-up, not a replay).
package verbatim
