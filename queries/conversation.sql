-- name: CreateConversation :one
INSERT INTO conversations (visitor, principal) VALUES ($1, $2) RETURNING id;

-- name: GetConversation :one
SELECT id FROM conversations WHERE id = $1 AND visitor = $2 AND principal = $3;

-- name: LockConversation :one
-- Serialises the submits of one conversation.
SELECT id FROM conversations WHERE id = $1 AND visitor = $2 AND principal = $3 FOR UPDATE;

-- name: TouchConversation :exec
UPDATE conversations SET touched_at = now() WHERE id = $1;

-- name: PurgeConversations :execrows
-- Unsaved conversations end some time after their last turn (CH5).
DELETE FROM conversations c
WHERE c.touched_at < now() - sqlc.arg('ttl')::interval
  AND NOT EXISTS (SELECT FROM turns t WHERE t.conversation_id = c.id AND t.state = 'running');
