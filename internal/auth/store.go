package auth

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/alexedwards/scs/pgxstore"
	"github.com/alexedwards/scs/v2"
	"github.com/jackc/pgx/v5"

	"bor/db"
)

const sweepEvery = 10 * time.Minute

// errEnded says that a session ended while a request that changed it was under way.
var errEnded = errors.New("auth: the session has ended")

// store is the table of sessions. Unlike the library's it heeds contexts, and
// doesn't store again a session that has ended since the request loaded it.
type store struct {
	*pgxstore.PostgresStore
	queries *db.Queries
}

var _ scs.CtxStore = store{}

func newStore(d *db.DB) store {
	return store{pgxstore.NewWithCleanupInterval(d.Pool, 0), d.Queries} // we sweep ourselves
}

func (s store) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	data, err = s.queries.GetSession(ctx, token)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, err
}

func (s store) DeleteCtx(_ context.Context, token string) error { return s.Delete(token) }

// CommitCtx stores a session: a new one, or one that must still be there.
func (s store) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	if ctx.Value(mustExist{}) == nil {
		return s.Commit(token, data, expiry)
	}
	rows, err := s.queries.UpdateSession(ctx, db.UpdateSessionParams{Token: token, Data: data, Expiry: expiry})
	if err == nil && rows == 0 {
		err = errEnded
	}
	return err
}

// mustExist marks the context of a commit of a session that was loaded.
type mustExist struct{}

// sweep removes expired sessions until ctx ends.
func (s store) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.queries.SweepSessions(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("expired sessions can't be removed; trying again later", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
