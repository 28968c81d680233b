package app

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bor/internal/config"
)

// maxLogValue bounds one value of a log line, in bytes as it is written: a line
// stays readable and under 4 KB, whatever a file name or an error holds (SEC4).
const maxLogValue = 1000

// SetLog makes the process's log as the settings say, on w. Both formats escape
// control bytes, so that no value can start a line of its own or reach a
// terminal as an escape.
func SetLog(w io.Writer, c config.Config) {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr { return bounded(a, escapeForJSON) }
		slog.SetDefault(slog.New(slog.NewJSONHandler(w, options)))
		return
	}
	options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr { return bounded(a, func(text string) string { return text }) }
	slog.SetDefault(slog.New(slog.NewTextHandler(w, options)))
}

// bounded is an attribute whose value is no longer than a line allows. escape does
// what the format's own escaping leaves.
func bounded(a slog.Attr, escape func(string) string) slog.Attr {
	switch v := a.Value.Any().(type) {
	case error:
		return slog.String(a.Key, escape(clip(v.Error())))
	case string:
		return slog.String(a.Key, escape(clip(v)))
	default:
		if text := fmt.Sprintf("%+v", v); len(text) > maxLogValue {
			return slog.String(a.Key, escape(clip(text)))
		}
		return a
	}
}

// clip cuts text where its escaped form gets too long.
func clip(text string) string {
	length := 0
	for i, r := range text {
		switch {
		case r == utf8.RuneError || !unicode.IsPrint(r):
			length += max(len(`\u0000`), len(strconv.QuoteRune(r))-2)
		case r == '"' || r == '\\':
			length += 2
		default:
			length += utf8.RuneLen(r)
		}
		if length > maxLogValue {
			return text[:i] + "…"
		}
	}
	return text
}

// escapeForJSON writes out the control and format characters that JSON needn't
// escape, but a terminal heeds.
func escapeForJSON(text string) string {
	if strings.IndexFunc(text, heeded) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if heeded(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func heeded(r rune) bool { return r >= 0x7f && !unicode.IsPrint(r) }
