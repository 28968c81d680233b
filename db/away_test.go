package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestFaultsOfTheDatabaseAreToldApart(t *testing.T) {
	code := func(c string) error { return fmt.Errorf("query: %w", &pgconn.PgError{Code: c}) }
	for name, c := range map[string]struct {
		err            error
		away, readOnly bool
	}{
		"lost":                 {io.ErrUnexpectedEOF, true, false},
		"no answer in time":    {context.DeadlineExceeded, true, false},
		"connection exception": {code("08006"), true, false},
		"no connection left":   {code("53300"), true, false},
		"going down":           {code("57P01"), true, false},
		"crashed":              {code("57P02"), true, false},
		"coming up":            {code("57P03"), true, false},
		"read-only":            {code("25006"), false, true},
		"disk full":            {code("53100"), false, true},
		"disk failing":         {code("58030"), false, true},
		"taken":                {code("23505"), false, false},
		"cancelled query":      {code("57014"), false, false},
		"ours":                 {errors.New("broken"), false, false},
		"none":                 {nil, false, false},
	} {
		if got := Away(c.err); got != c.away {
			t.Errorf("%s: away is %v", name, got)
		}
		if got := ReadOnly(c.err); got != c.readOnly {
			t.Errorf("%s: read-only is %v", name, got)
		}
	}
}
