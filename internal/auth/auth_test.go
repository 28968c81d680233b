package auth

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"bor/db"
	"bor/internal/fault"
	"bor/internal/testkit"
)

func newAdmin(t *testing.T, d *db.DB, password string) *Admin {
	t.Helper()
	a, err := NewAdmin(d, password)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAnEmptyPasswordIsRefused(t *testing.T) {
	if _, err := NewAdmin(nil, ""); err == nil || !strings.Contains(err.Error(), "BOR_ADMIN_PASSWORD") {
		t.Errorf("error is %v", err)
	}
}

func TestLoginLimitIsPerClient(t *testing.T) {
	d := testkit.DB(t)
	one, other := newAdmin(t, d, "right"), newAdmin(t, d, "right") // two processes, one limit
	client := netip.MustParseAddr("192.0.2.1")
	for i := range loginsAClient {
		a := []*Admin{one, other}[i%2]
		if err := a.Login(t.Context(), client, "wrong"); fault.CodeOf(err) != fault.Invalid {
			t.Fatalf("attempt %d gave %v", i+1, err)
		}
	}
	var limited *Limited
	if err := other.Login(t.Context(), client, "right"); !errors.As(err, &limited) || limited.RetryAfter <= 14*time.Minute || limited.RetryAfter > loginSpan {
		t.Errorf("the attempt after the last gave %v", err)
	}
	if !strings.Contains(limited.Error(), "minutes") {
		t.Errorf("its words are %q", limited)
	}
	if err := one.Login(t.Context(), netip.MustParseAddr("192.0.2.2"), "right"); err != nil {
		t.Errorf("another client was refused: %v", err)
	}
	if err := one.Login(t.Context(), netip.MustParseAddr("192.0.2.3"), "wrong"); fault.CodeOf(err) != fault.Invalid {
		t.Fatal(err)
	}
	if _, err := d.Pool.Exec(t.Context(), "UPDATE login_attempts SET attempted_at = attempted_at - interval '15 minutes'"); err != nil {
		t.Fatal(err)
	}
	if err := one.Login(t.Context(), client, "right"); err != nil {
		t.Errorf("after the window: %v", err)
	}
	var left int
	if err := d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM login_attempts").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d attempts of before the window are kept (%v)", left, err)
	}
}

func TestARightPasswordClearsTheClient(t *testing.T) {
	a := newAdmin(t, testkit.DB(t), "right")
	client := netip.MustParseAddr("192.0.2.1")
	for range 3 * loginsAClient {
		if err := a.Login(t.Context(), client, "right"); err != nil {
			t.Fatal(err)
		}
	}
}

// Guessing from many addresses is slowed down, and nobody is locked out.
func TestManyClientsOnlyDelay(t *testing.T) {
	a := newAdmin(t, testkit.DB(t), "right")
	for i := range loginsInAll {
		if err := a.Login(t.Context(), netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), "wrong"); fault.CodeOf(err) != fault.Invalid {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), loginDelay/2)
	defer cancel()
	if err := a.Login(ctx, netip.MustParseAddr("198.51.100.1"), "right"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it wasn't delayed: %v", err)
	}
	if err := a.Login(t.Context(), netip.MustParseAddr("198.51.100.2"), "right"); err != nil {
		t.Errorf("the admin is locked out: %v", err)
	}
}

func TestClientHash(t *testing.T) {
	same := func(a, b string) bool {
		return bytes.Equal(clientHash(netip.MustParseAddr(a)), clientHash(netip.MustParseAddr(b)))
	}
	if !same("2001:db8::1", "2001:db8::ffff:1") || same("2001:db8::1", "2001:db8:0:1::1") || !same("::ffff:192.0.2.1", "192.0.2.1") ||
		same("192.0.2.1", "192.0.2.2") || !same("fe80::1%eth0", "fe80::1%eth1") {
		t.Error("clients are told apart by the wrong bits")
	}
}

// browser keeps cookies over requests, as one does.
type browser struct {
	t        *testing.T
	sessions *Sessions
	secure   bool
	cookie   *http.Cookie
}

func (b *browser) visit(do func(ctx context.Context)) {
	b.t.Helper()
	r := httptest.NewRequest("GET", "/", nil)
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
	ctx, err := b.sessions.Load(r, b.secure)
	if err != nil {
		b.t.Fatal(err)
	}
	do(ctx)
	c, err := b.sessions.Commit(ctx, b.secure)
	if err != nil {
		b.t.Fatal(err)
	}
	if c != nil {
		b.cookie = c
	}
}

func (b *browser) signedIn() (who string, ok bool) {
	b.visit(func(ctx context.Context) {
		v, in := b.sessions.Visitor(ctx)
		who, ok = v.Session, in
	})
	return who, ok
}

func (b *browser) signIn() {
	b.visit(func(ctx context.Context) {
		if err := b.sessions.SignIn(ctx); err != nil {
			b.t.Fatal(err)
		}
	})
}

func newBrowser(t *testing.T, d *db.DB, password string) *browser {
	s := NewSessions(d, newAdmin(t, d, password))
	t.Cleanup(s.Close)
	return &browser{t: t, sessions: s}
}

