package app

import (
	"strings"
	"unicode"
)

// Printable is text of several lines that a terminal shows as it is: control and
// format characters, which could move the cursor or hide something, become
// question marks (SEC4).
func Printable(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// printable is Printable for text of one line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, text)
}
