package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// The one browser of all journeys; each gets a context of its own, as a private
// window.
var chromium struct {
	sync.Mutex
	driver  *playwright.Playwright
	browser playwright.Browser
	dir     string
}

// insecureHost is a name that leads to this machine over plain http: to the
// browser it is no secure context, as a LAN name wouldn't be.
const insecureHost = "chat.test"

func theBrowser(t *testing.T) playwright.Browser {
	t.Helper()
	chromium.Lock()
	defer chromium.Unlock()
	if chromium.browser != nil {
		return chromium.browser
	}
	program, err := chromiumProgram()
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	// The driver wants a folder that holds package/cli.js.
	if chromium.dir, err = os.MkdirTemp("", "bor-driver-"); err != nil {
		t.Fatal(err)
	}
	core, err := filepath.Abs("node_modules/playwright-core")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(core, filepath.Join(chromium.dir, "package")); err != nil {
		t.Fatal(err)
	}
	os.Setenv("PLAYWRIGHT_NODEJS_PATH", node)
	chromium.driver, err = playwright.Run(&playwright.RunOptions{DriverDirectory: chromium.dir, SkipInstallBrowsers: true})
	if err != nil {
		t.Fatalf("starting the browser's driver (run `make browser` first): %v", err)
	}
	chromium.browser, err = chromium.driver.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: playwright.String(program),
		Args: []string{"--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP " + insecureHost + " 127.0.0.1"},
	})
	if err != nil {
		t.Fatalf("starting %s: %v", program, err)
	}
	return chromium.browser
}

func chromiumProgram() (string, error) {
	if p := os.Getenv("BOR_CHROMIUM"); p != "" {
		return p, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", errors.New("no Chromium here: run `make browser`, or set BOR_CHROMIUM")
}

func stopBrowser() {
	if chromium.browser != nil {
		chromium.browser.Close()
	}
	if chromium.driver != nil {
		chromium.driver.Stop()
	}
	os.RemoveAll(chromium.dir)
}

// visit is a private window on a product. What a page must never do is watched
// all the time: a blocked resource, an error in its script, a request elsewhere.
type visit struct {
	t       *testing.T
	base    string
	context playwright.BrowserContext
	page    playwright.Page

	mu       sync.Mutex
	offences []string
}

// browse opens a window. The check for offences comes when the test ends.
func browse(t *testing.T, base string, o playwright.BrowserNewContextOptions) *visit {
	t.Helper()
	ctx, err := theBrowser(t).NewContext(o)
	if err != nil {
		t.Fatal(err)
	}
	v := &visit{t: t, base: base, context: ctx}
	ctx.SetDefaultTimeout(20000)
	// What the policy stops is told to the page alone, unless it is said aloud.
	must(t, ctx.AddInitScript(playwright.Script{Content: playwright.String(`addEventListener('securitypolicyviolation',
		e => console.error('Content Security Policy: ' + e.violatedDirective + ' stopped ' + e.blockedURI + ' ' + e.sample))`)}))
	v.page = v.tab()
	t.Cleanup(func() {
		ctx.Close()
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, o := range v.offences {
			t.Errorf("the page misbehaved: %s", o)
		}
	})
	return v
}

// tab opens another page of the same window.
func (v *visit) tab() playwright.Page {
	v.t.Helper()
	page, err := v.context.NewPage()
	if err != nil {
		v.t.Fatal(err)
	}
	page.OnPageError(func(err error) { v.offend("script error at " + page.URL() + ": " + err.Error()) })
	page.OnConsole(func(m playwright.ConsoleMessage) {
		text := m.Text()
		if strings.Contains(text, "Content Security Policy") || strings.Contains(text, "TrustedHTML") || strings.Contains(text, "Trusted Type") {
			v.offend("policy at " + page.URL() + ": " + text)
		}
	})
	page.OnRequest(func(r playwright.Request) {
		if !strings.HasPrefix(r.URL(), v.base+"/") && !strings.HasPrefix(r.URL(), "about:") {
			v.offend("request off the origin at " + page.URL() + ": " + r.URL())
		}
	})
	return page
}

func (v *visit) offend(what string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.offences = append(v.offences, what)
}

// open goes to a path of the product.
func (v *visit) open(path string) {
	v.t.Helper()
	if _, err := v.page.Goto(v.base + path); err != nil {
		v.t.Fatal(err)
	}
}

// logIn signs in by the form, and ends on the front page.
func (v *visit) logIn() {
	v.t.Helper()
	v.open("/login")
	must(v.t, v.page.Locator("#password").Fill(password))
	must(v.t, v.page.Locator("#auth-gate button.primary").Click())
	must(v.t, v.page.Locator("#composer").WaitFor())
}

// ask sends a question by keyboard.
func (v *visit) ask(question string) {
	v.t.Helper()
	must(v.t, v.page.Locator("#message-input").Fill(question))
	must(v.t, v.page.Locator("#message-input").Press("Enter"))
}

// settled waits until the n-th answer (from 0) has ended.
func (v *visit) settled(n int) playwright.Locator {
	v.t.Helper()
	answer := v.page.Locator(".msg.brain").Nth(n)
	must(v.t, answer.WaitFor())
	must(v.t, v.page.Locator(".msg.brain[aria-busy=true]").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateDetached}))
	return answer
}

// clipboard is what a paste would give.
func (v *visit) clipboard() string {
	v.t.Helper()
	text, err := v.page.Evaluate("() => navigator.clipboard.readText()")
	must(v.t, err)
	return text.(string)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text is an element's text, exactly.
func text(t *testing.T, l playwright.Locator) string {
	t.Helper()
	s, err := l.TextContent()
	must(t, err)
	return s
}
