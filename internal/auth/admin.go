// Package auth owns who may come in: the admin's password, the limit on logins,
// and the browser's session. It knows no pages.
//
// Invariants: the password is compared in constant time and stored nowhere; a
// session is signed in only while it holds the fingerprint of today's password,
// so that a changed password signs everyone out (DEC29); the limit on logins
// lives in the database, so that all processes share it (DEC31).
package auth

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"bor/db"
	"bor/internal/fault"
)

const (
	loginSpan     = 15 * time.Minute // the window of both limits (AD1)
	loginsAClient = 10               // attempts a client has in a window
	// From this many attempts of all clients in a window on, each further one
	// waits a while: guessing from many addresses gets slow, and the admin is
	// never locked out (DEC31).
	loginsInAll = 50
	loginDelay  = 2 * time.Second

	// The fingerprint lies in the sessions table; so many rounds make guessing
	// the password from a stolen copy slow (OWASP's floor for PBKDF2-SHA-256 is
	// 600 000 for stored passwords; this is one made value, read by nobody).
	fingerprintRounds = 200_000
)

// Limited is a refused login: too many attempts from one client.
type Limited struct{ RetryAfter time.Duration }

func (l *Limited) Error() string {
	return fmt.Sprintf("Too many attempts from your address. Wait %d minutes and try again.", int(l.RetryAfter.Minutes())+1)
}

// Admin checks the one password.
type Admin struct {
	db          *db.DB
	password    [sha256.Size]byte
	fingerprint string
}

// ErrNoPassword says what to do about an empty password.
var ErrNoPassword = errors.New("setting BOR_ADMIN_PASSWORD is empty: nobody could sign in. Set it to a password of your own and start again")

// NewAdmin takes the password; an empty one is refused with ErrNoPassword.
func NewAdmin(d *db.DB, password string) (*Admin, error) {
	if password == "" {
		return nil, ErrNoPassword
	}
	key, err := pbkdf2.Key(sha256.New, password, []byte("bor session fingerprint"), fingerprintRounds, 16)
	if err != nil {
		return nil, fmt.Errorf("auth: fingerprint of the password: %w", err)
	}
	return &Admin{db: d, password: sha256.Sum256([]byte(password)), fingerprint: hex.EncodeToString(key)}, nil
}

// Login checks a password for a client. A wrong one is fault.Invalid, too many
// attempts are *Limited; a right one clears the client's attempts.
func (a *Admin) Login(ctx context.Context, client netip.Addr, password string) error {
	hash := clientHash(client)
	if err := a.db.PurgeLoginAttempts(ctx, loginSpan); err != nil { // what no longer counts
		return err
	}
	var all int64
	err := a.db.Tx(ctx, func(q *db.Queries) error {
		if err := q.LockLogins(ctx, hash); err != nil {
			return err
		}
		seen, err := q.CountLoginAttempts(ctx, db.CountLoginAttemptsParams{ClientSha256: hash, Span: loginSpan})
		if err != nil {
			return err
		}
		if seen.Attempts >= loginsAClient {
			return &Limited{RetryAfter: loginSpan - seen.At.Sub(seen.Oldest)}
		}
		if all, err = q.CountAllLoginAttempts(ctx, loginSpan); err != nil {
			return err
		}
		return q.AddLoginAttempt(ctx, hash)
	})
	if err != nil {
		return err
	}
	if all >= loginsInAll {
		select {
		case <-time.After(loginDelay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	given := sha256.Sum256([]byte(password))
	if subtle.ConstantTimeCompare(given[:], a.password[:]) != 1 {
		return fault.New(fault.Invalid, "That is not the password. Check it and try again.")
	}
	return a.db.ClearLoginAttempts(ctx, hash)
}

// clientHash stands for a client in the database: its address, or for IPv6 its
// /64, which is what one client usually has to itself.
func clientHash(addr netip.Addr) []byte {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		addr = netip.PrefixFrom(addr, 64).Masked().Addr()
	}
	sum := sha256.Sum256([]byte(addr.String()))
	return sum[:]
}
