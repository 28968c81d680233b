package db

import (
	"context"
	"fmt"
)

// Facts are what `bor probe` tells of a database.
type Facts struct {
	Server     string   // "PostgreSQL 17.12"
	Extensions []string // "vector 0.8.0"
	Vectors    string   // what made the vectors in use: model and dimension
	Model      string   // of these alone; empty: there are none yet
	Dimension  int
	Chunks     int64
}

// Facts asks the server about itself.
func (d *DB) Facts(ctx context.Context) (Facts, error) {
	var f Facts
	err := d.Pool.QueryRow(ctx, `
		SELECT 'PostgreSQL ' || current_setting('server_version'),
		       ARRAY(SELECT extname || ' ' || extversion FROM pg_extension WHERE extname IN ('vector', 'pg_trgm') ORDER BY 1),
		       coalesce(g.model, ''), coalesce(g.dimension, 0), chunk_count
		FROM kb_state LEFT JOIN vector_generations g ON g.id = active_vectors`).
		Scan(&f.Server, &f.Extensions, &f.Model, &f.Dimension, &f.Chunks)
	if err != nil {
		return f, fmt.Errorf("asking the database about itself: %w", err)
	}
	f.Vectors = "none yet"
	if f.Model != "" {
		f.Vectors = fmt.Sprintf("%s, %d numbers", f.Model, f.Dimension)
	}
	return f, nil
}
