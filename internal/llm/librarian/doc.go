// Package librarian answers without any model: it embeds, finds passages and
// makes summaries in this process, from the text alone. It serves when no
// endpoint is set, behind the same contract as the client, so that retrieval,
// the agent and its tools work the same way on a machine that has nothing else.
//
// It owns a text embedder, a responder and a summariser. They are deterministic,
// use no network and no clock, and never paraphrase: what the responder shows of
// a document, it shows by naming the place, and the server supplies the bytes.
//
// Rejected: shipping a small neural model (tens of megabytes and a runtime, for
// vectors that depend on the machine's arithmetic), and generating text (it
// would be wrong now and then, which is what this product exists to avoid).
package librarian
