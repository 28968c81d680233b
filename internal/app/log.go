package app

import (
	"io"
	"log/slog"
	"unicode/utf8"

	"bor/internal/config"
)

// maxLogValue bounds one value of a log line, in bytes: a line stays readable
// and under 4 KB, whatever a file name or an error holds (SEC4).
const maxLogValue = 1000

// SetLog makes the process's log as the settings say, on w. Both formats escape
// control bytes, so that no value can start a line of its own or reach a
// terminal as an escape.
func SetLog(w io.Writer, c config.Config) {
	options := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: bounded}
	if c.LogFormat == "json" {
		slog.SetDefault(slog.New(slog.NewJSONHandler(w, options)))
		return
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(w, options)))
}

func bounded(_ []string, a slog.Attr) slog.Attr {
	var text string
	switch v := a.Value.Any().(type) {
	case error:
		text = v.Error()
	case string:
		text = v
	default:
		return a
	}
	if len(text) > maxLogValue {
		end := maxLogValue
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return slog.String(a.Key, text)
}
