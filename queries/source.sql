-- Sources: where documents come from.

-- name: ListSources :many
SELECT * FROM sources ORDER BY name COLLATE "C";

-- name: SourceByID :one
SELECT * FROM sources WHERE id = $1;

-- name: SourceByName :one
SELECT * FROM sources WHERE name = $1;

-- name: LocalSource :one
SELECT * FROM sources WHERE kind = 'local' AND host = $1 AND location = $2;

-- name: GitSource :one
SELECT * FROM sources WHERE kind = 'git' AND location = $1 AND branch = $2;

-- name: InsertSource :one
INSERT INTO sources (kind, name, location, host, branch, ignore_paths, allow_secrets, from_settings)
VALUES (sqlc.arg(kind), sqlc.arg(name), sqlc.arg(location), sqlc.arg(host), sqlc.arg(branch),
    coalesce(sqlc.arg(ignore_paths)::text[], '{}'), coalesce(sqlc.arg(allow_secrets)::text[], '{}'), sqlc.arg(from_settings))
RETURNING *;

-- name: UpdateSource :one
UPDATE sources SET name = sqlc.arg(name), branch = sqlc.arg(branch),
    ignore_paths = coalesce(sqlc.arg(ignore_paths)::text[], '{}'), allow_secrets = coalesce(sqlc.arg(allow_secrets)::text[], '{}')
WHERE id = sqlc.arg(id) RETURNING *;

-- name: AdoptGitSource :exec
-- A source from the settings becomes a row like others.
UPDATE sources SET from_settings = false WHERE id = $1;

-- name: MoveArchive :one
-- Another file is the source's.
UPDATE sources SET location = $2 WHERE id = $1 AND kind = 'archive' RETURNING *;

-- name: MarkSourceRemoved :execrows
UPDATE sources SET removed_at = coalesce(removed_at, now()) WHERE id = $1;

-- name: KeepSource :execrows
UPDATE sources SET removed_at = NULL WHERE id = $1;

-- name: DeleteSource :exec
-- Its documents go first, one by one: they are counted in terms and totals.
DELETE FROM sources WHERE id = $1;

-- name: RecordSync :exec
-- What a run did with a source.
UPDATE sources SET last_run_at = now(), last_report = sqlc.arg(report),
    synced_at = CASE WHEN sqlc.arg(done)::bool THEN now() ELSE synced_at END,
    revision = CASE WHEN sqlc.arg(done)::bool THEN sqlc.arg(revision) ELSE revision END
WHERE id = sqlc.arg(id);

-- name: CountDocuments :many
SELECT source_id, count(*)::int AS documents FROM documents GROUP BY source_id;

-- name: CountSkipped :many
SELECT source_id, count(*)::int AS files FROM skipped_files GROUP BY source_id;

-- name: ListArchives :many
SELECT * FROM archives;

-- name: ArchiveOf :one
SELECT * FROM archives WHERE source_id = $1;

-- name: NextArchiveVersion :one
SELECT nextval('archive_versions')::bigint;

-- name: PutArchivePart :exec
INSERT INTO archive_parts (version, number, bytes) VALUES ($1, $2, $3);

-- name: PutArchive :exec
INSERT INTO archives (source_id, version, file_name, bytes, sha256) VALUES ($1, $2, $3, $4, $5);

-- name: DeleteArchive :exec
DELETE FROM archives WHERE source_id = $1;

-- name: ArchivePart :one
SELECT bytes FROM archive_parts WHERE version = $1 AND number = $2;

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
