package e2e

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/playwright-community/playwright-go"

	"bor/internal/testkit"
)

// cable leads to a server and can be cut.
type cable struct {
	t        *testing.T
	network  string // of the server
	address  string
	listener net.Listener
	mu       sync.Mutex
	open     map[net.Conn]bool
}

// lay makes a cable to a server, which is reached at the cable's listener.
func lay(t *testing.T, network, address string) *cable {
	t.Helper()
	w := &cable{t: t, network: network, address: address, open: map[net.Conn]bool{}}
	w.listen("127.0.0.1:0")
	t.Cleanup(w.cut)
	return w
}

// newCable gives the address of a database by way of a cable.
func newCable(t *testing.T, database string) (*cable, string) {
	t.Helper()
	config, err := pgconn.ParseConfig(database)
	must(t, err)
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	w := lay(t, network, address)
	u, err := url.Parse(database)
	must(t, err)
	u.Host = w.listener.Addr().String()
	q := u.Query()
	q.Del("host")
	q.Del("port")
	q.Set("sslmode", "disable")
	u.RawQuery = q.Encode()
	return w, u.String()
}

func (w *cable) listen(address string) {
	w.t.Helper()
	var err error
	w.listener, err = net.Listen("tcp", address)
	must(w.t, err)
	go func(l net.Listener) {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial(w.network, w.address)
			if err != nil {
				near.Close()
				continue
			}
			w.mu.Lock()
			w.open[near], w.open[far] = true, true
			w.mu.Unlock()
			go w.copy(near, far)
			go w.copy(far, near)
		}
	}(w.listener)
}

func (w *cable) copy(to, from net.Conn) {
	io.Copy(to, from)
	to.Close()
	from.Close()
}

// cut ends every connection and refuses new ones.
func (w *cable) cut() {
	w.listener.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.open {
		c.Close()
	}
	clear(w.open)
}

// mend takes connections again at the old address.
func (w *cable) mend() { w.listen(w.listener.Addr().String()) }

// TestAccessOffline takes the database away from an open page and gives it back
// (CH4, DEC31).
func TestAccessOffline(t *testing.T) {
	model := testkit.NewModel(t)
	w, database := newCable(t, testkit.EmptyDB(t))
	p := startOn(t, database, options{model: model, sources: map[string]string{"homelab": tree(t, homelab())}})
	v := visitor(t, p, playwright.BrowserNewContextOptions{})
	s := v.screen()
	s.hidden("#kb-banner")
	tab := v.another("/")

	w.cut()
	s.put(aboutGufo)
	s.visible("#kb-banner")
	s.is(expect.Locator(s.Locator("#message-input")).ToBeDisabled())
	s.is(expect.Locator(s.Locator("#send-btn")).ToBeDisabled())
	s.is(expect.Locator(s.Locator("#message-input")).ToHaveValue(aboutGufo))
	s.has(0, ".msg")

	response, err := tab.Reload()
	tab.is(err)
	if response.Status() != 503 {
		t.Errorf("a page without the database: status %d", response.Status())
	}
	tab.visible("#kb-banner")
	tab.has(0, "#composer")
	tab.axe("offline")

	w.mend()
	s.hidden("#kb-banner")
	tab.visible("#composer") // by itself, and still signed in
	s.is(expect.Locator(s.Locator("#message-input")).ToBeEnabled())
	s.is(expect.Locator(s.Locator("#message-input")).ToHaveValue(aboutGufo))
	s.reads("#composer-error", "")
	model.Queue(testkit.Say("Here I am again."))
	s.is(s.Locator("#message-input").Press("Enter"))
	s.ended(1)
	s.shows(".answer", "Here I am again.")
	s.has(1, ".msg.user")
}
