package db

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"
	pgxvector "github.com/pgvector/pgvector-go/pgx"
)

// Vectors live in one table for each generation, that is each pair of model and
// dimension, so that vectors of two models can't meet in one search (DEC21).
// sqlc can't know these tables; the statements over them are all in this file.
const (
	// MaxDimension is what an HNSW index over halfvec holds (pgvector 0.8).
	MaxDimension = 4000

	// indexFrom is the number of vectors from which a generation gets an HNSW
	// index. Below it an exact scan is fast enough and finds everything: 768
	// dimensions take 2.4 µs each, 12 ms for 5000.
	indexFrom = 5000

	// searchWidth is hnsw.ef_search: how many candidates the index keeps while
	// searching, at least as many as are asked for.
	searchWidth = 200

	vectorLock int64 = 0x626f725f766563 // "bor_vec": one process makes tables and indexes at a time
)

// searchSettings are set once for each pooled connection. The iterative scan
// goes on until enough live rows are found, when the index still holds rows
// that were deleted since.
var searchSettings = fmt.Sprintf("SET hnsw.ef_search = %d; SET hnsw.iterative_scan = 'relaxed_order'", searchWidth)

// prepareConn makes a pooled connection ready for vectors.
func prepareConn(ctx context.Context, conn *pgx.Conn) error {
	if err := pgxvector.RegisterTypes(ctx, conn); err != nil {
		return fmt.Errorf("reading the database's vector types: %w", err)
	}
	_, err := conn.Exec(ctx, searchSettings)
	return err
}

// ChunkVector is the embedding of one chunk.
type ChunkVector struct {
	ChunkID int64
	Vector  []float32
}

// Near is a chunk found by its embedding.
type Near struct {
	ChunkID int64
	Cosine  float64 // of the angle to the question, -1 to 1
}

