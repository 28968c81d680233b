package llm

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// fault is a failed try: the words for people, and whether another try can help.
type fault struct {
	err   *Error
	retry bool
	after time.Duration // the wait that the server asked for; negative when it asked for none
}

func (f *fault) Error() string { return f.err.Public }

func (f *fault) Unwrap() error { return f.err }

func newFault(retry bool, status int, cause error, format string, args ...any) *fault {
	return &fault{err: &Error{Public: fmt.Sprintf(format, args...), Status: status, Cause: cause}, retry: retry, after: -1}
}

// Causes that end a request from our side.
var (
	errNoOutput = errors.New("no output in time")
	errIdle     = errors.New("silence in the middle of a reply")
)

// transport explains why no reply came, or why it broke off. What net/http adds
// around the cause is left out: it holds the address, which may hold a secret.
func (e *endpoint) transport(err error) *fault {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var (
		dns       *net.DNSError
		timeout   net.Error
		record    tls.RecordHeaderError
		untrusted *tls.CertificateVerificationError
		wrongHost x509.HostnameError
		op        *net.OpError
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return newFault(true, 0, err, "The model server at %s refuses connections: nothing is listening there. Start it, or correct %s.", e.host, e.addressSetting)
	case errors.As(err, &dns):
		return newFault(true, 0, err, "The model server's name %s can't be resolved. Check %s, and this machine's DNS.", e.host, e.addressSetting)
	case errors.As(err, &wrongHost):
		return newFault(false, 0, err, "The certificate at %s is for another name. Correct %s, or the server's certificate.", e.host, e.addressSetting)
	case errors.As(err, &untrusted):
		return newFault(false, 0, err, "The certificate at %s isn't trusted: %s. Install the authority that signed it, or correct %s.", e.host, e.quote(untrusted.Err.Error()), e.addressSetting)
	case errors.As(err, &record), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return newFault(false, 0, err, "The model server at %s doesn't speak TLS. Write http:// instead of https:// in %s.", e.host, e.addressSetting)
	case errors.As(err, &timeout) && timeout.Timeout():
		return newFault(true, 0, err, "The model server at %s can't be reached: the connection wasn't accepted in time. Check that it runs, and %s.", e.host, e.addressSetting)
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "remote error"):
		return newFault(op.Op == "dial", 0, err, "The model server at %s can't be reached: %s. Check that it runs, and %s.", e.host, e.quote(op.Err.Error()), e.addressSetting)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return newFault(true, 0, err, "The model server at %s closed the connection before its reply was complete. Its own log may say why; try again.", e.host)
	}
	if cut, foreign := malformed(err.Error()); cut {
		return e.transport(io.ErrUnexpectedEOF)
	} else if foreign {
		return newFault(false, 0, e.scrub(err), "What listens at %s doesn't speak HTTP. Correct %s.", e.host, e.addressSetting)
	}
	return newFault(true, 0, e.scrub(err), "The connection to the model server at %s failed: %s.", e.host, e.quote(err.Error()))
}

// malformed reads net/http's words for what isn't HTTP: it was cut, or another
// protocol is spoken.
func malformed(text string) (cut, foreign bool) {
	if strings.Contains(text, "unexpected EOF") || strings.Contains(text, "malformed HTTP status code") || strings.Contains(text, "malformed MIME header") {
		return true, false
	}
	_, quoted, found := strings.Cut(text, "malformed HTTP response ")
	line, err := strconv.Unquote(quoted)
	cut = found && err == nil && strings.HasPrefix("HTTP/1.1", line)
	return cut, found && !cut
}

// silence explains a limit of ours that ran out.
func (e *endpoint) silence(cause error) *fault {
	if errors.Is(cause, errIdle) {
		return newFault(false, 0, cause, "The model fell silent in the middle of its answer: nothing more came for %s. Try again.", words(e.idle))
	}
	return newFault(false, 0, cause, "The model gave no answer for %s. It may be overloaded or still loading; try again in a while.", words(e.firstByte))
}

// status explains a reply whose HTTP status isn't a success.
func (e *endpoint) status(resp *http.Response, body []byte) *fault {
	code, what := resp.StatusCode, readBody(body)
	if code < 400 {
		target := "another address"
		if to, err := url.Parse(resp.Header.Get("Location")); err == nil && to.Host != "" {
			target = to.Host
		}
		return newFault(false, code, e.said(what, code), "The model server at %s redirects to %s, which is not followed, so that the key stays where it belongs. Put the final address into %s.", e.host, target, e.addressSetting)
	}
	f := e.refusal(what, code)
	f.after = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	return f
}

