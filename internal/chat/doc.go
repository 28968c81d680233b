// Package chat owns turns: accepting a question, running it on the server,
// logging what happens as typed events, and ending it in exactly one state that
// is committed before anyone hears of it. It knows no HTTP and no HTML.
//
// A turn belongs to the process that accepted it, not to a connection. Its row
// holds owner, lease and stop flag; every write of the owner is fenced by owner
// and state, and any process ends turns whose lease ran out (DEC11). Readers
// follow a turn in this process's memory or, when another process runs it, in
// the database; both give the same events.
//
//	service.go    what callers ask for: Start, Stop, Follow, conversations
//	ask.go        a turn that is told and not stored
//	pipeline.go   one turn's work: search, gate, agent, fences, sources
//	sink.go       what the work reports to, made into events
//	recorder.go   the owner's side: numbers events and publishes them
//	journal.go    their storage, text of all turns together
//	log.go        a running turn's events in memory
//	follow.go     the reader's side
//	ownership.go  leases, stop requests, the reaper, notifications
//	readers.go    who reads which turn, and the end of those that nobody does
//	history.go    earlier turns for the model, within two budgets
//
// Rejected: a message queue between processes (the database already orders
// events, NOTIFY only wakes readers early), and storing HTML (D8).
package chat
