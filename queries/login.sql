-- name: LockLogins :exec
SELECT pg_advisory_xact_lock(hashtextextended(encode(sqlc.arg('client_sha256')::bytea, 'hex'), 1));

-- name: CountLoginAttempts :one
SELECT count(*)::bigint AS attempts, coalesce(min(attempted_at), now())::timestamptz AS oldest, now()::timestamptz AS at
FROM login_attempts
WHERE client_sha256 = $1 AND attempted_at > now() - sqlc.arg('span')::interval;

-- name: CountAllLoginAttempts :one
SELECT count(*) FROM login_attempts WHERE attempted_at > now() - sqlc.arg('span')::interval;

-- name: AddLoginAttempt :exec
INSERT INTO login_attempts (client_sha256) VALUES ($1);

-- name: ClearLoginAttempts :exec
DELETE FROM login_attempts WHERE client_sha256 = $1;

-- name: PurgeLoginAttempts :exec
DELETE FROM login_attempts WHERE attempted_at < now() - sqlc.arg('span')::interval;
