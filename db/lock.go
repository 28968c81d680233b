package db

import (
	"context"
	"fmt"
)

// LockHeld tells whether any session of this database holds a session advisory
// lock of 64 bits. Written by hand: sqlc doesn't know pg_locks.
func (d *DB) LockHeld(ctx context.Context, lock int64) (held bool, err error) {
	err = d.Pool.QueryRow(ctx, `SELECT EXISTS (
		SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND (classid::bigint << 32 | objid::bigint) = $1)`, lock).Scan(&held)
	if err != nil {
		return false, fmt.Errorf("asking who holds a lock: %w", err)
	}
	return held, nil
}
