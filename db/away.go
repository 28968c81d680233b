package db

import (
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Away tells whether err says that the database can't be reached just now, as
// opposed to having answered with an error: a refused or lost connection, a server
// that is going down or coming up (SQLSTATE class 08, 57P01–57P03), or one that has
// no connection left (53300).
func Away(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return strings.HasPrefix(pg.Code, "08") || slices.Contains([]string{"53300", "57P01", "57P02", "57P03"}, pg.Code)
	}
	var network net.Error
	return errors.As(err, new(*pgconn.ConnectError)) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// ReadOnly tells whether err says that the database answers but takes no writes:
// it is read-only (SQLSTATE 25006), as a standby is, or its disk is full or failing
// (53100, 58030). A write that got this answer changed nothing.
func ReadOnly(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && slices.Contains([]string{"25006", "53100", "58030"}, pg.Code)
}