// EnsureGeneration gives the id of the generation of (model, dimension), and
// makes it and its table on first use. It doesn't become the active one.
func (d *DB) EnsureGeneration(ctx context.Context, model string, dimension int) (id int64, err error) {
	if dimension < 1 || dimension > MaxDimension {
		return 0, fmt.Errorf("an embedding of %d dimensions can't be indexed: 1 to %d can; choose another embedding model or a smaller BOR_EMBEDDING_DIM", dimension, MaxDimension)
	}
	err = pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", vectorLock); err != nil {
			return err
		}
		q := d.Queries.WithTx(tx)
		if id, err = q.InsertVectorGeneration(ctx, InsertVectorGenerationParams{Model: model, Dimension: int32(dimension)}); err != nil {
			return err
		}
		// Stored in the row, not beside it: an exact scan reads every vector.
		_, err = tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %[1]s (
			chunk_id bigint PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
			embedding halfvec(%[2]d) STORAGE PLAIN NOT NULL)`, vectorTable(id), dimension))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("making the table for vectors of %s: %w", model, err)
	}
	return id, nil
}

// Activate makes a generation the one that searches use, and drops the others
// with their vectors. Searches that run meanwhile end first.
func (d *DB) Activate(ctx context.Context, generation int64) error {
	err := pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		q := d.Queries.WithTx(tx)
		if err := q.SetActiveVectors(ctx, generation); err != nil {
			return err
		}
		old, err := q.DeleteOtherVectorGenerations(ctx, generation)
		if err != nil {
			return err
		}
		for _, id := range old {
			if _, err := tx.Exec(ctx, "DROP TABLE IF EXISTS "+vectorTable(id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("switching to the new vectors: %w", err)
	}
	return nil
}

// PutVectors stores embeddings, scaled to length 1, so that half precision
// costs little and any scale of the model fits. A vector of another length than
// the generation's, or without a direction, is an error. The chunks must exist.
func (q *Queries) PutVectors(ctx context.Context, generation int64, vectors []ChunkVector) error {
	ids := make([]int64, len(vectors))
	embeddings := make([]pgvector.HalfVector, len(vectors))
	for i, v := range vectors {
		unit, err := unitVector(v.Vector)
		if err != nil {
			return err
		}
		ids[i], embeddings[i] = v.ChunkID, pgvector.NewHalfVector(unit)
	}
	_, err := q.db.Exec(ctx, "INSERT INTO "+vectorTable(generation)+` (chunk_id, embedding)
		SELECT * FROM unnest($1::bigint[], $2::halfvec[])
		ON CONFLICT (chunk_id) DO UPDATE SET embedding = excluded.embedding`, ids, embeddings)
	if err != nil {
		return fmt.Errorf("storing vectors: %w", err)
	}
	return nil
}

// unitVector scales v to length 1.
func unitVector(v []float32) ([]float32, error) {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	length := math.Sqrt(square)
	if length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
		return nil, fmt.Errorf("the embedding model returned a vector of length %g, which has no direction", length)
	}
	unit := make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) / length)
	}
	return unit, nil
}

// Nearest finds the k chunks whose embeddings have the largest cosine with
// vector, largest first. k is at least 1. The answer is exact without an index
// (see EnsureVectorIndex) and nearly so with it.
func (d *DB) Nearest(ctx context.Context, generation int64, vector []float32, k int) ([]Near, error) {
	unit, err := unitVector(vector)
	if err != nil {
		return nil, err
	}
	rows, err := d.Pool.Query(ctx, "SELECT chunk_id, 1 - (embedding <=> $1) FROM "+vectorTable(generation)+
		" ORDER BY embedding <=> $1 LIMIT $2", pgvector.NewHalfVector(unit), k)
	if err != nil {
		return nil, fmt.Errorf("searching vectors: %w", err)
	}
	near, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Near])
	if err != nil {
		return nil, fmt.Errorf("searching vectors: %w", err)
	}
	slices.SortStableFunc(near, func(a, b Near) int { // relaxed order is only nearly sorted
		switch {
		case a.Cosine > b.Cosine:
			return -1
		case a.Cosine < b.Cosine:
			return 1
		}
		return 0
	})
	return near, nil
}

// CountVectors is how many chunks have a vector in a generation.
func (d *DB) CountVectors(ctx context.Context, generation int64) (n int64, err error) {
	if err = d.Pool.QueryRow(ctx, "SELECT count(*) FROM "+vectorTable(generation)).Scan(&n); err != nil {
		return 0, fmt.Errorf("counting vectors: %w", err)
	}
	return n, nil
}

// MissingVectors gives chunks that have no vector in a generation, in the order
// of their ids from after on, at most limit.
func (d *DB) MissingVectors(ctx context.Context, generation, after int64, limit int) ([]int64, error) {
	rows, err := d.Pool.Query(ctx, "SELECT c.id FROM chunks c WHERE c.id > $1 AND NOT EXISTS (SELECT FROM "+
		vectorTable(generation)+" v WHERE v.chunk_id = c.id) ORDER BY c.id LIMIT $2", after, limit)
	if err != nil {
		return nil, fmt.Errorf("looking for chunks without vectors: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// EnsureVectorIndex builds the generation's index once it is large enough.
// Searches go on meanwhile; writes of vectors wait.
func (d *DB) EnsureVectorIndex(ctx context.Context, generation int64) error {
	return d.ensureVectorIndex(ctx, generation, indexFrom)
}

func (d *DB) ensureVectorIndex(ctx context.Context, generation int64, from int) error {
	err := d.Pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", vectorLock); err != nil {
				return err
			}
			var wanted bool
			if err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT to_regclass('%[1]s_hnsw') IS NULL
				AND (SELECT count(*) FROM (SELECT FROM %[1]s LIMIT $1) few) >= $1`, vectorTable(generation)), from).Scan(&wanted); err != nil || !wanted {
				return err
			}
			// Parallel builds overflow a buffer before pgvector 0.8.2 (CVE-2026-3172).
			if _, err := tx.Exec(ctx, "SET LOCAL max_parallel_maintenance_workers = 0"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, fmt.Sprintf("CREATE INDEX %[1]s_hnsw ON %[1]s USING hnsw (embedding halfvec_cosine_ops)", vectorTable(generation)))
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("building the index over vectors: %w", err)
	}
	return nil
}

// vectorTable is the name of a generation's table.
func vectorTable(generation int64) string { return fmt.Sprintf("vectors_%d", generation) }
