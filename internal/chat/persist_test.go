package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Writes are tried again while the database is away, and only then.
func TestFencedWrites(t *testing.T) {
	type answer struct {
		rows int64
		err  error
	}
	ours, taken, refused := errors.New("broken"), &pgconn.PgError{Code: "23505"}, &pgconn.PgError{Code: "22P05"}
	away := answer{0, fmt.Errorf("write: %w", io.ErrUnexpectedEOF)}
	goingDown := answer{0, &pgconn.PgError{Code: "57P01"}}
	for name, c := range map[string]struct {
		answers []answer
		want    error
	}{
		"stored":                        {[]answer{{1, nil}}, nil},
		"taken over":                    {[]answer{{0, nil}}, errLost},
		"back after a restart":          {[]answer{goingDown, away, {1, nil}}, nil},
		"taken over meanwhile":          {[]answer{away, {0, nil}}, errLost},
		"stored, and its answer lost":   {[]answer{away, {0, taken}}, nil},
		"stored twice":                  {[]answer{{0, taken}}, taken},
		"refused":                       {[]answer{{0, refused}}, refused},
		"a fault of ours":               {[]answer{{0, ours}}, ours},
		"a fault of ours after a while": {[]answer{away, {0, ours}}, ours},
	} {
		tries := 0
		err := fenced(func(context.Context) (int64, error) {
			a := c.answers[tries]
			tries++
			return a.rows, a.err
		})
		if !errors.Is(err, c.want) || c.want == nil && err != nil || tries != len(c.answers) {
			t.Errorf("%s: %v after %d tries", name, err, tries)
		}
	}
}
