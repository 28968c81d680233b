package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// How servers say that the prompt doesn't fit. Lower case.
var overflowWords = []string{
	"context length", "context_length", "context window", "contextwindow", "context size", "context_size", "context limit", "maximum context", "max_model_len",
	"prompt is too long", "prompt too long", "input is too long", "input length", "maximum prompt length", "too many tokens", "tokens allowed", "must have less than",
	"reduce the length", "reduce your message", "longer than the maximum", "too large for model",
}

func isOverflow(text string) bool {
	for _, w := range overflowWords {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// isUnknownModel tells a missing model from a missing address: the server's
// words name a model.
func isUnknownModel(text string, code int) bool {
	if strings.Contains(text, "model_not_found") {
		return true
	}
	missing := strings.Contains(text, "not found") || strings.Contains(text, "not exist") || strings.Contains(text, "unknown") || strings.Contains(text, "invalid model")
	return strings.Contains(text, "model") && missing && (code == http.StatusNotFound || code == http.StatusBadRequest)
}

// rejectedField is an optional field of the request that the server's refusal
// names; empty when none.
func rejectedField(err error) string {
	var f *fault
	if !errors.As(err, &f) || f.err.Cause == nil {
		return ""
	}
	if f.err.Status != http.StatusBadRequest && f.err.Status != http.StatusUnprocessableEntity {
		return ""
	}
	text := strings.ToLower(f.err.Cause.Error())
	for field, names := range map[string][]string{
		"max_tokens":     {"max_tokens", "max_completion_tokens", "max_new_tokens", "max tokens", "in the completion"},
		"stream_options": {"stream_options", "include_usage"},
	} {
		for _, n := range names {
			if strings.Contains(text, n) {
				return field
			}
		}
	}
	return ""
}

// readBody reads what a server says in the body of a failed request: JSON in
// any shape, or plain text. Of a web page only its title counts.
func readBody(body []byte) *said {
	body = bytes.TrimSpace(body)
	if json.Valid(body) && len(body) > 0 && (body[0] == '{' || body[0] == '[') {
		return readSaid(body)
	}
	if isHTML(body) {
		_, rest, _ := bytes.Cut(body, []byte("<title>"))
		title, _, _ := bytes.Cut(rest, []byte("</title>"))
		return &said{message: string(title)}
	}
	return &said{message: string(body)}
}

func isHTML(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

func isSyntax(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax)
}

// maxRetryAfter is the longest wait that a server may ask for.
const maxRetryAfter = time.Minute

// retryAfter reads the header of that name: seconds or a date. It is negative
// when there is none or it is nonsense, and at most a minute.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil {
		return min(max(date.Sub(now), 0), maxRetryAfter)
	}
	return -1
}

// words is a duration as people say it.
func words(d time.Duration) string {
	switch {
	case d >= 2*time.Minute && d%time.Minute == 0:
		return strconv.Itoa(int(d/time.Minute)) + " minutes"
	case d == time.Minute:
		return "a minute"
	case d >= time.Second:
		return strconv.FormatFloat(d.Round(time.Second).Seconds(), 'f', -1, 64) + " s"
	}
	return d.String()
}
