package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"bor/db"
	"bor/internal/fault"

	"github.com/jackc/pgx/v5"
)

// ClaimLock is the session advisory lock of the one run (DEC20), for those who ask
// whether one goes on.
const ClaimLock int64 = 0x626f725f696d70 // "bor_imp"

// RunningError says that another run goes on.
type RunningError struct {
	Owner string    // host and process
	Since time.Time // by the database's clock; zero when it has only just begun
}

func (e *RunningError) Error() string {
	since := "it has only just begun"
	if !e.Since.IsZero() {
		since = fmt.Sprintf("%s runs it since %s", e.Owner, e.Since.Local().Format("2006-01-02 15:04:05"))
	}
	return "An import is going on already: " + since + ". Wait for its end, or stop it there."
}

// Unwrap makes it a conflict for those who only know codes.
func (e *RunningError) Unwrap() error { return fault.New(fault.Conflict, e.Error()) }

// claim is the right to import. The lock lives and dies with conn.
type claim struct {
	conn *pgx.Conn
	q    *db.Queries
	run  int64
}

// claim takes the right to import, or says who has it. A run that crashed has
// lost its lock; its row is closed here. everything marks a sync of the registry.
func (im *Importer) claim(ctx context.Context, everything bool) (*claim, error) {
	conn, err := im.DB.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &claim{conn: conn, q: db.New(conn)}
	// A host that vanishes without a word gives its lock back within half a minute.
	if _, err := conn.Exec(ctx, "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"); err != nil {
		c.release()
		return nil, fmt.Errorf("claiming the import: %w", err)
	}
	var free bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", ClaimLock).Scan(&free); err != nil {
		c.release()
		return nil, fmt.Errorf("claiming the import: %w", err)
	}
	if !free {
		defer c.release()
		return nil, c.running(ctx)
	}
	if err := c.begin(ctx, fmt.Sprintf("%s, process %d", im.Registry.Host, os.Getpid()), everything); err != nil {
		c.release()
		return nil, fmt.Errorf("claiming the import: %w", err)
	}
	return c, nil
}

func (c *claim) begin(ctx context.Context, owner string, everything bool) error {
	if _, err := c.q.AbandonRuns(ctx); err != nil {
		return err
	}
	row, err := c.q.InsertRun(ctx, db.InsertRunParams{Owner: owner, Everything: everything})
	c.run = row.ID
	return err
}

func (c *claim) running(ctx context.Context) error {
	row, err := c.q.RunningRun(ctx)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // between its lock and its row
		return &RunningError{}
	case err != nil:
		return fmt.Errorf("asking who imports: %w", err)
	}
	return &RunningError{Owner: row.Owner, Since: row.StartedAt}
}

// finish records the run's end, also for a run that was stopped.
func (c *claim) finish(ctx context.Context, report Report) error {
	data, err := json.Marshal(report)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	n, err := c.q.FinishRun(ctx, db.FinishRunParams{ID: c.run, State: report.State, Report: data})
	if err != nil {
		return fmt.Errorf("recording the import's end: %w", err)
	}
	if n == 0 {
		return errLostClaim
	}
	return nil
}

// errLostClaim ends a run whose lock went with its connection.
var errLostClaim = errors.New("this import lost its claim, because its connection to the database broke; another may have taken over")

// release gives the right back and closes the session. The server takes note of a
// session's end when it comes to it, which whoever imports next wouldn't wait for.
func (c *claim) release() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c.conn.Exec(ctx, "SELECT pg_advisory_unlock_all()")
	c.conn.Close(ctx)
}
