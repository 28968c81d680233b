package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"unicode"

	"bor/internal/chat"
)

// hostile are values that a file name, an error or a question may hold.
var hostile = []string{
	"plain", "two\nlines level=ERROR msg=forged", "\x1b[2J\x1b]0;title\x07", "\u009b2J", "\u202egnp.exe", "\x7f\x00\xff\xfe", `quo"te\`, "größe 🦊",
	strings.Repeat("\x01", 5000), strings.Repeat("\"", 5000), strings.Repeat("ä", 5000), strings.Repeat("\xff", 5000), strings.Repeat("\u202e", 5000), strings.Repeat("\U000e0041", 5000),
}

func TestALogLineIsOneBoundedLine(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		c := settings(t, nil)
		c.LogFormat = format
		log := captureLog(t, c)
		for _, value := range hostile {
			for name, a := range map[string]any{"a string": value, "an error": fmt.Errorf("open %s: %w", value, errors.New("denied")), "a list": []string{value, value}} {
				log.Reset()
				slog.Info("import", "one", a, "two", value, "three", value)
				line, ends := strings.CutSuffix(log.String(), "\n")
				if !ends || len(line) > 4096 {
					t.Errorf("%s: %s %.20q gives %d bytes", format, name, value, len(line))
				}
				if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 && !(format == "json" && name == "a list") {
					t.Errorf("%s: %s %.20q is written raw: %.100q", format, name, value, line[i:])
				}
				if format == "json" && !json.Valid([]byte(line)) {
					t.Errorf("%s %.20q isn't JSON: %.200s", name, value, line)
				}
			}
		}
	}
}

// The longest line there is: a turn's, whatever a question and the names of files
// hold.
func TestATurnsLineIsOneBoundedLine(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		c := settings(t, nil)
		c.LogFormat = format
		log := captureLog(t, c)
		for _, value := range hostile {
			log.Reset()
			chat.LogTurn(true)(t.Context(), chat.Report{Turn: math.MaxInt64, Question: value, State: chat.Done, Took: math.MaxInt64, FirstText: math.MaxInt64,
				Sources: []chat.Source{{Source: value, Path: value}}, Facts: chat.Facts{Why: value, TopScore: math.Pi, Threshold: math.Pi}})
			line, ends := strings.CutSuffix(log.String(), "\n")
			if !ends || len(line) > 4096 || strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
				t.Errorf("%s: %.20q gives %d bytes: %.100q", format, value, len(line), line)
			}
			if format == "text" && !strings.HasSuffix(line, " verbatim_blocks=0") {
				t.Errorf("the line ends with %q", line[max(0, len(line)-40):])
			}
		}
	}
}

func TestLogLevelAndShortValues(t *testing.T) {
	c := settings(t, nil)
	c.LogLevel, c.LogFormat = slog.LevelWarn, "json"
	log := captureLog(t, c)
	slog.Info("not this")
	slog.Warn("größe", "n", 7, "ok", true, "list", []string{"a", "b"}, "error", errors.New("x"))
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	if line["msg"] != "größe" || line["level"] != "WARN" || line["n"] != 7.0 || line["ok"] != true || len(line["list"].([]any)) != 2 || line["error"] != "x" {
		t.Errorf("%v", line)
	}
}
