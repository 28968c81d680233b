package chat

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"bor/db"
)

const (
	persistFor   = 10 * time.Second // how long a write waits for a lost database to come back
	persistEvery = 200 * time.Millisecond
)

// errLost says that the turn's row is no longer ours to write: another process
// ended it when our lease ran out.
var errLost = errors.New("chat: the turn was taken over")

// fenced runs a write that must touch our own row, again and again while the
// database can't be reached or takes no writes: a restarted Postgres is back within
// seconds. It doesn't take the turn's context, because what a stopped turn has must be
// stored too.
func fenced(write func(context.Context) (int64, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), persistFor)
	defer cancel()
	for try := 1; ; try++ {
		rows, err := write(ctx)
		var pg *pgconn.PgError
		switch {
		case err == nil && rows == 0:
			return errLost
		case err == nil:
			return nil
		case errors.As(err, &pg) && pg.Code == "23505" && try > 1:
			return nil // the try before this one was committed; only its answer got lost
		case !db.Away(err) && !db.ReadOnly(err):
			return err
		}
		select {
		case <-time.After(persistEvery):
		case <-ctx.Done():
			return err
		}
	}
}
