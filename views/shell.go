package views

import "strconv"

// Shell is what every page has around its content.
type Shell struct {
	Title   string // of the page, without the product's name
	AppName string
	Version string // in #app-version
	Footer  string // the operator's words; may be empty
	Nonce   string // of this response's policy, for scripts and htmx attributes
	Assets  Assets
	Nav     []NavItem // only what the visitor may use
	Login   bool      // offer Log in
	Logout  bool      // offer Log out
	NewChat bool      // offer New chat
	Offline bool      // the database can't be reached: the banner shows, and the page waits for it
	Refresh int       // seconds after which a page without script loads itself again; 0 is never
	// RefreshURL is where it then goes; empty is the same address. It must differ by
	// more than a fragment, or the browser only scrolls.
	RefreshURL string
	NoIndex    bool
}

// Assets are the addresses of what a page loads (package static).
type Assets struct {
	Styles  []string // in order; a theme's style sheet is the last
	Scripts []string // in load order
	Icon    string
}

// NavItem is a link of the main navigation.
type NavItem struct {
	Label   string
	URL     string
	Current bool
}

// Link is a link or a chip.
type Link struct {
	Text  string
	URL   string
	Title string // more words on hover; may be empty
}

// htmxConfig: named extensions only; no injected style sheet, no second attribute
// prefix, no evaluation of strings; history is the browser's own, since htmx would
// fetch the conversation anew where Back only closes a window over it; streams go
// on in hidden tabs and retry within seconds (DEC5, DEC6).
const htmxConfig = `{"extensions":"hx-csp, sse, bor","history":false,"includeIndicatorCSS":false,"prefix":"","safeEval":false,"sse":{"pauseOnBackground":false,"reconnectMaxDelay":5000}}`

func (s Shell) refresh() string {
	if s.RefreshURL == "" {
		return strconv.Itoa(s.Refresh)
	}
	return strconv.Itoa(s.Refresh) + ";url=" + s.RefreshURL
}

func (s Shell) title() string {
	if s.Title == "" {
		return s.AppName
	}
	return s.Title + " · " + s.AppName
}
