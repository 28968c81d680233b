-- Grep over line-aligned blocks of text that was folded in Go (DEC22).

-- Which blocks may hold the pattern, an escaped LIKE pattern of folded text.
-- The limit is applied before the order, so that a pattern that is everywhere
-- costs no more than one that is in a thousand places.
-- name: GrepFindBlocks :many
WITH found AS (
    SELECT b.document_id, b.first_line, octet_length(b.folded) AS bytes, d.path, s.name
    FROM grep_blocks b
    JOIN documents d ON d.id = b.document_id
    JOIN sources s ON s.id = d.source_id
    WHERE b.folded LIKE sqlc.arg(pattern)
      AND (sqlc.narg(source_id)::bigint IS NULL OR d.source_id = sqlc.narg(source_id))
      AND (sqlc.narg(document_id)::bigint IS NULL OR d.id = sqlc.narg(document_id))
      AND starts_with(d.path, sqlc.arg(folder)::text)
    LIMIT sqlc.arg(how_many)
)
SELECT document_id, first_line, bytes::bigint AS bytes, name AS source, path
FROM found
ORDER BY name COLLATE "C", path COLLATE "C", first_line;

-- The same by scope instead of by the index: for one document, and for patterns
-- that are too short for the index. The planner doesn't know what reading a
-- block's text costs; OFFSET 0 keeps it from reading those outside the scope.
-- name: GrepScanBlocks :many
WITH found AS (
    SELECT b.document_id, b.first_line, b.bytes, d.path, s.name
    FROM documents d
    JOIN sources s ON s.id = d.source_id
    CROSS JOIN LATERAL (
        SELECT g.document_id, g.first_line, octet_length(g.folded) AS bytes
        FROM grep_blocks g
        WHERE g.document_id = d.id AND g.folded LIKE sqlc.arg(pattern)
        OFFSET 0
    ) b
    WHERE (sqlc.narg(source_id)::bigint IS NULL OR d.source_id = sqlc.narg(source_id))
      AND (sqlc.narg(document_id)::bigint IS NULL OR d.id = sqlc.narg(document_id))
      AND starts_with(d.path, sqlc.arg(folder)::text)
    LIMIT sqlc.arg(how_many)
)
SELECT document_id, first_line, bytes::bigint AS bytes, name AS source, path
FROM found
ORDER BY name COLLATE "C", path COLLATE "C", first_line;

-- name: GrepReadBlocks :many
SELECT b.document_id, b.first_line, b.folded
FROM (SELECT unnest(sqlc.arg(document_ids)::bigint[]) AS document_id, unnest(sqlc.arg(first_lines)::int[]) AS first_line) w
JOIN grep_blocks b ON b.document_id = w.document_id AND b.first_line = w.first_line;

-- A line ends at LF and nowhere else, which is what split_part does.
-- name: GrepLine :one
SELECT split_part(content, E'\n', sqlc.arg(line)::int)::text
FROM documents
WHERE id = $1;
