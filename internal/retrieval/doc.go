// Package retrieval finds the documents that answer a question, says honestly
// when there are none, and measures how well it does both.
//
// It owns hybrid search, the honesty gate and evaluation; it stores nothing.
//
//	question ─┬─ terms ─ rarest bring candidates ─ BM25 ──────┬─ reciprocal ─ documents
//	          ├─ embedding ─ nearest chunks by cosine ────────┤  rank fusion
//	          ├─ names: which candidate's name is asked for ──┘
//	          └─ things: does what it names occur at all? ──── gate (with cosine and words)
//
// Invariants:
//   - A question is data: it reaches SQL as parameters only, and as a tsquery
//     only in terms that package lexical quoted.
//   - Vectors of another embedder than the configured one are never searched; the
//     result says so (DEC21).
//   - A document ranks by its best chunk. Hits are the same for the same question
//     and knowledge base.
//   - The gate is in the result: page, API, MCP and agent judge alike (RET2).
//
// Every threshold and weight stands as a constant beside what it was measured
// with. Changing one means measuring again: bor eval --set does.
//
// Rejected: ts_rank (it knows no inverse document frequency), adding scores of
// the two sides (their scales differ by embedder and question; ranks don't),
// ranking a document by all its chunks (it lost to the best one on both judged
// collections), and judging by cosine alone (a near miss such as the quadlet of
// something that isn't there is as near as a hit).
package retrieval
