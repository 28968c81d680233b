package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"

	"bor/db"
	"bor/internal/chat"
)

const (
	sessionLifetime = 30 * 24 * time.Hour // absolute
	sessionIdle     = 7 * 24 * time.Hour
	// Use is noted this often. The library's own idle timeout would store the
	// session with every request.
	seenEvery    = time.Hour
	aliveTimeout = 2 * time.Second

	keyVisitor      = "visitor"      // random; owns conversations, gone with the session
	keyAdmin        = "admin"        // fingerprint of the password that signed in
	keyConversation = "conversation" // the one that the front page shows
	keySeen         = "seen"         // when the session was last used, to the hour
)

// Sessions is the browser's side of signing in, kept in PostgreSQL.
type Sessions struct {
	manager *scs.SessionManager
	admin   *Admin
	close   func()
}

// NewSessions makes the session store and starts sweeping expired ones; Close
// ends that.
func NewSessions(d *db.DB, admin *Admin) *Sessions {
	store := newStore(d)
	m := scs.New()
	m.Store = store
	m.Codec = codec{}
	m.Lifetime = sessionLifetime
	m.HashTokenInStore = true
	ctx, cancel := context.WithCancel(context.Background())
	var sweeping sync.WaitGroup
	sweeping.Go(func() { store.sweep(ctx) })
	return &Sessions{manager: m, admin: admin, close: func() { cancel(); sweeping.Wait() }}
}

// Close stops sweeping.
func (s *Sessions) Close() { s.close() }

// cookieName is bound to this host alone where the connection allows it.
func cookieName(secure bool) string {
	if secure {
		return "__Host-bor"
	}
	return "bor"
}

// Load reads the request's session into a context; secure tells whether the
// browser came over TLS. It fails only when the database can't be asked.
func (s *Sessions) Load(r *http.Request, secure bool) (context.Context, error) {
	return s.load(r.Context(), Token(r, secure))
}

// Token is the session id that the browser sent; empty for none.
func Token(r *http.Request, secure bool) string {
	if c, err := r.Cookie(cookieName(secure)); err == nil {
		return c.Value
	}
	return ""
}

func (s *Sessions) load(ctx context.Context, token string) (context.Context, error) {
	ctx, err := s.manager.Load(ctx, token)
	if err != nil || !s.manager.Exists(ctx, keySeen) {
		return ctx, err
	}
	ctx = context.WithValue(ctx, loadedToken{}, token)
	switch idle := s.idle(ctx); {
	case idle > sessionIdle:
		return ctx, s.manager.Destroy(ctx)
	case idle > seenEvery:
		s.see(ctx, time.Now())
	}
	return ctx, nil
}

// loadedToken is the context's key of the id under which its session was loaded.
type loadedToken struct{}

// see notes when the session was used, as text: the encoding knows no times.
func (s *Sessions) see(ctx context.Context, at time.Time) {
	s.manager.Put(ctx, keySeen, at.UTC().Format(time.RFC3339))
}

func (s *Sessions) idle(ctx context.Context) time.Duration {
	at, err := time.Parse(time.RFC3339, s.manager.GetString(ctx, keySeen))
	if err != nil {
		return sessionIdle + 1
	}
	return time.Since(at)
}

// Commit stores a changed session and gives the cookie for it; nil when nothing
// is to be sent.
func (s *Sessions) Commit(ctx context.Context, secure bool) (*http.Cookie, error) {
	cookie := &http.Cookie{Name: cookieName(secure), Path: "/", HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode}
	switch s.manager.Status(ctx) {
	case scs.Modified:
		if !s.manager.Exists(ctx, keyVisitor) {
			return nil, nil // nothing worth keeping: an anonymous look needs no session
		}
		if s.manager.Token(ctx) == ctx.Value(loadedToken{}) {
			ctx = context.WithValue(ctx, mustExist{}, true)
		}
		token, expiry, err := s.manager.Commit(ctx)
		if errors.Is(err, errEnded) {
			return nil, nil // the browser may have a newer cookie by now
		}
		if err != nil {
			return nil, err
		}
		cookie.Value = token
		cookie.Expires = expiry.UTC().Truncate(time.Second)
		cookie.MaxAge = max(1, int(time.Until(expiry).Seconds()))
		return cookie, nil
	case scs.Destroyed:
		cookie.MaxAge = -1
		return cookie, nil
	}
	return nil, nil
}

// SignIn makes the session the admin's under a new id.
func (s *Sessions) SignIn(ctx context.Context) error {
	if err := s.manager.RenewToken(ctx); err != nil {
		return err
	}
	s.manager.Put(ctx, keyVisitor, rand.Text())
	s.manager.Put(ctx, keyAdmin, s.admin.fingerprint)
	s.see(ctx, time.Now())
	return nil
}

// SignOut ends the session; its conversations can't be reached any more.
func (s *Sessions) SignOut(ctx context.Context) error { return s.manager.Destroy(ctx) }

// Visitor is who the session is signed in as; ok is false for nobody.
func (s *Sessions) Visitor(ctx context.Context) (who chat.Visitor, ok bool) {
	given := s.manager.GetString(ctx, keyAdmin)
	if subtle.ConstantTimeCompare([]byte(given), []byte(s.admin.fingerprint)) != 1 {
		return chat.Visitor{}, false
	}
	return chat.Visitor{Session: s.manager.GetString(ctx, keyVisitor), Principal: "admin"}, true
}

// Conversation is the one that the front page shows; 0 for a new one.
func (s *Sessions) Conversation(ctx context.Context) int64 {
	id, _ := strconv.ParseInt(s.manager.GetString(ctx, keyConversation), 10, 64)
	return id
}

// SetConversation remembers it; 0 begins a new one.
func (s *Sessions) SetConversation(ctx context.Context, id int64) {
	s.manager.Put(ctx, keyConversation, strconv.FormatInt(id, 10))
}

// ErrSignedOut says that the session of an open stream has ended.
var ErrSignedOut = errors.New("auth: signed out")

// Alive tells whether the session of a stream's request still stands and is
// signed in with today's password: streams ask now and then (SEC4). What the
// request's own context holds is from when it began, so it isn't asked.
func (s *Sessions) Alive(ctx context.Context, token string) error {
	fresh, cancel := context.WithTimeout(context.Background(), aliveTimeout)
	defer cancel()
	fresh, err := s.load(fresh, token)
	if err != nil {
		return err
	}
	if _, ok := s.Visitor(fresh); !ok {
		return ErrSignedOut
	}
	return ctx.Err()
}