// refusal explains an error that the server reported, with an HTTP status or
// inside a stream.
func (e *endpoint) refusal(what *said, code int) *fault {
	if code < 400 {
		code = max(what.status, code)
	}
	cause := e.said(what, code)
	quoted := ""
	if what.message != "" {
		quoted = ` It said: "` + e.quote(what.message) + `"`
	}
	all := strings.ToLower(what.message + " " + what.code)
	switch {
	case isOverflow(all), code == http.StatusRequestEntityTooLarge:
		return newFault(false, code, cause, "This is too long for the model: the question, its documents and the conversation together exceed its context. Start a new chat or ask for less at once; an operator can give the model a larger context or lower BOR_TOP_N_DOCS, BOR_READ_MAX_CHARS or BOR_HISTORY_MAX_CHARS.%s", quoted)
	case strings.Contains(all, "insufficient_quota"), code == http.StatusPaymentRequired:
		return newFault(false, code, cause, "The model server at %s says that the account has no credit left.%s", e.host, quoted)
	case code == http.StatusUnauthorized && e.key == "":
		return newFault(false, code, cause, "The model server at %s wants an API key (401). Set %s.", e.host, e.keySetting)
	case code == http.StatusUnauthorized:
		return newFault(false, code, cause, "The model server at %s doesn't accept the API key (401). Check %s.", e.host, e.keySetting)
	case code == http.StatusForbidden:
		return newFault(false, code, cause, "The model server at %s forbids this request (403). Check what %s may do.%s", e.host, e.keySetting, quoted)
	case isUnknownModel(all, code):
		return newFault(false, code, cause, `The model server at %s has no model named %q. Correct %s; "bor probe" lists what the server has.`, e.host, e.model, e.modelSetting)
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed:
		return newFault(false, code, cause, "Nothing answers at this address of the server %s (%d). Check %s: it usually ends in /v1.%s", e.host, code, e.addressSetting, quoted)
	case strings.Contains(all, "support") && strings.Contains(all, "tool"):
		return newFault(false, code, cause, "The model %q can't call tools. Choose another with %s, or set BOR_AGENT_MAX_ROUNDS=0 to do without.%s", e.model, e.modelSetting, quoted)
	case code == http.StatusTooManyRequests || strings.Contains(all, "rate limit") || strings.Contains(all, "rate_limit"):
		return newFault(true, code, cause, "The model server at %s is getting too many requests (429). Wait a little and try again.%s", e.host, quoted)
	case code == http.StatusRequestTimeout || code == http.StatusTooEarly || code >= 500:
		return newFault(code != http.StatusNotImplemented, code, cause, "The model server at %s failed (%d). Its own log says more; try again in a while.%s", e.host, code, quoted)
	case code == 0 || code == http.StatusOK:
		return newFault(true, code, cause, "The model server at %s broke off with an error.%s", e.host, quoted)
	}
	return newFault(false, code, cause, "The model server at %s refused the request (%d).%s", e.host, code, quoted)
}

// notModelServer explains a reply that doesn't come from an OpenAI-compatible
// server.
func (e *endpoint) notModelServer(body []byte, cause error) *fault {
	what := "something that isn't a model's reply"
	if isHTML(body) {
		what = "a web page"
	}
	return newFault(false, http.StatusOK, cause, "The server at %s answered with %s. Check %s: it has to name an OpenAI-compatible API and usually ends in /v1.", e.host, what, e.addressSetting)
}

// broken explains a stream that can't go on.
func (e *endpoint) broken(err error) *fault {
	var f *fault
	var foreign *errNotEvents
	var what *said
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &foreign):
		return e.notModelServer(foreign.body, err)
	case errors.As(err, &what):
		return e.refusal(what, what.status)
	case isSyntax(err), errors.Is(err, errLineTooLong):
		return newFault(true, 0, e.scrub(err), "The model server at %s sent something unreadable in the middle of its reply.", e.host)
	}
	return e.transport(err)
}

// asFault explains whatever a request returned. A context that ended from our
// caller's side is not the endpoint's fault and stays what it is.
func (e *endpoint) asFault(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errNoOutput), errors.Is(cause, errIdle):
		return e.silence(cause)
	case cause != nil:
		return cause
	}
	return e.broken(err)
}

// said is the log's cause for what a server said.
func (e *endpoint) said(what *said, code int) error {
	return fmt.Errorf("model server: status %d: %s", code, e.quote(what.message))
}

// quote makes a server's words fit to be shown: secrets taken out, one line, at
// most 300 characters.
func (e *endpoint) quote(s string) string {
	s = strings.Join(strings.FieldsFunc(e.hide(s), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if runes := []rune(s); len(runes) > 300 {
		return string(runes[:300]) + "…"
	}
	return s
}

// scrub is an error for the log without secrets.
func (e *endpoint) scrub(err error) error {
	if text := err.Error(); e.hide(text) != text {
		return errors.New(e.hide(text))
	}
	return err
}

// hide takes out what servers and libraries may quote of the key and of what
// the address holds beside the host.
func (e *endpoint) hide(s string) string {
	for _, secret := range e.secrets {
		s = strings.ReplaceAll(s, secret, "[secret]")
	}
	return s
}

// minSecretUser is the length in bytes from which a user name in an address is
// taken for a secret too: some are tokens, and shorter ones would blot out
// ordinary words.
const minSecretUser = 6

// secretsOf are the key, and the user information of an address in all forms in
// which it travels; the longest first, so that none leaves a part of another.
func secretsOf(key string, address *url.URL) (secrets []string) {
	add := func(s string) {
		if s != "" {
			secrets = append(secrets, s, url.QueryEscape(s), url.PathEscape(s))
		}
	}
	add(key)
	if address != nil && address.User != nil {
		name := address.User.Username()
		password, _ := address.User.Password()
		pair := name + ":" + password
		add(password)
		add(pair)
		add(base64.StdEncoding.EncodeToString([]byte(pair)))
		if len(name) >= minSecretUser {
			add(name)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(secrets)
}
