-- The knowledge base as a whole.

-- name: KBState :one
SELECT generation, dirty, overview, active_vectors, chunk_count, term_count, last_import_at FROM kb_state;

-- name: FinishKB :one
-- Ends a run that changed something, in one statement: what was dirty is clean
-- again, and the generation rises by exactly one.
UPDATE kb_state
SET generation = generation + 1, dirty = false, overview = sqlc.arg(overview), last_import_at = now()
WHERE dirty
RETURNING generation;

-- name: SetLastImport :exec
UPDATE kb_state SET last_import_at = now();
