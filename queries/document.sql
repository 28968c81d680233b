-- Writing documents; reading them is in document_read.sql.

-- name: KnownDocuments :many
-- What is indexed at some paths of a source.
SELECT id, path, file_sha256, recipe, summary, summary_edited FROM documents
WHERE source_id = sqlc.arg(source_id)
  AND path_sha256 IN (SELECT path_key(p) FROM unnest(sqlc.arg(paths)::text[]) p);

-- name: DocumentsOfFiles :many
-- Documents of a source that were made from files with these bytes, in the
-- order of their paths.
SELECT id, path, file_sha256 FROM documents
WHERE source_id = sqlc.arg(source_id) AND file_sha256 = ANY(sqlc.arg(sums)::bytea[])
ORDER BY path COLLATE "C";

-- name: DocumentText :one
SELECT content, summary, summary_edited FROM documents WHERE id = $1;

-- name: DocumentToSummarise :one
SELECT d.id, s.name AS source, d.path, d.kind, d.title, d.content, d.line_count, d.file_sha256, s.id AS source_id
FROM documents d JOIN sources s ON s.id = d.source_id WHERE d.id = $1;

-- name: SetSummary :execrows
-- Unless the document has changed since its summary was made.
UPDATE documents SET summary = sqlc.arg(summary), summary_edited = sqlc.arg(edited)
WHERE id = sqlc.arg(id) AND file_sha256 = sqlc.arg(file_sha256) AND title = sqlc.arg(title);

-- name: WriteTurn :exec
-- Writers of documents take turns: each counts the same terms. See HoldRun.
SELECT pg_advisory_xact_lock(27707084735016803);

-- name: InsertDocument :one
INSERT INTO documents (source_id, path, kind, title, content, file_sha256, file_bytes, encoding,
    line_count, char_count, revision, document_date, summary, recipe, summary_edited)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
RETURNING id;

-- name: UpdateDocument :exec
UPDATE documents SET path = $2, kind = $3, title = $4, content = $5, file_sha256 = $6, file_bytes = $7, encoding = $8,
    line_count = $9, char_count = $10, revision = $11, document_date = $12, summary = $13, recipe = $14, summary_edited = $15, indexed_at = now()
WHERE id = $1;

-- name: DeleteDocument :exec
-- DropChunks first: it takes the terms' counts along.
DELETE FROM documents WHERE id = $1;

-- name: DocumentsPage :many
-- All documents of a source, page by page.
SELECT id, path FROM documents
WHERE source_id = sqlc.arg(source_id) AND id > sqlc.arg(after)
ORDER BY id LIMIT sqlc.arg(how_many);

-- name: TitlesPage :many
-- All documents of a source in the order of their paths, page by page.
SELECT path, title FROM documents
WHERE source_id = sqlc.arg(source_id) AND path COLLATE "C" > sqlc.arg(after)::text
ORDER BY path COLLATE "C" LIMIT sqlc.arg(how_many);
