package db

import "context"

// EnsureVectorIndexFrom is EnsureVectorIndex with a smaller threshold.
func EnsureVectorIndexFrom(d *DB, ctx context.Context, generation int64, from int) error {
	return d.ensureVectorIndex(ctx, generation, from)
}

// DropJobs takes the job library's tables away, as if a migration had been killed
// before it made them.
func DropJobs(ctx context.Context, url string) error { return migrateJobs(ctx, url, jobsFrom-1) }
