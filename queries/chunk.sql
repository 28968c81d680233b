-- Writing chunks, and what is counted over them.

-- name: DropChunks :one
-- Removes a document's chunks, or of them only the one that stands for the whole
-- (and by cascade their vectors), takes them off the terms' counts, and says how
-- much went.
WITH gone AS (
    DELETE FROM chunks WHERE document_id = sqlc.arg(document_id) AND (position = -1 OR NOT sqlc.arg(whole_only)::boolean) RETURNING terms, term_count
), freq AS (
    SELECT u.term, count(*) AS n FROM gone, unnest(tsvector_to_array(gone.terms)) AS u(term) GROUP BY u.term
), dropped AS (
    DELETE FROM terms t USING freq f WHERE t.term = f.term AND t.chunk_freq <= f.n
), lowered AS (
    UPDATE terms t SET chunk_freq = t.chunk_freq - f.n FROM freq f WHERE t.term = f.term AND t.chunk_freq > f.n
)
SELECT count(*) AS chunks, coalesce(sum(term_count), 0)::bigint AS term_count FROM gone;

-- name: InsertChunks :many
-- The ids come in the order of the positions.
WITH made AS (
    INSERT INTO chunks (document_id, position, start_line, end_line, heading, content, terms, term_count)
    SELECT sqlc.arg(document_id), unnest(sqlc.arg(positions)::int[]), unnest(sqlc.arg(start_lines)::int[]), unnest(sqlc.arg(end_lines)::int[]),
        unnest(sqlc.arg(headings)::text[]), unnest(sqlc.arg(contents)::text[]), unnest(sqlc.arg(vectors)::text[])::tsvector, unnest(sqlc.arg(term_counts)::int[])
    RETURNING id, position
)
SELECT id FROM made ORDER BY position;

-- name: CountTerms :exec
INSERT INTO terms (term, chunk_freq)
SELECT unnest(sqlc.arg(terms)::text[]), unnest(sqlc.arg(counts)::bigint[])
ON CONFLICT (term) DO UPDATE SET chunk_freq = terms.chunk_freq + excluded.chunk_freq;

-- name: PutGrepBlocks :exec
WITH gone AS (DELETE FROM grep_blocks WHERE document_id = sqlc.arg(document_id) AND NOT first_line = ANY(sqlc.arg(first_lines)::int[]))
INSERT INTO grep_blocks (document_id, first_line, folded)
SELECT sqlc.arg(document_id), unnest(sqlc.arg(first_lines)::int[]), unnest(sqlc.arg(folded)::text[])
ON CONFLICT (document_id, first_line) DO UPDATE SET folded = excluded.folded;

-- name: ChangeKB :exec
-- Keeps the totals, and marks the knowledge base as changed by a run that hasn't
-- finished (DEC20).
UPDATE kb_state SET chunk_count = chunk_count + sqlc.arg(chunks), term_count = term_count + sqlc.arg(terms), dirty = true;

-- name: ChangeKBWhole :exec
-- Keeps the totals in a change that leaves nothing to finish.
UPDATE kb_state SET chunk_count = chunk_count + sqlc.arg(chunks), term_count = term_count + sqlc.arg(terms), generation = generation + 1;

-- name: ChunksByIDs :many
-- What a chunk's vector is made of.
SELECT c.id, d.title, c.heading, c.content FROM chunks c JOIN documents d ON d.id = c.document_id
WHERE c.id = ANY(sqlc.arg(ids)::bigint[]) ORDER BY c.id;
