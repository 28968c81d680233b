-- Reading documents by identity, and the tree that ls shows.

-- name: DocumentByPath :one
SELECT d.id, s.name AS source, d.path, d.kind, d.title, d.content, d.encoding, d.revision,
       d.document_date, d.summary, d.summary_edited, d.line_count, d.char_count, d.indexed_at,
       (CASE WHEN s.kind = 'git' THEN s.location ELSE '' END)::text AS remote,
       i.sha256 AS image_sha256, coalesce(i.media_type, '') AS image_type, coalesce(i.width, 0) AS image_width, coalesce(i.height, 0) AS image_height
FROM documents d
JOIN sources s ON s.id = d.source_id
LEFT JOIN images i ON i.sha256 = d.image_sha256
WHERE s.name = sqlc.arg(source)
  AND d.path_sha256 = path_key(sqlc.arg(path))
  AND d.path = sqlc.arg(path);

-- name: DocumentsByIDs :many
SELECT d.id, s.name AS source, d.path, d.kind, d.title, d.content, d.encoding, d.revision,
       d.document_date, d.summary, d.summary_edited, d.line_count, d.char_count, d.indexed_at,
       (CASE WHEN s.kind = 'git' THEN s.location ELSE '' END)::text AS remote,
       i.sha256 AS image_sha256, coalesce(i.media_type, '') AS image_type, coalesce(i.width, 0) AS image_width, coalesce(i.height, 0) AS image_height
FROM documents d
JOIN sources s ON s.id = d.source_id
LEFT JOIN images i ON i.sha256 = d.image_sha256
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

-- What a folder holds itself: how many folders, and how many documents. The
-- folder is empty or ends in a slash.
-- name: TreeCounts :one
SELECT (count(DISTINCT split_part(rest, '/', 1) COLLATE "C") FILTER (WHERE position('/' IN rest) > 0))::int AS folders,
       (count(*) FILTER (WHERE position('/' IN rest) = 0))::int AS documents
FROM (
    SELECT substr(path, length(sqlc.arg(folder)::text) + 1) AS rest
    FROM documents
    WHERE source_id = sqlc.arg(source_id) AND starts_with(path, sqlc.arg(folder))
) below;

-- The folders in a folder, with the first and the last path in each: what the
-- two have in common, all documents in it have.
-- name: TreeFolders :many
WITH below AS (
    SELECT substr(path, length(sqlc.arg(folder)::text) + 1) AS rest
    FROM documents
    WHERE source_id = sqlc.arg(source_id) AND starts_with(path, sqlc.arg(folder))
), inner_paths AS (
    SELECT split_part(rest, '/', 1) AS name, rest FROM below WHERE position('/' IN rest) > 0
)
SELECT count(*)::int AS documents, min(rest COLLATE "C")::text AS first_path, max(rest COLLATE "C")::text AS last_path
FROM inner_paths
GROUP BY name
ORDER BY name COLLATE "C"
LIMIT sqlc.arg(how_many);

-- name: TreeDocuments :many
SELECT path, title
FROM documents
WHERE source_id = sqlc.arg(source_id)
  AND starts_with(path, sqlc.arg(folder)::text)
  AND position('/' IN substr(path, length(sqlc.arg(folder)) + 1)) = 0
ORDER BY path COLLATE "C"
LIMIT sqlc.arg(how_many);

-- name: FolderSummaries :many
SELECT f.path, f.summary
FROM unnest(sqlc.arg(paths)::text[]) wanted
JOIN folder_summaries f ON f.source_id = sqlc.arg(source_id) AND f.path_sha256 = path_key(wanted) AND f.path = wanted;

-- name: FolderExists :one
SELECT EXISTS (
    SELECT FROM documents
    WHERE source_id = sqlc.arg(source_id) AND starts_with(path, sqlc.arg(folder)::text)
);

-- Folders and sources with a name like the wanted one, its last part, or with
-- documents whose paths are like it. The bound keeps a part that is in every
-- path from costing more than it helps.
-- name: ClosestFolders :many
WITH near AS (
    SELECT s.name, string_to_array(d.path, '/') AS parts
    FROM documents d
    JOIN sources s ON s.id = d.source_id
    WHERE lower(d.path) % lower(sqlc.arg(rest)::text) OR lower(sqlc.arg(base)::text) <% lower(d.path)
    LIMIT 10000
), folders AS (
    SELECT name || '/' AS folder FROM sources
    UNION
    SELECT name || '/' || array_to_string(parts[:depth], '/') || '/'
    FROM near, generate_series(1, cardinality(parts) - 1) depth
)
SELECT folder::text AS folder
FROM folders
WHERE similarity(lower(folder), lower(sqlc.arg(wanted)::text)) > 0.2
ORDER BY similarity(lower(folder), lower(sqlc.arg(wanted))) DESC, folder COLLATE "C"
LIMIT sqlc.arg(how_many);

-- name: ListDocuments :many
-- One page of the documents that a text and a source leave, in one of the orders
-- source, path, title, lines, chunks, indexed.
WITH found AS (
    SELECT d.id, s.name AS source, d.path, d.title, d.line_count, d.indexed_at, d.summary <> '' AS summarised, d.summary_edited
    FROM documents d
    JOIN sources s ON s.id = d.source_id
    WHERE (sqlc.arg(source)::text = '' OR s.name = sqlc.arg(source))
      AND (sqlc.arg(wanted)::text = '' OR position(lower(sqlc.arg(wanted)) IN lower(d.path)) > 0 OR position(lower(sqlc.arg(wanted)) IN lower(d.title)) > 0)
), keyed AS (
    SELECT found.*,
        CASE sqlc.arg(sort)::text WHEN 'path' THEN path WHEN 'title' THEN lower(title) WHEN 'source' THEN source END AS word,
        CASE sqlc.arg(sort)::text WHEN 'lines' THEN line_count::float8 WHEN 'indexed' THEN extract(epoch FROM indexed_at)::float8
            WHEN 'chunks' THEN (SELECT count(*) FROM chunks c WHERE c.document_id = found.id)::float8 END AS number
    FROM found
)
SELECT id, source, path, title, line_count, indexed_at, summarised, summary_edited,
    (count(*) OVER ())::int AS total,
    (SELECT count(*) FROM chunks c WHERE c.document_id = keyed.id)::int AS chunks
FROM keyed
ORDER BY CASE WHEN NOT sqlc.arg(down)::bool THEN number END, CASE WHEN sqlc.arg(down) THEN number END DESC,
    CASE WHEN NOT sqlc.arg(down) THEN word END COLLATE "C", CASE WHEN sqlc.arg(down) THEN word END COLLATE "C" DESC,
    source COLLATE "C", path COLLATE "C"
LIMIT sqlc.arg(how_many) OFFSET sqlc.arg(skip);

-- name: CountAllDocuments :one
SELECT count(*)::int FROM documents;
