// Package faults breaks what the product stands on, at random moments, and counts
// what became of every question: the real binary, one or two processes of it, a real
// PostgreSQL of its own, a model server that can die, nginx in front. `make faults`
// runs it; `make test` doesn't, because it takes minutes.
//
// What it holds the product to (CH2, DEC6, DEC11, REL2): a question that was taken is
// stored exactly once; its end is one that is true; nobody's page differs from the
// record, whatever the page lived through; nothing says that it runs a minute later.
//
// The numbers of a stream's messages rise strictly within a connection. A new
// connection may begin with the whole bubble under a smaller number than the last
// one's, when it leads to another process than the one that ran the turn: what that
// one had not stored yet comes again as part of the bubble, not twice.
//
// A run tells its seed; BOR_FAULTS_SEED repeats the choices, though not the moments
// at which processes reach them. BOR_FAULTS_TURNS is the number of turns of each storm.
package faults
