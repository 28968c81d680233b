package llm

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              -1,
		"soon":                          -1,
		"-5":                            -1,
		"NaN":                           -1,
		"0":                             0,
		"7":                             7 * time.Second,
		" 1.5 ":                         1500 * time.Millisecond,
		"86400":                         time.Minute,
		"1e300":                         time.Minute,
		"Inf":                           time.Minute,
		"Sun, 01 Mar 2026 12:00:20 GMT": 20 * time.Second,
		"Sun, 01 Mar 2026 11:00:00 GMT": 0,
		"Sun, 01 Mar 2026 18:00:00 GMT": time.Minute,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		5 * time.Minute: "5 minutes", time.Minute: "a minute", 90 * time.Second: "90 s", 1400 * time.Millisecond: "1 s", 20 * time.Millisecond: "20ms",
	} {
		if got := words(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestQuoteIsOneShortLineWithoutTheKey(t *testing.T) {
	e := &endpoint{secrets: secretsOf("sk-1", nil)}
	if got := e.quote("a\x1b[31m\r\n\tkey sk-1 \u202e"); got != "a [31m key [secret]" {
		t.Errorf("%q", got)
	}
	if got := []rune(e.quote(strings.Repeat("é", 400))); len(got) != 301 {
		t.Errorf("%d characters", len(got))
	}
	if err := e.scrub(errors.New("with sk-1")); err.Error() != "with [secret]" {
		t.Errorf("%v", err)
	}
}
