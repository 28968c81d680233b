package db

import "context"

// EnsureVectorIndexFrom is EnsureVectorIndex with a smaller threshold.
func EnsureVectorIndexFrom(d *DB, ctx context.Context, generation int64, from int) error {
	return d.ensureVectorIndex(ctx, generation, from)
}
