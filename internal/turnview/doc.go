// Package turnview makes what people see of a turn: the page model of a bubble
// from its record, and, while the turn runs, the stream fragments that turn the
// bubble on the page into the next one.
//
//	bubble.go   a record, finished or running, as a bubble
//	trace.go    thinking and tool calls
//	panel.go    stored blocks as verbatim panels; fences without one
//	card.go     what a tool call brought
//	link.go     the addresses that all of them lead to
//	live.go     events → fragments
//	partial.go  the frame of a fragment
//
// It owns the rule that a page after the last fragment equals the page made of
// the finished record (DEC6). Both are made by the same functions: live.go only
// decides which of their results the page doesn't have yet. What a fence shows
// comes from the record's own stored blocks and reasons, never from the model's
// text: nothing of a locator fence's body passes through here (V6).
//
// Rejected: sending the whole bubble at every tick (quadratic), and comparing
// two renderings to find what changed (linear memory and time for each tick).
package turnview
