-- name: AddQuery :exec
INSERT INTO query_log (question, embed_ms, top_score, fts_hits, summary_hits, tuning, kb_chars, history_msgs, threshold, deflected, why, sources,
    thinking_chars, tool_calls, first_ms, total_ms, retries, scaffold_stripped, verbatim_blocks, prompt_tokens, completion_tokens)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21);

-- name: ListQueries :many
-- Newest first, before an id (0: from the newest on).
SELECT * FROM query_log
WHERE (sqlc.arg('before')::bigint = 0 OR id < sqlc.arg('before')) AND (deflected OR NOT sqlc.arg('deflected_only')::boolean)
ORDER BY id DESC LIMIT sqlc.arg('limit');

-- name: CountQueriesByDay :many
-- The last days, today included, by UTC; days without a question too.
SELECT (day AT TIME ZONE 'UTC')::timestamptz AS day, count(q.id) AS turns, count(q.id) FILTER (WHERE q.deflected) AS deflected
FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC') - (sqlc.arg('days')::int - 1) * interval '1 day',
                     date_trunc('day', now() AT TIME ZONE 'UTC'), interval '1 day') AS day
LEFT JOIN query_log q ON q.asked_at >= day AT TIME ZONE 'UTC' AND q.asked_at < (day + interval '1 day') AT TIME ZONE 'UTC'
GROUP BY day ORDER BY day;

-- name: PurgeQueries :execrows
DELETE FROM query_log WHERE asked_at < now() - sqlc.arg('ttl')::interval;

-- name: CountImports :many
-- What all runs of all processes came to, by how they ended.
SELECT state, count(*) AS runs, coalesce(sum((report ->> 'added')::bigint), 0)::bigint AS added,
       coalesce(sum((report ->> 'updated')::bigint), 0)::bigint AS updated, coalesce(sum((report ->> 'pruned')::bigint), 0)::bigint AS pruned
FROM runs WHERE state <> 'running' GROUP BY state;
