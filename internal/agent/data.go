package agent

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"bor/internal/kb"
)

var (
	documentTag = regexp.MustCompile(`(?i)<(/?document)`)
	promptTag   = regexp.MustCompile(`(?i)<(/?(?:document|relevance|knowledge_base|tuning|verbatim|tools))`)
)

// documentBody is a document's text inside its block of the prompt: what could
// open or close a block is disarmed by writing its < as &lt;, and nothing else
// is changed.
func documentBody(text string) string { return documentTag.ReplaceAllString(text, "&lt;$1") }

// sectionBody does the same for any section of the prompt.
func sectionBody(text string) string { return promptTag.ReplaceAllString(text, "&lt;$1") }

// attribute is a value between double quotes, on one line.
func attribute(value string) string {
	return strings.NewReplacer("\n", "&#10;", "\r", "&#13;").Replace(html.EscapeString(value))
}

// oneLine is text with its white space and control characters as single spaces.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// budget cuts text to at most max characters (0: any number), and marks the cut.
func budget(text string, max int) string {
	if max == 0 || kb.Chars(text) <= max {
		return text
	}
	return kb.FirstChars(text, max) + "\n" + kb.TruncationMark
}
