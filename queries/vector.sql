-- Generations of vectors. The tables themselves: db/vectors.go.

-- The update only makes RETURNING give the id of a row that was there before.
-- name: InsertVectorGeneration :one
INSERT INTO vector_generations (model, dimension) VALUES ($1, $2)
ON CONFLICT (model, dimension) DO UPDATE SET model = excluded.model
RETURNING id;

-- name: DeleteOtherVectorGenerations :many
DELETE FROM vector_generations WHERE id <> $1 RETURNING id;

-- name: SetActiveVectors :exec
UPDATE kb_state SET active_vectors = sqlc.arg(generation)::bigint;
