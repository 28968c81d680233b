-- name: CreateTurn :one
INSERT INTO turns (conversation_id, submit_id, question, owner, lease_until)
VALUES ($1, $2, $3, $4, now() + sqlc.arg('lease')::interval)
RETURNING *;

-- name: LockSubmit :exec
-- Serialises the submits of one page, also before there is a conversation.
SELECT pg_advisory_xact_lock(hashtextextended(sqlc.arg('visitor')::text || sqlc.arg('submit_id')::text, 0));

-- name: GetTurnBySubmit :one
SELECT t.* FROM turns t JOIN conversations c ON c.id = t.conversation_id
WHERE t.submit_id = $1 AND c.visitor = $2 AND c.principal = $3;

-- name: GetRunningTurn :one
SELECT id FROM turns WHERE conversation_id = $1 AND state = 'running';

-- name: GetTurn :one
SELECT t.* FROM turns t JOIN conversations c ON c.id = t.conversation_id
WHERE t.id = $1 AND c.visitor = $2 AND c.principal = $3;

-- name: ListTurns :many
SELECT * FROM turns WHERE conversation_id = $1 ORDER BY id;

-- name: ListEarlierTurns :many
-- Newest first: the model's history is cut from the old end. A turn without an
-- answer tells the model nothing and takes nobody's place.
SELECT id, question, record FROM turns
WHERE conversation_id = $1 AND id < $2 AND state <> 'running' AND record ->> 'text' <> ''
ORDER BY id DESC LIMIT $3;

-- name: ListRecentQuestions :many
-- A visitor's own last answered questions, each once (DEC13).
SELECT question FROM (
    SELECT DISTINCT ON (t.question) t.question, t.id
    FROM turns t JOIN conversations c ON c.id = t.conversation_id
    WHERE c.visitor = $1 AND c.principal = $2 AND t.state = 'done'
      AND NOT coalesce((t.record ->> 'deflected')::boolean, false)
    ORDER BY t.question, t.id DESC
) q ORDER BY id DESC LIMIT $3;

-- name: AppendTurnEvents :many
-- Events of any number of turns. Fenced by owner and state: a turn that isn't
-- returned is no longer ours (DEC11). Rows are locked in one order, here and by
-- RenewLeases, so that the two never wait for each other.
WITH event AS (
    SELECT unnest(sqlc.arg('turns')::bigint[]) AS turn_id, unnest(sqlc.arg('seqs')::bigint[]) AS seq,
           unnest(sqlc.arg('kinds')::text[]) AS kind, unnest(sqlc.arg('payloads')::jsonb[]) AS payload
), held AS (
    SELECT turns.id FROM turns
    WHERE turns.id = ANY(sqlc.arg('turns')::bigint[]) AND turns.owner = sqlc.arg('owner') AND turns.state = 'running'
    ORDER BY turns.id FOR NO KEY UPDATE
), mine AS (
    UPDATE turns SET last_seq = last.seq
    FROM held JOIN (SELECT turn_id, max(seq) AS seq FROM event GROUP BY turn_id) last ON last.turn_id = held.id
    WHERE turns.id = held.id
    RETURNING turns.id
), added AS (
    INSERT INTO turn_events (turn_id, seq, kind, payload)
    SELECT event.turn_id, event.seq, event.kind, event.payload FROM event JOIN mine ON mine.id = event.turn_id
)
SELECT mine.id FROM mine WHERE pg_notify('bor_turns', mine.id::text) IS NOT NULL;

-- name: FinishTurn :execrows
-- The record holds all that the events said, so they go with the end.
WITH mine AS (
    UPDATE turns SET state = sqlc.arg('state'), record = sqlc.arg('record'), last_seq = sqlc.arg('last_seq'), finished_at = now()
    WHERE turns.id = sqlc.arg('id') AND turns.owner = sqlc.arg('owner') AND turns.state = 'running'
    RETURNING turns.id
), gone AS (
    DELETE FROM turn_events USING mine WHERE turn_events.turn_id = mine.id
)
SELECT pg_notify('bor_turns', id::text) FROM mine;

-- name: CountFinished :one
-- 1 when this owner has ended the turn itself: whoever reaps one makes it its own.
SELECT count(*) FROM turns WHERE id = $1 AND owner = $2 AND state <> 'running';

-- name: ListTurnEvents :many
SELECT seq, kind, payload FROM turn_events WHERE turn_id = $1 AND seq > $2 ORDER BY seq;

-- name: GetTurnState :one
SELECT state, last_seq, record FROM turns WHERE id = $1;

-- name: RenewLeases :many
-- Only of turns that still run: one whose end couldn't be stored must expire.
WITH held AS (
    SELECT turns.id FROM turns
    WHERE turns.owner = $1 AND turns.state = 'running' AND turns.id = ANY(sqlc.arg('ids')::bigint[])
    ORDER BY turns.id FOR NO KEY UPDATE
)
UPDATE turns SET lease_until = now() + sqlc.arg('lease')::interval
FROM held WHERE turns.id = held.id
RETURNING turns.id;

-- name: ListStopRequests :many
SELECT id FROM turns WHERE owner = $1 AND state = 'running' AND stop_requested;

-- name: RequestStop :execrows
WITH mine AS (
    UPDATE turns SET stop_requested = true WHERE turns.id = $1 AND turns.state = 'running' RETURNING turns.id
)
SELECT pg_notify('bor_stops', id::text) FROM mine;

-- name: ListExpiredTurns :many
-- Never just after the database itself came back: its owners need a lease's time to renew.
SELECT id, last_seq FROM turns
WHERE state = 'running' AND lease_until < now()
  AND pg_postmaster_start_time() < now() - sqlc.arg('lease')::interval
LIMIT 100;

-- name: ReapTurn :execrows
-- Fenced by the last event that the record holds: an owner that came back in the
-- meantime has written more.
WITH dead AS (
    UPDATE turns SET state = 'interrupted', owner = sqlc.arg('owner'), record = sqlc.arg('record'), last_seq = turns.last_seq + 1, finished_at = now()
    WHERE turns.id = sqlc.arg('id') AND turns.state = 'running' AND turns.lease_until < now() AND turns.last_seq = sqlc.arg('seen')
    RETURNING turns.id
), gone AS (
    DELETE FROM turn_events USING dead WHERE turn_events.turn_id = dead.id
)
SELECT pg_notify('bor_turns', id::text) FROM dead;

-- name: NotifyReaders :exec
-- Tells the owners of turns that somebody reads them at another process.
SELECT pg_notify('bor_readers', id::text) FROM unnest(sqlc.arg('ids')::bigint[]) AS id;
