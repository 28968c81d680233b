-- Images: what documents and answers show (DEC28).

-- name: PutImage :exec
INSERT INTO images (sha256, media_type, width, height, bytes)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (sha256) DO UPDATE SET unused_since = NULL;

-- name: SetDocumentImage :exec
UPDATE documents SET image_sha256 = $2 WHERE id = $1;

-- name: GetImage :one
SELECT media_type, bytes FROM images WHERE sha256 = $1;

-- name: DocumentImage :one
SELECT i.bytes FROM documents d JOIN images i ON i.sha256 = d.image_sha256 WHERE d.id = $1;

-- name: ListImageDocuments :many
SELECT id, path, title, summary, summary_edited FROM documents
WHERE source_id = $1 AND kind = 'image'
ORDER BY path COLLATE "C";

-- name: ImageLinksPage :many
-- The Markdown documents of a source that name an image's file, page by page.
SELECT id, path, content FROM documents
WHERE source_id = sqlc.arg(source_id) AND path COLLATE "C" > sqlc.arg(after)::text
  AND kind = 'text' AND path ~* '\.(md|markdown|mdx)$' AND content ~* '\.(png|jpe?g|gif|webp)'
ORDER BY path COLLATE "C" LIMIT sqlc.arg(how_many);

-- name: SetCaption :execrows
UPDATE documents SET title = $2, summary = $3 WHERE id = $1 AND kind = 'image';

-- name: ReleaseImages :exec
-- An image that nothing refers to goes with the first import an hour later: a
-- turn that is about to show it has long stored its event by then.
WITH gone AS (
    DELETE FROM images i
    WHERE i.unused_since < now() - interval '1 hour' AND NOT EXISTS (SELECT FROM image_uses u WHERE u.sha256 = encode(i.sha256, 'hex'))
)
UPDATE images i
SET unused_since = CASE WHEN EXISTS (SELECT FROM image_uses u WHERE u.sha256 = encode(i.sha256, 'hex')) THEN NULL ELSE now() END
WHERE (i.unused_since IS NULL) = NOT EXISTS (SELECT FROM image_uses u WHERE u.sha256 = encode(i.sha256, 'hex'));
