-- Sources: where documents come from.

-- name: ListSources :many
SELECT id, kind, name, location, host, ignore_paths, summary FROM sources ORDER BY name COLLATE "C";

-- name: SourceByName :one
SELECT id, kind, name, location, host, ignore_paths, summary FROM sources WHERE name = $1;

-- name: LocalSource :one
SELECT id, kind, name, location, host, ignore_paths, summary FROM sources
WHERE kind = 'local' AND host = $1 AND location = $2;

-- name: InsertSource :one
INSERT INTO sources (kind, name, location, host, ignore_paths) VALUES ($1, $2, $3, $4, $5) RETURNING id;

-- name: UpdateSource :exec
UPDATE sources SET name = $2, ignore_paths = $3 WHERE id = $1;

-- name: SourceSummary :one
SELECT summary, summary_of FROM sources WHERE id = $1;

-- name: SetSourceSummary :exec
UPDATE sources SET summary = $2, summary_of = $3 WHERE id = $1;

-- name: ListFolderSummaries :many
SELECT path, summary, summary_of FROM folder_summaries WHERE source_id = $1;

-- name: PutFolderSummary :exec
INSERT INTO folder_summaries (source_id, path, summary, summary_of) VALUES ($1, $2, $3, $4)
ON CONFLICT (source_id, path_sha256) DO UPDATE SET summary = excluded.summary, summary_of = excluded.summary_of;

-- name: DeleteFolderSummaries :exec
DELETE FROM folder_summaries WHERE source_id = sqlc.arg(source_id) AND path = ANY(sqlc.arg(paths)::text[]);

-- name: ListSkippedFiles :many
SELECT path, reason FROM skipped_files WHERE source_id = $1 ORDER BY path COLLATE "C";

-- name: PutSkippedFiles :exec
INSERT INTO skipped_files (source_id, path, reason)
SELECT sqlc.arg(source_id), unnest(sqlc.arg(paths)::text[]), unnest(sqlc.arg(reasons)::text[])
ON CONFLICT (source_id, path_sha256) DO UPDATE SET reason = excluded.reason;

-- name: DeleteSkippedFiles :exec
DELETE FROM skipped_files WHERE source_id = sqlc.arg(source_id) AND path = ANY(sqlc.arg(paths)::text[]);
