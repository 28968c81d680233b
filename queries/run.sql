-- Import runs. The claim is a session advisory lock; the row is for people, and
-- fences a run that lost its lock without noticing.

-- name: InsertRun :one
INSERT INTO runs (owner, everything) VALUES ($1, $2) RETURNING id, started_at;

-- name: AbandonRuns :execrows
-- Only by the holder of the lock: whoever still says running has crashed.
UPDATE runs SET state = 'abandoned', finished_at = coalesce(seen_at, started_at) WHERE state = 'running';

-- name: RunningRun :one
SELECT id, owner, started_at FROM runs WHERE state = 'running' ORDER BY id DESC LIMIT 1;

-- name: HoldRun :one
-- Holds the run for the length of a transaction: nobody can take over meanwhile.
-- A document that a crash of the server loses is missing as a whole, and indexed
-- by the next run; so its commit needn't wait for the disk. The run's last does.
-- Whoever edits a summary takes turns with it (WriteTurn).
SELECT id, set_config('synchronous_commit', 'off', true)::text AS commits, pg_advisory_xact_lock(27707084735016803)::text AS turn
FROM runs WHERE id = $1 AND state = 'running' FOR SHARE;

-- name: HoldClaim :one
SELECT id FROM runs WHERE id = $1 AND state = 'running' FOR SHARE;

-- name: FinishRun :execrows
UPDATE runs SET state = $2, report = $3, finished_at = now() WHERE id = $1 AND state = 'running';

-- name: LastRun :one
SELECT * FROM runs ORDER BY id DESC LIMIT 1;

-- name: SyncDue :one
-- Whether the whole registry was last begun to be synced so long ago, or never.
SELECT (coalesce(max(started_at), '-infinity') <= now() - sqlc.arg(age)::interval)::bool AS due FROM runs WHERE everything;

-- name: TellProgress :one
-- The run says how far it is, and hears whether it is to stop.
UPDATE runs SET progress = $2, seen_at = now() WHERE id = $1 AND state = 'running' RETURNING stop_requested;

-- name: RequestRunStop :execrows
UPDATE runs SET stop_requested = true WHERE state = 'running';

-- name: SettleCrashedRun :execrows
-- Nobody holds the lock while this does, so that who says running has crashed.
UPDATE runs SET state = 'abandoned', finished_at = coalesce(seen_at, started_at) WHERE id = $1 AND state = 'running';
