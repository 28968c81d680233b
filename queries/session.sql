-- name: GetSession :one
SELECT data FROM sessions WHERE token = $1 AND expiry > now();

-- name: UpdateSession :execrows
-- Only while it is there: a request under way doesn't bring back what a logout ended.
UPDATE sessions SET data = $2, expiry = $3 WHERE token = $1;

-- name: SweepSessions :exec
DELETE FROM sessions WHERE expiry < now();
