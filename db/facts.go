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
}

// Facts asks the server about itself.
func (d *DB) Facts(ctx context.Context) (Facts, error) {
	var f Facts
	err := d.Pool.QueryRow(ctx, `
		SELECT 'PostgreSQL ' || current_setting('server_version'),
		       ARRAY(SELECT extname || ' ' || extversion FROM pg_extension WHERE extname IN ('vector', 'pg_trgm') ORDER BY 1),
		       coalesce((SELECT g.model || ', ' || g.dimension || ' numbers' FROM kb_state JOIN vector_generations g ON g.id = active_vectors), 'none yet')`).
		Scan(&f.Server, &f.Extensions, &f.Vectors)
	if err != nil {
		return f, fmt.Errorf("asking the database about itself: %w", err)
	}
	return f, nil
}
