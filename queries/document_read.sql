-- Reading documents by identity, and the tree that ls shows.

-- name: DocumentByPath :one
SELECT d.id, s.name AS source, d.path, d.kind, d.title, d.content, d.encoding, d.revision,
       d.document_date, d.summary, d.line_count, d.char_count, d.indexed_at
FROM documents d
JOIN sources s ON s.id = d.source_id
WHERE s.name = sqlc.arg(source)
  AND d.path_sha256 = path_key(sqlc.arg(path))
  AND d.path = sqlc.arg(path);

-- name: DocumentsByIDs :many
SELECT d.id, s.name AS source, d.path, d.kind, d.title, d.content, d.encoding, d.revision,
       d.document_date, d.summary, d.line_count, d.char_count, d.indexed_at
FROM documents d
JOIN sources s ON s.id = d.source_id
WHERE d.id = ANY(sqlc.arg(ids)::bigint[]);

-- The trigram index finds candidates by path, which may be all that is wanted or
-- what follows the source's name; the order is by whole identity, an exact end
-- of the path first.
-- name: ClosestIdentities :many
SELECT (s.name || '/' || d.path)::text AS identity
FROM documents d
JOIN sources s ON s.id = d.source_id
WHERE lower(d.path) % lower(sqlc.arg(wanted)::text)
   OR lower(d.path) % lower(sqlc.arg(rest)::text)
   OR lower(sqlc.arg(base)::text) <% lower(d.path)
ORDER BY right(lower('/' || d.path), length(sqlc.arg(wanted)) + 1) = '/' || lower(sqlc.arg(wanted)) DESC,
         similarity(lower(s.name || '/' || d.path), lower(sqlc.arg(wanted))) DESC,
         s.name COLLATE "C", d.path COLLATE "C"
LIMIT sqlc.arg(how_many);

-- name: TreeSources :many
SELECT s.name, s.summary, count(d.id)::int AS documents
FROM sources s
LEFT JOIN documents d ON d.source_id = s.id
GROUP BY s.id
ORDER BY s.name COLLATE "C";

-- name: SourceID :one
SELECT id FROM sources WHERE name = $1;

-- The folder is empty or ends in a slash.
-- name: TreeFolders :many
WITH below AS (
    SELECT substr(path, length(sqlc.arg(folder)::text) + 1) AS rest
    FROM documents
    WHERE source_id = sqlc.arg(source_id) AND starts_with(path, sqlc.arg(folder))
), folders AS (
    SELECT split_part(rest, '/', 1) AS name FROM below WHERE position('/' IN rest) > 0
)
SELECT name::text AS name, count(*)::int AS documents
FROM folders
GROUP BY folders.name
ORDER BY folders.name COLLATE "C";

-- name: TreeDocuments :many
SELECT path, title, (count(*) OVER ())::int AS total
FROM documents
WHERE source_id = sqlc.arg(source_id)
  AND starts_with(path, sqlc.arg(folder)::text)
  AND position('/' IN substr(path, length(sqlc.arg(folder)) + 1)) = 0
ORDER BY path COLLATE "C"
LIMIT sqlc.arg(how_many);

-- name: FolderExists :one
SELECT EXISTS (
    SELECT FROM documents
    WHERE source_id = sqlc.arg(source_id) AND starts_with(path, sqlc.arg(folder)::text)
);