func TestSessionsSignInAndOut(t *testing.T) {
	d := testkit.DB(t)
	b := newBrowser(t, d, "right")
	if _, ok := b.signedIn(); ok || b.cookie != nil {
		t.Errorf("a stranger is signed in (%v), or has a cookie: %v", ok, b.cookie)
	}
	b.signIn()
	first := b.cookie.Value
	who, ok := b.signedIn()
	if !ok || who == "" || !b.cookie.HttpOnly || b.cookie.SameSite != http.SameSiteLaxMode || b.cookie.Name != "bor" {
		t.Errorf("after signing in: %q %v, cookie %v", who, ok, b.cookie)
	}
	b.visit(func(ctx context.Context) { b.sessions.SetConversation(ctx, 7) })
	b.visit(func(ctx context.Context) {
		if id := b.sessions.Conversation(ctx); id != 7 {
			t.Errorf("the conversation is %d", id)
		}
	})
	var stored string
	if err := d.Pool.QueryRow(t.Context(), "SELECT token FROM sessions").Scan(&stored); err != nil || stored == first {
		t.Errorf("the token is stored as it is (%v)", err)
	}
	if err := b.sessions.Alive(t.Context(), first); err != nil {
		t.Errorf("an open stream would be cut: %v", err)
	}
	b.signIn()
	if b.cookie.Value == first {
		t.Error("signing in again kept the session's id")
	}
	old := b.cookie.Value
	b.visit(func(ctx context.Context) {
		if err := b.sessions.SignOut(ctx); err != nil {
			t.Fatal(err)
		}
	})
	if b.cookie.MaxAge >= 0 {
		t.Errorf("the cookie stays after signing out: %v", b.cookie)
	}
	if err := b.sessions.Alive(t.Context(), old); !errors.Is(err, ErrSignedOut) {
		t.Errorf("an open stream goes on: %v", err)
	}
}

func TestAChangedPasswordSignsOut(t *testing.T) {
	d := testkit.DB(t)
	b := newBrowser(t, d, "old")
	b.signIn()
	after := &browser{t: t, sessions: newBrowser(t, d, "new").sessions, cookie: b.cookie}
	if _, ok := after.signedIn(); ok {
		t.Error("still signed in")
	}
}

// A session that an older version stored, or that is broken, is nobody's; whoever
// had it can sign in again.
func TestAnUnreadableSessionIsNobodys(t *testing.T) {
	d := testkit.DB(t)
	b := newBrowser(t, d, "right")
	for name, data := range map[string]string{"older": "\x0d\xff\x81", "empty": "", "another shape": `{"values": [7]}`, "null": "null"} {
		b.signIn()
		if _, err := d.Pool.Exec(t.Context(), "UPDATE sessions SET data = $1", []byte(data)); err != nil {
			t.Fatal(err)
		}
		if _, ok := b.signedIn(); ok {
			t.Errorf("%s: signed in", name)
		}
		b.signIn()
		if _, ok := b.signedIn(); !ok {
			t.Errorf("%s: not signed in again", name)
		}
	}
}

func TestIdleSessionsEnd(t *testing.T) {
	d := testkit.DB(t)
	b := newBrowser(t, d, "right")
	b.signIn()
	age := func(by time.Duration) {
		b.visit(func(ctx context.Context) { b.sessions.see(ctx, time.Now().Add(-by)) })
	}
	age(2 * seenEvery)
	if _, ok := b.signedIn(); !ok {
		t.Error("signed out after two hours")
	}
	b.visit(func(ctx context.Context) {
		if idle := b.sessions.idle(ctx); idle > seenEvery {
			t.Errorf("use isn't noted: idle for %s", idle)
		}
	})
	age(sessionIdle + time.Minute)
	if _, ok := b.signedIn(); ok {
		t.Error("signed in after eight days")
	}
}

// A request that began before a logout doesn't bring the session back, whether it
// changes the session or not.
func TestARequestUnderWayDoesNotReviveASession(t *testing.T) {
	b := newBrowser(t, testkit.DB(t), "right")
	for name, change := range map[string]func(context.Context){
		"looks": func(context.Context) {}, "asks": func(ctx context.Context) { b.sessions.SetConversation(ctx, 7) },
	} {
		b.signIn()
		kept := *b.cookie
		r := httptest.NewRequest("GET", "/", nil)
		r.AddCookie(&kept)
		slow, err := b.sessions.Load(r, false)
		if err != nil {
			t.Fatal(err)
		}
		b.visit(func(ctx context.Context) { b.sessions.SignOut(ctx) })
		change(slow)
		if cookie, err := b.sessions.Commit(slow, false); err != nil || cookie != nil {
			t.Errorf("a request that %s gets cookie %v, %v", name, cookie, err)
		}
		b.cookie = &kept
		if _, ok := b.signedIn(); ok {
			t.Errorf("the session is back after a request that %s", name)
		}
	}
}

func TestExpiredSessionsAreSweptAndNotFound(t *testing.T) {
	d := testkit.DB(t)
	b := newBrowser(t, d, "right")
	b.signIn()
	if _, err := d.Pool.Exec(t.Context(), "UPDATE sessions SET expiry = now() - interval '1 second'"); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.signedIn(); ok {
		t.Error("an expired session is signed in")
	}
	ended, cancel := context.WithCancel(t.Context())
	go func() {
		for left := 1; left > 0 && t.Context().Err() == nil; {
			if err := d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM sessions").Scan(&left); err != nil {
				return
			}
		}
		cancel()
	}()
	newStore(d).sweep(ended) // ends when the table is empty
	if t.Context().Err() != nil {
		t.Error("the session is still stored")
	}
}

func TestTheCookieIsBoundToTheHostOverTLS(t *testing.T) {
	b := newBrowser(t, testkit.DB(t), "right")
	b.secure = true
	b.signIn()
	if b.cookie.Name != "__Host-bor" || !b.cookie.Secure || b.cookie.Path != "/" || b.cookie.Domain != "" {
		t.Errorf("cookie is %v", b.cookie)
	}
	if _, ok := b.signedIn(); !ok {
		t.Error("not signed in")
	}
}
