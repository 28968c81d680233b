// Package agent answers one question: it writes the prompt, lets the model call
// tools in rounds until it answers, and tells a Sink what happens. It owns the
// prompt's words, the loop's rules and the structure of what tools return; the
// tools themselves are in the package below it.
//
//	turn.go    what a turn is given, and what comes of it
//	tool.go    what a tool is
//	run.go     the loop
//	speech.go  what the model says, on its way to the sink
//	prompt.go  the system prompt, from the texts in prompt/
//	data.go    text that must stay data inside the prompt
//	event.go   what a sink hears, and the cards of tool results
//	card.go    reading stored cards back
//
// Invariants: tools are offered on grounded turns only; every executed call is
// announced before its result; a refusal executes nothing, is told to the model
// alone, and counts in no figure; the same turn and the same replies give the
// same events.
//
// Text that a model writes before it calls a tool is part of the answer: it has
// been streamed, and people have read it. Each round's text begins a new
// paragraph.
//
// Rejected: several calls at once (their results compete for the context, and
// people can't follow them), and letting tools call models.
package agent
